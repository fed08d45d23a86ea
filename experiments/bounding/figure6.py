"""Figure 6: items known in advance, if nothing is known of how many a person has (s = d)."""

from collections.abc import Iterator

import numpy as np

from experiments.bounding.comparison import WAYS, Comparison, compare
from experiments.bounding.people import SUBSTITUTES, People, lognormal, substitute
from experiments.pictures import Panel, Series
from experiments.report import Progress, Reproduction, Setting, Table, number

ITEMS = (1000, 10_000)
COLUMNS = ("data", "d", "s", "C*", *(f"`{way}`" for way in WAYS))
NOTES = (
    "The paper's figure has no printed numbers. It says that with s = d dp-sgd stays near C*, and far better than the "
    "M-quantile: found on synthetic people and IRC words, with at most a tenth more than C*. At d = 1,000 ranks are "
    "the first to suffer: M is what about a hundred people of the largest r add (`inverse-sensitivity` on Reddit "
    "titles).",
    "As Figure 2, at d = 1,000 and d = 10,000, with s = d beside s = 0.1 d. Means over 100 private choices.",
)
SUBSTITUTED = "The paper's data are not at hand: IRC words and Reddit titles are substitutes."


def run(setting: Setting, progress: Progress) -> Reproduction:
    """Both numbers of items, on all data; the quick version has little of both."""
    found: list[tuple[str, int, Comparison]] = []
    for index, (name, items, people) in enumerate(_cases(setting)):
        progress(f"{name}, {items:,} items", index / 6)
        for sparsity in (items // 10, items):
            found.append((name, sparsity, compare(people, items, sparsity, 5 if setting.quick else 100, own=False)))
    names = {name for name, _, _ in found}
    return Reproduction(
        "bounding-figure6",
        "Figure 6: items known in advance, s = d",
        (Table("Mean relative loss", COLUMNS, tuple(_cells(*each) for each in found)),),
        (*NOTES, setting.data_note(SUBSTITUTED, available=len(names) > 1)),
        tuple(_panel(items, found) for items in sorted({each.cells for _, _, each in found})),
    )


def _cases(setting: Setting) -> Iterator[tuple[str, int, People]]:
    """(what data, how many items, the people)"""
    sizes, number_ = ((50,), 5_000) if setting.quick else (ITEMS, 100_000)
    for items in sizes:
        yield "synthetic", items, lognormal(number_, items, np.random.default_rng([setting.seed, number_, items]))
    for name in () if setting.quick else SUBSTITUTES:
        if people := substitute(name, setting.data):
            yield from ((name, items, people.most_frequent(items)) for items in sizes)


def _cells(name: str, sparsity: int, found: Comparison) -> tuple[str, ...]:
    ways = (number(found.ways[way]) for way in WAYS)
    return (name, f"{found.cells:,}", f"{sparsity:,}", number(found.best), *ways)


def _panel(items: int, found: list[tuple[str, int, Comparison]]) -> Panel:
    """The losses with s = d."""
    full = [(name, each) for name, sparsity, each in found if each.cells == sparsity == items]
    names = [name for name, _ in full]
    lines = [Series(way, names, [each.ways[way] / each.best for _, each in full], "o") for way in WAYS]
    return Panel(f"Figure 6, d = s = {items:,}", "", "times the loss with C*", tuple(lines))
