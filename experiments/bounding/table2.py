"""Table 2: how often one word is used, clipped, and undone as if counts were Poisson."""

import numpy as np

from experiments.bounding.debiasing import DebiasedLosses, release_losses
from experiments.bounding.paper import TABLE2
from experiments.bounding.people import SUBSTITUTES, People, Random, one_word
from experiments.bounding.selection import default_choice, largest_count_choice, select
from experiments.pictures import Panel, Series
from experiments.report import Progress, Reproduction, Setting, Table, number
from headcount.exact import Floats

FIXED_BOUNDS = (1, 2)
COLUMNS = ("data", "word", "C", "clipped", "undone", "chosen by")
NOTES = (
    "Epsilon 1, 0.1 for the choice of C; means and standard deviations over 200 choices of C, each with noise of its "
    "own. `quantile` is the paper's way (the count that one person exceeds), from 1, ..., 150; *default* is what the "
    "product does for one known item. The paper does not tell its C; its standard deviations, near 3e-5, are those of "
    "noise alone, with one small C.",
    "The paper finds a small gain from undoing with real words. With bounds as the two ways choose them there is next "
    "to none here: they are far above what a Poisson law with the word's mean would ever reach, so it says that "
    "nothing was cut away; most of what was cut belongs to a few people. With C = 1 or 2 there is a gain.",
)
SUBSTITUTED = "Sentiment140 is not at hand: IRC words and Reddit titles are substitutes, with the paper's three words."


def run(setting: Setting, progress: Progress) -> Reproduction:
    """The paper's rows, and three words of every real table that is there."""
    random, found = np.random.default_rng(setting.seed), {}
    tables = list(SUBSTITUTES)[:1] if setting.quick else SUBSTITUTES
    for index, (name, word) in enumerate((name, word) for name in tables for word in TABLE2):
        progress(f"{name}: {word}", index / 6)
        if people := one_word(name, word, setting.data):
            found[name, word] = _releases(people, random, 10 if setting.quick else 200)
    paper = [("Sentiment140, paper", word, "-", *map(number, losses), "not said") for word, losses in TABLE2.items()]
    ours = [_cells(*key, way, each) for key, several in found.items() for way, each in several.items()]
    return Reproduction(
        "bounding-table2",
        "Table 2: one word, clipping undone",
        (Table("Relative loss ± standard deviation", COLUMNS, (*paper, *ours)),),
        (*NOTES, setting.data_note(SUBSTITUTED, available=bool(found))),
        (_panel(found),),
    )


def _releases(people: People, random: Random, times: int) -> dict[str, DebiasedLosses]:
    table, ways = people.on_engine(), {"`quantile`": largest_count_choice(), "default": default_choice(people, 1)}
    bounds = {name: select(way, way.look(table), times) for name, way in ways.items()}
    bounds |= {f"C = {bound}": np.full(times, bound) for bound in FIXED_BOUNDS}
    return {name: release_losses(people, each, random) for name, each in bounds.items()}


def _cells(name: str, word: str, way: str, each: DebiasedLosses) -> tuple[str, ...]:
    return name, word, f"{each.bounds.mean():.1f}", _spread(each.clipped), _spread(each.undone), way


def _spread(losses: Floats) -> str:
    return f"{number(float(losses.mean()))} ± {number(float(losses.std()))}"


def _panel(found: dict[tuple[str, str], dict[str, DebiasedLosses]]) -> Panel:
    names = [*TABLE2, *(f"{name.split()[0]}\n{word}" for name, word in found)]
    mine = [each["C = 2"] for each in found.values()]
    clipped = [*(loss for loss, _ in TABLE2.values()), *(float(each.clipped.mean()) for each in mine)]
    undone = [*(loss for _, loss in TABLE2.values()), *(float(each.undone.mean()) for each in mine)]
    series = Series("clipped", names, clipped, "o"), Series("clipped, then undone", names, undone, "x")
    return Panel("Table 2: paper's words, and ours with C = 2", "", "relative loss", series, "y")
