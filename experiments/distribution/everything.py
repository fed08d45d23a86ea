"""Paper 004: its figure, what it proves, measured, and what it prints wrongly."""

from experiments.distribution import curve, errata, figure1, grid, needed, theorem5
from experiments.parts import Made, together
from experiments.report import Reproduction, Setting, Tell

PARTS: dict[str, Made] = {
    "Figure 1": figure1.part,
    "Theorem 5": theorem5.part,
    "draws of each": grid.part,
    "people": curve.part,
    "people needed": needed.part,
    "errata": errata.part,
}


def run(setting: Setting, tell: Tell) -> Reproduction:
    """All parts."""
    title = "The distribution behind the counts: what is claimed, and what is so"
    return together("distribution", title, PARTS, setting, tell)
