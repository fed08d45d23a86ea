"""The error against the number of people, from far too few on."""

from collections.abc import Mapping

import numpy as np

from experiments.distribution.people import sample_people
from experiments.distribution.ways import WAYS, Errors, default_method, errors, lines, summary
from experiments.parts import Part
from experiments.pictures import Panel
from experiments.report import Setting, Table, number

DRAWS = 100
PEOPLE = {100: (100, 200, 300, 400, 600, 1_000, 3_000, 10_000, 30_000), 1_000: (1_000, 3_000, 10_000, 30_000, 100_000)}
"""For each number of items."""
RUNS, LARGE = 10, 30_000
"""Number of people from which on one group is enough: errors vary little."""
_WAYS = ("laplace", "gaussian", "recentred", "ks", "sparse")
_DIGEST = {
    (100, 100): ".98|1.21|1.46|1.59|1.78",
    (100, 300): ".42|.76|.71|1.51|1.65",
    (100, 1_000): ".187|.378|.101|.108|.97",
    (100, 3_000): ".061|.154|.033|.035|.36",
    (100, 10_000): ".020|.047|.013|.012|.017",
    (1_000, 1_000): ".82|1.01|1.02|.48|1.94",
    (1_000, 3_000): ".42|.68|.28|.195|1.31",
    (1_000, 10_000): ".167|.328|.091|.076|.100",
    (1_000, 100_000): ".0206|.0482|.0111|.0119|.0120",
}
DIGEST = {index: dict(zip(_WAYS, line.split("|"), strict=True)) for index, line in _DIGEST.items()}
NOTES = (
    f"*Error against s*: zipf, m = {DRAWS}, one person replaced; else as before. *Chosen* is what auto takes, by the "
    "error that is *foreseen* from k, s and m alone. With too few people nothing is better than noise on counts: "
    "rounds do not find their way, and of all hypotheses each is about as likely to be selected.",
)


def part(setting: Setting) -> Part:
    """For both numbers of items."""
    sizes = {100: PEOPLE[100][1:6:4]} if setting.quick else PEOPLE
    found = {cells: {many: _measured(cells, many, setting) for many in several} for cells, several in sizes.items()}
    rows = tuple(_row(cells, many, each) for cells, some in found.items() for many, each in some.items())
    table = Table(f"Error (l1) against s, zipf, m = {DRAWS}", ("k", "s", *WAYS, "chosen", "foreseen"), rows)
    return Part((table,), NOTES, tuple(_panel(cells, some) for cells, some in found.items()))


def _measured(cells: int, many: int, setting: Setting) -> Errors:
    runs = 1 if setting.quick or many >= LARGE else RUNS
    return errors([sample_people("zipf", cells, many, DRAWS, setting.seed, run) for run in range(runs)])


def _row(cells: int, many: int, found: Errors) -> tuple[str, ...]:
    digest = DIGEST.get((cells, many), {})
    method, foreseen = default_method(cells, many, DRAWS)
    means = (summary(found[way], digest.get(way, "")) for way in WAYS)
    return (f"{cells:,}", f"{many:,}", *means, method, number(foreseen))


def _panel(cells: int, found: Mapping[int, Errors]) -> Panel:
    means = {way: [float(np.mean(each[way])) for each in found.values()] for way in WAYS}
    title = f"Error against the number of people: k = {cells:,}, m = {DRAWS}"
    return Panel(title, "s", "l1", lines(list(found), means), "xy", "beside")
