"""Items known in advance: what the table and both figures about them have in common.

Each way of choosing the norm of what one person may contribute is drawn many times; the loss of a release with Gaussian
noise follows in closed form."""

from dataclasses import dataclass
from math import pi, sqrt
from statistics import fmean

import numpy as np

from experiments.best import best_known
from experiments.bounding.choosing import default, drawn, known
from experiments.bounding.losses import clipped
from experiments.bounding.people import People
from experiments.bounding.printed import PrintedPerturbation
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
class Compared:
    """Mean losses on one data set."""

    people: People
    cells: int
    """How many items are known."""
    bound: float
    """The best bound in hindsight, C* (Theorem 4.3)."""
    best: float
    """The loss with C*."""
    default: float
    """The mean loss with what the product does if nothing is said."""
    ways: dict[str, float]
    """With each way by its name, with bounds up to 150."""

    @property
    def ratio(self) -> float:
        """The product's default over C*."""
        return self.default / self.best


def compared(people: People, cells: int, sparsity: int, draws: int, *, own: bool = True) -> Compared:
    """Every way of choosing, drawn so many times; `generalized` with the product's own s, unless s varies."""
    usual, table = default(people, cells), people.on_engine()
    them = people.histograms
    bound = best_known(them.norms, them.ratios, usual.weight)
    ways = {name: known(name, people, cells, sparsity) for name in WAYS}
    if own:
        ways[ComparedSizes.name] = known(ComparedSizes.name, people, cells, usual.sparsity)
    chosen = {name: drawn(way, way.look(table), draws) for name, way in (ways | {"": usual}).items()}
    losses = _losses(people, usual, cells, bound, chosen)
    return Compared(people, cells, bound, losses.pop("best"), losses.pop(""), losses)


def _losses(people: People, usual: Known, cells: int, best: float, chosen: dict[str, Integers]) -> dict[str, float]:
    """The mean loss with the bounds that each way chose (squared), and with the best one."""
    bounds = np.unique(np.concatenate([np.sqrt(each) for each in chosen.values()] + [[best]]))
    deviation = usual.weight / cells / sqrt(2 / pi)  # of the noise, for a bound of 1
    curve = clipped(people, cells, bounds, deviation)
    means = {name: fmean(curve[np.searchsorted(bounds, np.sqrt(each))]) for name, each in chosen.items()}
    return means | {"best": float(curve[np.searchsorted(bounds, best)])}
