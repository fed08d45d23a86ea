"""Other distributions, another epsilon, and more cells that nobody has."""

from fractions import Fraction
from itertools import product

from experiments.parts import Part
from experiments.report import Setting, Table
from experiments.shape.tables import SOURCES, sample_tables
from experiments.shape.ways import CLIP, EM, PAPER, STAIRCASE, errors, shapes, summary

RUNS = 20
WAYS = (CLIP, PAPER, EM, STAIRCASE)
SETTINGS = (("1", 100_000), ("0.5", 100_000), ("0.5", 10_000))
"""epsilon and n."""
TIMES = (1, 8)
"""Cells for each person."""
DIGEST = {
    ("1", 100_000, "zipf 1"): (("4,129", "3,380"), ("7,620", "5,352")),
    ("1", 100_000, "zipf 0.8"): (("3,748", "3,136"), ("12,447", "8,349")),
    ("1", 100_000, "uniform"): (("4,084", "3,264"), ("5,335", "5,165")),
    ("0.5", 100_000, "zipf 1"): (("13,682", "10,312"), ("31,056", "13,666")),
    ("0.5", 100_000, "zipf 0.8"): (("15,109", "9,500"), ("29,346", "16,841")),
    ("0.5", 100_000, "uniform"): (("10,596", "6,096"), ("18,099", "12,162")),
    ("0.5", 10_000, "zipf 1"): (("2,727", "1,332"), ("6,544", "2,262")),
    ("0.5", 10_000, "zipf 0.8"): (("2,682", "2,281"), ("4,298", "2,626")),
    ("0.5", 10_000, "uniform"): (("2,820", "1,338"), ("7,294", "2,084")),
}
"""By epsilon, n and distribution: the paper's estimator and EM, for each of `TIMES`."""
NOTES = (
    f"*Distributions*: as above, over {RUNS} tables each; *uniform* is n/10 items with the same chance. *D/n*: how "
    "many cells have noise, for each person. The staircase has no cells: it does not matter to it how many items "
    "could be there.",
)


def part(setting: Setting) -> Part:
    """All of them; the quick version has a tenth of the people, and few."""
    runs = 3 if setting.quick else RUNS
    settings = SETTINGS[2:] if setting.quick else SETTINGS
    rows = tuple(
        _row(epsilon, people, source, times, setting.seed, runs)
        for (epsilon, people), source, times in product(settings, SOURCES, TIMES)
    )
    return Part((Table("Error (l1) by distribution", ("epsilon", "n", "distribution", "D/n", *WAYS), rows),), NOTES)


def _row(epsilon: str, people: int, source: str, times: int, seed: int, runs: int) -> tuple[str, ...]:
    tables = sample_tables(source, people, times * people, seed, runs)
    found = errors(tables, lambda totals: shapes(totals, Fraction(epsilon)))
    digest = DIGEST.get((epsilon, people, source), (("", ""), ("", "")))[TIMES.index(times)]
    beside = dict(zip((PAPER, EM), digest, strict=True))
    cells = (summary(found[way], beside.get(way, "")) for way in WAYS)
    return (epsilon, f"{people:,}", source, str(times), *cells)
