"""Bharadwaj and Cormode 2022: its guarantees and examples beside exact values, and what it proposes, run."""

from experiments.parts import PartFunction, combine
from experiments.report import Progress, Reproduction, Setting
from experiments.sampling import curves, heavy, lemmas, mistakes, quantiles, theorem

PARTS: dict[str, PartFunction] = {
    "theorem": theorem.part,
    "lemmas": lemmas.part,
    "curves": curves.part,
    "heavy hitters": heavy.part,
    "quantiles": quantiles.part,
    "mistakes": mistakes.part,
}


def run(setting: Setting, progress: Progress) -> Reproduction:
    """All parts."""
    return combine("sampling", "Sample and threshold: what is claimed, and what is so", PARTS, setting, progress)
