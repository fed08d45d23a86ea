"""The time of a selection: a ladder of races over a million items, as a release of counts runs it.

    python -m benchmarks.race

Item i has a count of 3,000,000 / i. Each level weighs counts at a rate 2^(1/8) above the last one's and takes out what
rings before the stop, until 100,000 items have rung; then noise for what each level has found.
"""

from collections.abc import Iterator
from fractions import Fraction
from time import process_time

import numpy as np
from numpy.typing import NDArray

from headcount import noise
from headcount.exact import Integers
from headcount.noise.race import Race

ITEMS, LARGEST, WANTED = 1_000_000, 3_000_000, 100_000
FIRST, GROWTH = 5e-4, 2 ** (1 / 8)
FACTOR = Fraction(10) ** 6 / (Fraction(1, 10**6) / 100)
REPEATS = 3


class Counting(noise.SystemEntropy):
    """Production's entropy, which counts its words: one a tick, and one for the member of a group of several."""

    def __init__(self) -> None:
        self.drawn = 0

    def words(self, count: int) -> NDArray[np.uint64]:
        self.drawn += count
        return super().words(count)


def zipf() -> tuple[Integers, Integers]:
    """The different counts, descending, and how many items have each."""
    counts = np.maximum(1, np.rint(LARGEST / np.arange(1, ITEMS + 1))).astype(np.int64)
    scores, members = np.unique(counts, return_counts=True)
    return scores[::-1].copy(), members[::-1].copy()


def levels(entropy: noise.Entropy) -> Iterator[tuple[Fraction, int, float]]:
    """The rate of each level, how many items it found, and the CPU seconds of its race."""
    scores, members = zipf()
    wanted, rate = WANTED, FIRST
    while wanted:
        race = Race(Fraction(round(rate, 9)).limit_denominator(10**9), scores, members, 1, FACTOR)
        started = process_time()
        order = entropy.race(race, wanted)
        yield race.rate, len(order), process_time() - started
        groups = np.cumsum(members).searchsorted(order, side="right")
        members = members - np.bincount(groups, minlength=len(members))
        scores, members = scores[members > 0], members[members > 0]
        wanted, rate = wanted - len(order), rate * GROWTH


def gaussians(found: list[tuple[Fraction, int]]) -> float:
    """CPU seconds of the noise for what the levels found."""
    started = process_time()
    for rate, count in found:
        noise.discrete_gaussian(Fraction(6, 100) * 30 / rate, count)
    return process_time() - started


def main() -> None:
    """Print one line a run, and then the noise: with tables that are new, and with tables that are there."""
    print("| races, CPU s | levels | words | slowest level, ms |\n|---|---|---|---|")
    for _ in range(REPEATS):
        entropy = Counting()
        ladder = list(levels(entropy))
        times = [seconds for _, _, seconds in ladder]
        print(f"| {sum(times):.3f} | {len(ladder)} | {entropy.drawn:,} | {1000 * max(times):.1f} |")
    found = [(rate, count) for rate, count, _ in ladder]
    print(f"\nGaussian noise, CPU s: {gaussians(found):.3f}; once its tables are there: {gaussians(found):.3f}")


if __name__ == "__main__":
    main()
