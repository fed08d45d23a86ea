"""Figures 1 to 5: how many results, and how many of them are far off, against rho."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import isnan, nan

import numpy as np

from experiments.count_release.claims import Found, Measured, claims_table
from experiments.count_release.methods import COARSE, NAMES, PERCENTILE_EPSILON, TRUE, Trial, methods
from experiments.count_release.tables import TABLES, Pairs, read, synthetic
from experiments.pictures import Panel, Series
from experiments.report import Progress, Reproduction, Setting, Table, number

RHOS = ("0.1", "0.5", "1")
TRIALS = 10
COLUMNS = (
    "method",
    "private",
    *(column for rho in RHOS for column in (f"rho {rho}: results", "beyond 10%")),
    "m, m' at rho 1 (medians)",
)
STYLES = dict(
    zip([name for name in NAMES if name != COARSE], ("-o", "-D", ":s", ":^", ":x", "--s", "--^", "--x"), strict=True)
)
NOTES = (
    f"Means over {TRIALS} releases for each rho. *Beyond 10%*: of all results of these releases, the part whose count "
    "is off by more than 10% of the true one. Delta is 1e-6 for what only one person has; kbar = 10,000, the target is "
    "10%; Plume takes half of rho to find items and half to count them.",
    "*PCR as printed* (variant `rogers`): first epsilon 0.0005, root of 2 from level to level, delta 1e-11 for every "
    "selection. Repaired: the guard is the exact cost of what comes next (the printed epsilon²/4 is too little where "
    "sigma is below 2/epsilon), and c_(kbar+1) is looked at, so kbar + 1 rows are needed. *Delta once per level* is "
    "the variant `coarse`. `level` is what the product does.",
    "*True percentile*: **not private**, as in the paper: the bounds m and m' are those of the data. *Private 99th*: "
    f"the product's mechanism, which tells both with an epsilon of {float(PERCENTILE_EPSILON):g} together, beside rho. "
    "All figures are for one person added or removed. Few people in a far bin are not believed, so a private "
    "percentile is too low where 1% of the people are few (Online Retail), and once in some hundred draws noise is "
    "taken for people, which makes it far too high. Its thresholds are whole numbers, for discrete noise: with a "
    "bound of 1 they are higher.",
    "Errata of the paper: m' is not the l2 sensitivity of the counts, its root is; with m' as printed the threshold "
    "would be root-of-m' times higher. Theorem 6 lacks a rho under its root. The prose has root(2 epsilon) for the "
    "step to the next level, the algorithm root(2) epsilon.",
)
SUBSTITUTED = (
    "The paper's data are not at hand: stock tickers of 1,400,469 news items, one each (Figure 1); words of Reddit "
    "comments, of 340 people (Figure 2) and of 223,338 (Figure 3); words of Wikipedia abstracts (Figure 4); films of "
    "MovieLens (Figure 5). These are other tables: **no number here can be compared with the paper's figures**, whose "
    "numbers are not printed but for two lines of Figure 4. By how many items people have, Reddit domains (one each) "
    "is nearest to Figure 1, and Online Retail (many items, few people) to Figures 2 and 5."
)


def run(setting: Setting, progress: Progress) -> Reproduction:
    """Run on every table; the quick version has a small synthetic one."""
    found: dict[str, Found] = {}
    tables: list[Table] = []
    for name, pairs in _tables(setting):
        progress(name, len(found) / len(TABLES))
        found[name] = measure(pairs, setting)
        tables.append(Table(pairs.summary(name), COLUMNS, tuple(_cells(each, found[name]) for each in NAMES)))
    return Reproduction(
        "count-release",
        "Figures 1 to 5: results and their errors against rho",
        (*tables, *([claims_table(found)] if found else [])),
        (*NOTES, setting.data_note(SUBSTITUTED, available=bool(found))),
        tuple(panel for name, each in found.items() for panel in _panels(name, each)),
    )


def _tables(setting: Setting) -> Iterator[tuple[str, Pairs]]:
    if setting.quick:
        yield "synthetic", synthetic(np.random.default_rng(setting.seed))
        return
    for name in TABLES:
        if pairs := read(name, setting.data):
            yield name, pairs


def measure(pairs: Pairs, setting: Setting) -> Found:
    """Run every method at every rho, several times."""
    trials: dict[str, dict[str, list[Trial]]] = {rho: {name: [] for name in NAMES} for rho in RHOS}
    with methods(pairs, np.random.default_rng(setting.seed)) as every:
        for rho, method in product(RHOS, every):
            for _ in range(2 if setting.quick else TRIALS):
                for name, trial in method(Fraction(rho)).items():
                    trials[rho][name].append(trial)
    return {rho: {name: Measured(tuple(some)) for name, some in each.items()} for rho, each in trials.items()}


def _cells(name: str, found: Found) -> tuple[str, ...]:
    pairs = [(f"{found[rho][name].results:,.1f}", _part(found[rho][name].beyond)) for rho in RHOS]
    first, second = np.median([trial.bounds for trial in found[RHOS[-1]][name].trials], axis=0)
    bounds = f"{first:,.0f}, {second:,.0f}" if first else "-"
    return (name, "no" if name in TRUE else "yes", *(cell for pair in pairs for cell in pair), bounds)


def _part(beyond: float) -> str:
    return "-" if isnan(beyond) else number(beyond, 3) if beyond else "0"


def _panels(name: str, found: Found) -> tuple[Panel, Panel]:
    """Plot the number of results and the fraction with a large error, as the paper's figures do."""
    rhos = [float(rho) for rho in RHOS]

    def series(value: Callable[[Measured], float]) -> tuple[Series, ...]:
        return tuple(
            Series(each.replace("`", ""), rhos, [value(found[rho][each]) for rho in RHOS], style)
            for each, style in STYLES.items()
        )

    return (
        Panel(f"{name}: results", "rho", "results", series(lambda each: each.results or nan), "y", "none"),
        Panel(f"{name}: off by more than 10%", "rho", "part of them", series(lambda each: each.beyond), "", "beside"),
    )
