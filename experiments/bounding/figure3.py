"""Figure 3: what a release of unknown items loses with every bound, and V, which says at most how much."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from experiments.bounding.losses import threshold_losses
from experiments.bounding.paper import BOUNDS, PrintedExponential
from experiments.bounding.people import SUBSTITUTES, People, Random, heterogeneous, substitute
from experiments.bounding.selection import paper_delta, unknown_choice
from experiments.pictures import Panel, Series
from experiments.report import Progress, Reproduction, Setting, Table, number
from headcount.bound.selection.loads import UNIT
from headcount.exact import Floats

TABLE_BOUNDS = (10, 50, 100, 200, 400, 700, 1000, 1500)
"""Bounds in the table; the picture has them all."""
COLUMNS = ("data", "C", "loss", "V", "V / loss")
NOTES = (
    "The loss is the mean of 3 runs of Algorithm 3 (repaired, paper's threshold) over the true total, V is that of "
    "Theorem 5.2 over the same. The paper's figure has no printed numbers; its claims are that V is never below the "
    "loss, and that the ratio stays within O(log(C_m / 2 delta)).",
    "The data are those of Table 1, read in the same way.",
)
SUBSTITUTED = "Sentiment140 is not at hand: IRC words and Reddit titles, their 1,000 most frequent words, stand for it."


@dataclass(frozen=True)
class Curves:
    """Loss and V with every bound."""

    name: str
    loss: Floats
    worst: Floats
    """V."""

    @property
    def ratio(self) -> Floats:
        """How many times the loss V is."""
        return self.worst / self.loss


def run(setting: Setting, progress: Progress) -> Reproduction:
    """Synthetic people, and real tables."""
    random = np.random.default_rng([setting.seed, 50])
    found: list[Curves] = []
    for people in _cases(setting, random):
        progress(people.name, len(found) / 3)
        found.append(_curves(people, 1 if setting.quick else 3, random))
    spans = ", ".join(f"{each.name}: {each.ratio.min():.2f} to {each.ratio.max():.2f}" for each in found)
    return Reproduction(
        "bounding-figure3",
        "Figure 3: the loss and its upper bound V",
        (Table("Relative to the true total", COLUMNS, tuple(_rows(found))),),
        (*NOTES, f"V / loss over all bounds: {spans}.", setting.data_note(SUBSTITUTED, available=len(found) > 1)),
        tuple(panel for each in found for panel in _panels(each)),
    )


def _cases(setting: Setting, random: Random) -> Iterator[People]:
    yield heterogeneous(50, random)
    for name in () if setting.quick else SUBSTITUTES:
        if people := substitute(name, setting.data):
            yield people.most_frequent(1000)


def _curves(people: People, samples: int, random: Random) -> Curves:
    loss = threshold_losses(people, np.array(BOUNDS), paper_delta(people), (samples, 1), random).mean
    choice, total = unknown_choice(PrintedExponential, people, BOUNDS), people.truth.sum()
    costs = choice.costs(choice.look(people.on_engine())) / UNIT  # V less 2 sum m_i
    return Curves(people.name, loss, costs / total + 2)


def _rows(found: list[Curves]) -> Iterator[tuple[str, ...]]:
    for each in found:
        for bound in TABLE_BOUNDS:
            index = BOUNDS.index(bound)
            yield each.name, str(bound), *(number(curve[index]) for curve in (each.loss, each.worst, each.ratio))


def _panels(each: Curves) -> tuple[Panel, Panel]:
    losses = Series("loss, 3 runs", BOUNDS, each.loss.tolist(), "-"), Series("V", BOUNDS, each.worst.tolist(), "-")
    left = Panel(f"Figure 3, {each.name}", "C", "over the true total", losses)
    ratio = Series("V / loss", BOUNDS, each.ratio.tolist(), "-")
    return left, Panel(f"Figure 3, {each.name}: ratio", "C", "V / loss", (ratio,))
