"""Squares of errors: Algorithm 1 with bounds (Appendix B)."""

from itertools import product

from experiments.parts import Part
from experiments.report import Setting, Table
from experiments.shape.tables import sample_tables
from experiments.shape.ways import CLIP, EM, PAPER, STAIRCASE, errors, noisy_cells, noisy_staircase, summary
from headcount.estimate.shape.prevalence import Prevalence
from headcount.estimate.shape.table import Loss
from headcount.exact import Integers

SIZES = (10_000, 100_000)
RUNS = 20
LOSSES: tuple[Loss, ...] = ("l1", "l2")
DIGEST = {CLIP: "18,529", f"{PAPER}, l1": "1,331", f"{PAPER}, l2": "1,331", f"{EM}, l1": "1,130"}
"""For 10,000 people."""
NOTES = (
    f"*Squares*: as in the first table, over {RUNS} tables; all squares of the differences of sorted counts added up. "
    "*l2*: no noisy cell may be further from its estimate than noise goes, with a chance of 95% for all of them "
    "together (of the staircase: where several columns are as near, those in the middle). On these tables it changes "
    "next to nothing, as the notes say of the paper's estimator.",
)


def part(setting: Setting) -> Part:
    """Both losses."""
    sizes, runs = (SIZES[:1], 3) if setting.quick else (SIZES, RUNS)
    found = [errors(sample_tables("zipf 1", people, people, setting.seed, runs), shapes, power=2) for people in sizes]
    rows = tuple(
        (way, *(summary(each[way], DIGEST.get(way, "") if not index else "") for index, each in enumerate(found)))
        for way in found[0]
    )
    return Part((Table("Squares of errors", ("way, loss", *(f"n = {people:,}" for people in sizes)), rows),), NOTES)


def shapes(totals: Integers) -> dict[str, Prevalence]:
    """By every way that has a loss to choose."""
    noisy = noisy_cells(totals)
    estimates = {f"{way}, {loss}": noisy.estimate(way, loss) for way, loss in product((PAPER, EM), LOSSES)}
    return (
        {CLIP: noisy.estimate(CLIP)}
        | estimates
        | {f"{STAIRCASE}, {loss}": noisy_staircase(totals).estimate(loss) for loss in LOSSES}
    )
