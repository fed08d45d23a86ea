"""Ghazi et al. 2022: what it proves, measured, beside our notes and beside the staircase."""

from experiments.parts import PartFunction, combine
from experiments.report import Progress, Reproduction, Setting
from experiments.shape import distributions, errata, growth, hashing, models, properties, squares, two_hashes

PARTS: dict[str, PartFunction] = {
    "growth": growth.part,
    "distributions": distributions.part,
    "buckets": hashing.part,
    "models": models.part,
    "squares": squares.part,
    "two hashes": two_hashes.part,
    "what follows": properties.part,
    "errata": errata.part,
}


def run(setting: Setting, progress: Progress) -> Reproduction:
    """All parts."""
    return combine("shape", "The shape of a histogram: what is claimed, and what is so", PARTS, setting, progress)
