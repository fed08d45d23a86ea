"""Liu et al. 2020: its figure, what it proves, measured, and what it prints wrongly."""

from experiments.distribution import curve, errata, figure1, grid, theorem5, user_complexity
from experiments.parts import PartFunction, combine
from experiments.report import Progress, Reproduction, Setting

PARTS: dict[str, PartFunction] = {
    "Figure 1": figure1.part,
    "Theorem 5": theorem5.part,
    "draws of each": grid.part,
    "people": curve.part,
    "people needed": user_complexity.part,
    "errata": errata.part,
}


def run(setting: Setting, progress: Progress) -> Reproduction:
    """All parts."""
    title = "The distribution behind the counts: what is claimed, and what is so"
    return combine("distribution", title, PARTS, setting, progress)
