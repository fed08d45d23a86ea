"""Paper 002: what it proves, measured, beside our digest of it and beside the staircase."""

from headcount.reproduce.report import Reproduction, Setting, Tell
from headcount.reproduce.sampling.part import Made, Part
from headcount.reproduce.shape import errata, follows, growth, hashing, kinds, models, squares

PARTS: dict[str, Made] = {
    "growth": growth.part,
    "distributions": kinds.part,
    "buckets": hashing.part,
    "models": models.part,
    "squares": squares.part,
    "what follows": follows.part,
    "errata": errata.part,
}


def run(setting: Setting, tell: Tell) -> Reproduction:
    """All parts; the quick version has less of each."""
    found: list[Part] = []
    for name, part in PARTS.items():
        tell(name, len(found) / len(PARTS))
        found.append(part(setting))
    notes = [note for each in found for note in each.notes]
    return Reproduction(
        "shape",
        "The shape of a histogram: what is claimed, and what is so",
        tuple(table for each in found for table in each.tables),
        (*notes, *([setting.said("", there=True)] if setting.quick else [])),
        tuple(panel for each in found for panel in each.panels),
    )
