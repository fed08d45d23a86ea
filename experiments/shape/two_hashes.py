"""Squares of errors with two hashes (Theorem 22): two tables of buckets, each for half of epsilon.

Our copy of the paper has no proof of the theorem, so this is the notes' construction: two items of n / 2 people that
share a bucket cost n^2 / 2 squares, once in B cases; of two tables, one has hardly such a pair. Collisions only add to
the sum of the squares of all buckets, so the table with the smaller one is taken. Which one is a function of noisy
counts.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from experiments.parts import Part
from experiments.report import Setting, Table
from experiments.sampling.part import EPSILON
from experiments.shape.tables import sample_tables
from experiments.shape.ways import EM, noisy_cells, sorted_distance, summary
from headcount.estimate.shape.prevalence import Prevalence
from headcount.exact import Integers

SIZES = (1_000, 10_000, 100_000)
RUNS, TIMES = 20, 4
HALVES = "two items"
SOURCES = ("zipf 1", "zipf 1.3", "uniform", HALVES)
NOTES = (
    f"*Two hashes*: EM with bounds (l2), {TIMES} n buckets, epsilon 1, one person replaced, over {RUNS} tables. "
    "*One hash* has all of epsilon; *two hashes* have half each, and the table with the smaller sum of squares "
    "is taken (Theorem 22, as our notes have it: the proof is missing in our copy of the paper). *Two items* have "
    f"n / 2 people each; as they share a bucket once in {TIMES} n cases, the figure there is the mean over both "
    "cases, each of them measured.",
    "Half of epsilon is twice the noise, and that costs more than collisions do: on every table, also on the worst "
    "one, that of two items, with the error of n^2 / 2 that one hash has there once in 4 n cases. So the product has "
    "one hash. The staircase, which it takes if nothing else is said, has none.",
)


def part(setting: Setting) -> Part:
    """Several distributions."""
    sizes, runs = (SIZES[:1], 3) if setting.quick else (SIZES, RUNS)
    rows = [
        (source, f"{people:,}", *_row(source, people, runs, setting.seed)) for source in SOURCES for people in sizes
    ]
    heads = ("distribution", "n", "one hash", "two hashes", "one hash, no collision", "two hashes, no collision")
    return Part((Table("Squares of errors with two hashes", heads, tuple(rows)),), NOTES)


def one_hash(totals: Integers, buckets: int) -> Prevalence:
    """With all of epsilon."""
    return noisy_cells(totals, EPSILON, buckets).estimate(EM, "l2")


def two_hashes(totals: Integers, buckets: int) -> Prevalence:
    """Of two tables for half of epsilon each, that with fewer collisions."""
    both = [noisy_cells(totals, EPSILON * Fraction(1, 2), buckets) for _ in range(2)]
    return min(both, key=lambda each: float(np.square(each.noisy.astype(np.float64)).sum())).estimate(EM, "l2")


def _row(source: str, people: int, runs: int, seed: int) -> tuple[str, ...]:
    if source == HALVES:
        return _two_items(people, runs)
    tables = sample_tables(source, people, people, seed, runs)
    return (*(summary(_squares(way, tables, tables)) for way in (one_hash, two_hashes)), "-", "-")


def _squares(way: Callable[[Integers, int], Prevalence], hashed: list[Integers], tables: list[Integers]) -> list[float]:
    """Of all tables, if these are what is hashed."""
    return [
        sorted_distance(way(each, TIMES * int(each.sum())), true, power=2)
        for each, true in zip(hashed, tables, strict=True)
    ]


def _two_items(people: int, runs: int) -> tuple[str, ...]:
    """Means over both cases: the two are apart, or in one bucket; in both tables once in B^2 cases."""
    apart, shared = [np.array([people // 2] * 2)] * runs, [np.array([2 * (people // 2)])] * runs
    found = [(_squares(way, apart, apart), _squares(way, shared, apart)) for way in (one_hash, two_hashes)]
    chances = (1 / (TIMES * people), 1 / (TIMES * people) ** 2)
    means = [np.mean(own) + chance * np.mean(met) for (own, met), chance in zip(found, chances, strict=True)]
    return (*(f"{mean:,.0f}" for mean in means), *(summary(own) for own, _ in found))
