"""Paper 001: its guarantees and examples beside exact values, and what it proposes, run."""

from experiments.parts import Made, together
from experiments.report import Reproduction, Setting, Tell
from experiments.sampling import curves, heavy, lemmas, mistakes, quantiles, theorem

PARTS: dict[str, Made] = {
    "theorem": theorem.part,
    "lemmas": lemmas.part,
    "curves": curves.part,
    "heavy hitters": heavy.part,
    "quantiles": quantiles.part,
    "mistakes": mistakes.part,
}


def run(setting: Setting, tell: Tell) -> Reproduction:
    """All parts."""
    return together("sampling", "Sample and threshold: what is claimed, and what is so", PARTS, setting, tell)
