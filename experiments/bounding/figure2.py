"""Figure 2: items known in advance, with more and more of them: every way of choosing the bound beside C*."""

from collections.abc import Iterator

import numpy as np

from experiments.bounding.comparison import WAYS, Comparison, compare
from experiments.bounding.people import SUBSTITUTES, People, lognormal, substitute
from experiments.pictures import Panel, Series
from experiments.report import Progress, Reproduction, Setting, Table, number

ITEMS = (100, 200, 500, 1000, 2000, 5000)
DRAWS = 100
COLUMNS = ("data, d", "C*", "default", "default / C*", *(f"`{way}`" for way in WAYS))
NOTES = (
    "The paper's figure has no printed numbers. What it shows is: dp-sgd near C*, output perturbation above, the "
    "M-quantile far above. That is found on synthetic people and IRC words, but for small d, where output perturbation "
    "is the worst. On Reddit titles, where nobody has more than 52 words, only output perturbation as printed stands "
    "out from d = 500 on.",
    "Epsilon 1, 0.1 for the choice, delta = 1/(2n), s = 0.1 d, bounds up to 150 (the paper's Appendix D.1, Figure 5, "
    "has the same for output perturbation); *default* is what the product does if nothing is said. Gaussian noise by "
    f"the analytic calibration; means over {DRAWS} private choices, and over the noise in closed form.",
    "Synthetic people are those of `bounding-known`, 100,000 of them.",
)
SUBSTITUTED = (
    "Sentiment140 and SNAP are not at hand. IRC words and Reddit titles stand in their place, with their d most "
    "frequent words: substitutes."
)


def run(setting: Setting, progress: Progress) -> Reproduction:
    """All data and all numbers of items; the quick version has little of both."""
    sizes = (20, 50) if setting.quick else ITEMS
    found: dict[str, list[Comparison]] = {}
    for index, (name, items, people) in enumerate(_cases(setting, sizes)):
        progress(f"{name}, {items:,} items", index / 18)
        each = compare(people, items, max(items // 10, 1), 5 if setting.quick else DRAWS)
        found.setdefault(name, []).append(each)
    rows = tuple(_cells(f"{name}, {each.cells:,}", each) for name, several in found.items() for each in several)
    return Reproduction(
        "bounding-figure2",
        "Figure 2: items known in advance",
        (Table("Mean relative loss", COLUMNS, rows),),
        (*NOTES, setting.data_note(SUBSTITUTED, available=len(found) > 1)),
        tuple(_panel(name, several) for name, several in found.items()),
    )


def _cases(setting: Setting, sizes: tuple[int, ...]) -> Iterator[tuple[str, int, People]]:
    """(what data, how many items, the people)"""
    number_ = 5_000 if setting.quick else 100_000
    for items in sizes:
        yield "synthetic", items, lognormal(number_, items, np.random.default_rng([setting.seed, number_, items]))
    for name in () if setting.quick else SUBSTITUTES:
        if people := substitute(name, setting.data):
            yield from ((name, items, people.most_frequent(items)) for items in sizes)


def _cells(name: str, found: Comparison) -> tuple[str, ...]:
    mine = number(found.best), number(found.default), number(found.ratio, 3)
    return (name, *mine, *(number(found.ways[way]) for way in WAYS))


def _panel(name: str, found: list[Comparison]) -> Panel:
    items = [each.cells for each in found]
    lines = [Series(way, items, [each.ways[way] for each in found]) for way in WAYS]
    ours = Series("default", items, [each.default for each in found], "-D")
    best = Series("C*", items, [each.best for each in found], "--")
    return Panel(f"Figure 2, {name}", "d", "relative loss", (best, ours, *lines), "xy")
