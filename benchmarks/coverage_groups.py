"""How often the intervals of hc.aggregate hold the true value, on tables that try to break them.

    python -m benchmarks.coverage_groups [--half fit|report] [--runs 5] [--epsilon 1] [--known] [--table NAME]

Synthetic families in two halves, as in panel.py: constants are set on one, figures reported on the other. Each line is
a family and a metric: the share of groups that are shown, the median relative error, the share of intervals that hold
the true value, their median half-width, relative to the value, and the share of releases that say the metric to be
*true*: the others say by how much it may be off, as a few people may have far more than everyone else.
"""

import argparse
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa

from headcount.jobs.aggregate import aggregate

METRICS = ("people", "events", "sum(x)", "mean(x)", "mean(x) per person", "median(x)")
MOST = 100_000
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]
"""People, groups, amounts."""


def visits(generator: np.random.Generator, people: int, groups: int, mean: float) -> tuple[np.ndarray, np.ndarray]:
    """People and groups of their events: a Poisson number of events, groups by Zipf's law."""
    events = generator.poisson(mean, people) + 1
    user = np.repeat(np.arange(people), events)
    weights = 1 / np.arange(1, groups + 1) ** 0.5
    return user, generator.choice(groups, len(user), p=weights / weights.sum())


def plain(generator: np.random.Generator) -> Rows:
    """Amounts that differ little."""
    user, group = visits(generator, 20_000, 50, 8)
    return user, group, generator.gamma(4, 10, len(user))


def skewed(generator: np.random.Generator) -> Rows:
    """Log-normal amounts: a few are very large."""
    user, group = visits(generator, 20_000, 50, 8)
    return user, group, generator.lognormal(3, 1.5, len(user))


def heavy_people(generator: np.random.Generator) -> Rows:
    """One person in a hundred spends thirty times as much."""
    user, group = visits(generator, 20_000, 50, 8)
    return user, group, generator.gamma(4, 10, len(user)) * np.where(user % 100 == 0, 30, 1)


def own_groups(generator: np.random.Generator) -> Rows:
    """People who spend ten times as much, in groups of their own."""
    user, group = visits(generator, 20_000, 50, 8)
    rich = user % 20 == 0
    return user, np.where(rich, group % 10, group), generator.gamma(4, 10, len(user)) * np.where(rich, 10, 1)


def unequal_groups(generator: np.random.Generator) -> Rows:
    """Mean amounts that differ between groups by a factor of twenty."""
    user, group = visits(generator, 20_000, 50, 8)
    return user, group, generator.gamma(4, 1, len(user)) * 20.0 ** (group / 50) * 5


def signed(generator: np.random.Generator) -> Rows:
    """Amounts of either sign."""
    user, group = visits(generator, 20_000, 50, 8)
    return user, group, generator.normal(20, 50, len(user))


def few(generator: np.random.Generator) -> Rows:
    """Two thousand people."""
    user, group = visits(generator, 2_000, 12, 5)
    return user, group, generator.gamma(4, 10, len(user))


def many_groups(generator: np.random.Generator) -> Rows:
    """Two thousand groups."""
    user, group = visits(generator, 50_000, 2_000, 10)
    return user, group, generator.lognormal(3, 0.7, len(user))


def one_each(generator: np.random.Generator) -> Rows:
    """One event of each person."""
    user = np.arange(50_000)
    return user, generator.integers(0, 30, len(user)), generator.gamma(4, 10, len(user))


def busy_people(generator: np.random.Generator) -> Rows:
    """A few people with very many events."""
    user, group = visits(generator, 20_000, 50, 4)
    more = np.repeat(np.arange(200), 500)
    groups = np.concatenate([group, generator.integers(0, 50, len(more))])
    return np.concatenate([user, more]), groups, generator.gamma(4, 10, len(groups))


def equal(generator: np.random.Generator) -> Rows:
    """Everybody is in every group, with the same amount."""
    user, group = (each.ravel() for each in np.meshgrid(np.arange(5_000), np.arange(20)))
    return user, group, np.full(len(user), 10.0)


