"""Paper 001: its guarantees and examples beside exact values, and what it proposes, run."""

from headcount.reproduce.report import Reproduction, Setting, Tell
from headcount.reproduce.sampling import curves, heavy, lemmas, mistakes, quantiles, theorem
from headcount.reproduce.sampling.part import Made, Part

PARTS: dict[str, Made] = {
    "theorem": theorem.part,
    "lemmas": lemmas.part,
    "curves": curves.part,
    "heavy hitters": heavy.part,
    "quantiles": quantiles.part,
    "mistakes": mistakes.part,
}


def run(setting: Setting, tell: Tell) -> Reproduction:
    """All parts; the quick version has less of each."""
    found: list[Part] = []
    for name, part in PARTS.items():
        tell(name, len(found) / len(PARTS))
        found.append(part(setting))
    notes = [note for each in found for note in each.notes]
    return Reproduction(
        "sampling",
        "Sample and threshold: what is claimed, and what is so",
        tuple(table for each in found for table in each.tables),
        (*notes, *([setting.said("", there=True)] if setting.quick else [])),
        tuple(panel for each in found for panel in each.panels),
    )
