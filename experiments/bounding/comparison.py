"""Items known in advance: the comparison shared by the table and both figures.

Each selection of the norm bound is sampled many times; the loss of a release with Gaussian
noise follows in closed form."""

from dataclasses import dataclass
from math import pi, sqrt
from statistics import fmean

import numpy as np

from experiments.best import best_known
from experiments.bounding.losses import clipping_loss
from experiments.bounding.paper import PrintedPerturbation
from experiments.bounding.people import People
from experiments.bounding.selection import default_choice, known_choice, select
from headcount.bound.selection.compare import ComparedSizes
from headcount.bound.selection.paper import DpSgd, InverseSensitivity, Known, MQuantile, OutputPerturbation
from headcount.exact import Integers

WAYS = (
    ComparedSizes.name,
    InverseSensitivity.name,
    DpSgd.name,
    PrintedPerturbation.name,
    OutputPerturbation.name,
    MQuantile.name,
)


@dataclass(frozen=True)
class Comparison:
    """Mean losses on one data set."""

    people: People
    cells: int
    """Number of known items."""
    bound: float
    """The best bound in hindsight, C* (Theorem 4.3)."""
    best: float
    """The loss with C*."""
    default: float
    """The mean loss with the product's default selection."""
    ways: dict[str, float]
    """The mean loss of each selection by name, with bounds up to 150."""

    @property
    def ratio(self) -> float:
        """The product's default over C*."""
        return self.default / self.best


def compare(people: People, cells: int, sparsity: int, draws: int, *, own: bool = True) -> Comparison:
    """Sample every selection `draws` times; `generalized` with the product's own sparsity s unless s varies."""
    usual, table = default_choice(people, cells), people.on_engine()
    them = people.histograms
    bound = best_known(them.norms, them.ratios, usual.weight)
    ways = {name: known_choice(name, people, cells, sparsity) for name in WAYS}
    if own:
        ways[ComparedSizes.name] = known_choice(ComparedSizes.name, people, cells, usual.sparsity)
    chosen = {name: select(way, way.look(table), draws) for name, way in (ways | {"": usual}).items()}
    losses = _losses(people, usual, cells, bound, chosen)
    return Comparison(people, cells, bound, losses.pop("best"), losses.pop(""), losses)


def _losses(people: People, usual: Known, cells: int, best: float, chosen: dict[str, Integers]) -> dict[str, float]:
    """The mean loss with the bounds of each selection (given squared), and with the best bound."""
    bounds = np.unique(np.concatenate([np.sqrt(each) for each in chosen.values()] + [[best]]))
    deviation = usual.weight / cells / sqrt(2 / pi)  # of the noise, for a bound of 1
    curve = clipping_loss(people, cells, bounds, deviation)
    means = {name: fmean(curve[np.searchsorted(bounds, np.sqrt(each))]) for name, each in chosen.items()}
    return means | {"best": float(curve[np.searchsorted(bounds, best)])}