def small_differ(generator: np.random.Generator) -> Rows:
    """Groups of 8,000 down to 80 people, with larger amounts the smaller they are."""
    sizes = np.geomspace(8_000, 80, 14).astype(int)
    group = np.repeat(np.arange(14), sizes)
    return generator.integers(0, 10_000, len(group)), group, generator.normal(40 + 5 * group, 8)


def executives(generator: np.random.Generator) -> Rows:
    """One group all of whose amounts are larger than anybody's in the others."""
    group = np.append(np.repeat(np.arange(16), 3_000), np.full(1_000, 16))
    return np.arange(len(group)), group, generator.normal(50, 5, len(group)) + np.where(group == 16, 45, 0)


def cents(generator: np.random.Generator) -> Rows:
    """Small amounts, many of them nought."""
    user, group = visits(generator, 20_000, 50, 8)
    return user, group, np.where(generator.random(len(user)) < 0.7, 0.0, generator.gamma(2, 0.05, len(user)))


FAMILIES: dict[str, tuple[str, Callable[[np.random.Generator], Rows]]] = {
    "plain": ("fit", plain),
    "log-normal": ("fit", skewed),
    "heavy people": ("fit", heavy_people),
    "unequal groups": ("fit", unequal_groups),
    "few people": ("fit", few),
    "one event each": ("fit", one_each),
    "own groups": ("report", own_groups),
    "either sign": ("report", signed),
    "many groups": ("report", many_groups),
    "busy people": ("report", busy_people),
    "everybody equal": ("report", equal),
    "cents": ("report", cents),
    "small groups differ": ("report", small_differ),
    "executives": ("report", executives),
}


def truth(rows: Rows) -> dict[str, dict[int, float]]:
    """The true value of each metric of each group."""
    user, group, amount = rows
    groups = np.unique(group)
    people = {each: len(np.unique(user[group == each])) for each in groups.tolist()}
    found: dict[str, dict[int, float]] = {metric: {} for metric in METRICS}
    for each in groups.tolist():
        own = amount[group == each]
        values = (people[each], len(own), own.sum(), own.mean(), own.sum() / people[each], np.median(own))
        for metric, value in zip(METRICS, values, strict=True):
            found[metric][each] = float(value)
    return found


def measured(rows: Rows, true: dict[str, dict[int, float]], epsilon: float, *, known: bool) -> dict[str, list[float]]:
    """Of each metric: shown, error, held, half-width, whether it is said to be true."""
    table = pa.table(dict(zip(("user", "group", "x"), rows, strict=True)))
    keys = sorted(true["people"]) if known else None
    ends = (-MOST, MOST) if rows[2].min() < 0 else (0, MOST)
    release = aggregate(table, user="user", by="group", metrics=METRICS, keys=keys, range=ends, epsilon=epsilon)
    shown, found = release.table.to_pydict(), {}
    for metric in METRICS:
        wanted = np.array([true[metric][each] for each in shown["group"]])
        value, low, high = (np.array(shown[f"{metric}{end}"]) for end in ("", "_low", "_high"))
        size = np.maximum(np.abs(wanted), 1e-9)
        found[metric] = [
            len(wanted) / len(true[metric]),
            float(np.median(np.abs(value - wanted) / size)),
            float(((low <= wanted) & (wanted <= high)).mean()),
            float(np.median((high - low) / 2 / size)),
            float(metric not in release.about.too_small),
        ]
    return found


def lines(options: argparse.Namespace) -> Iterator[str]:
    """One line for each family and metric."""
    yield "| family | half | metric | shown | median error | holds | half-width | true |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, (half, family) in FAMILIES.items():
        if options.half not in ("both", half) or options.table not in ("", name):
            continue
        rows = family(np.random.default_rng(1))
        true = truth(rows)
        runs = [measured(rows, true, options.epsilon, known=options.known) for _ in range(options.runs)]
        for metric in METRICS:
            shown, error, holds, width, said = np.mean([run[metric] for run in runs], axis=0)
            figures = f"{shown:.0%} | {error:.2%} | {holds:.1%} | {width:.2%} | {said:.0%}"
            yield f"| {name} | {half} | {metric} | {figures} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--half", choices=("fit", "report", "both"), default="both")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--known", action="store_true")
    parser.add_argument("--table", default="")
    for line in lines(parser.parse_args()):
        print(line, flush=True)


if __name__ == "__main__":
    main()
