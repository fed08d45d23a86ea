"""Paper 002: what it proves, measured, beside our digest of it and beside the staircase."""

from experiments.parts import PartFunction, together
from experiments.report import Progress, Reproduction, Setting
from experiments.shape import errata, follows, growth, hashing, kinds, models, squares, two_hashes

PARTS: dict[str, PartFunction] = {
    "growth": growth.part,
    "distributions": kinds.part,
    "buckets": hashing.part,
    "models": models.part,
    "squares": squares.part,
    "two hashes": two_hashes.part,
    "what follows": follows.part,
    "errata": errata.part,
}


def run(setting: Setting, progress: Progress) -> Reproduction:
    """All parts."""
    return together("shape", "The shape of a histogram: what is claimed, and what is so", PARTS, setting, progress)
