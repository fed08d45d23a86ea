"""All compared methods on one table: number of results, and number with an error above the target.

Private results are sampled by the product's classes, with the operating system's entropy.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from experiments.bounding.people import Random
from experiments.count_release.baseline import ALPHA, TARGET, NoisyCounts, plume_not_private
from experiments.count_release.tables import Pairs
from headcount.account.events import Adaptive
from headcount.bound import BoundedTop, TopItems
from headcount.bound.selection.plume import Discovering
from headcount.exact import Floats, Integers
from headcount.mechanism.baseline import plume
from headcount.mechanism.topk import count_release
from headcount.mechanism.topk.levels import VariantName
from headcount.noise import SystemEntropy
from headcount.source.contributions.contributions import Contributions
from headcount.source.frames.arrow_columns import whole_numbers

DELTA = Fraction(1, 10**6)
KBAR = 10_000
PERCENTILE_EPSILON = Fraction(1, 10)
"""The epsilon of the two private percentiles together, beside rho."""
PERCENTILES = {"95th": 0.95, "99th": 0.99}
PRINTED, COARSE, LEVEL = "PCR as printed", "PCR, delta once per level", "PCR, `level`: the product's"
VARIANTS: dict[str, VariantName] = {PRINTED: "rogers", COARSE: "coarse", LEVEL: "level"}
SYSTEM = SystemEntropy()


@dataclass(frozen=True)
class Trial:
    """One release."""

    results: int
    beyond: int
    """How many of them are off by more than the target."""
    bounds: tuple[int, int] = (0, 0)


def plume_name(percentile: str, *, threshold: bool) -> str:
    """What a way of running Plume is called."""
    return f"Plume{' + threshold' if threshold else ''}, {percentile} percentile"


TRUE = tuple(plume_name(f"true {part}", threshold=threshold) for threshold in (False, True) for part in PERCENTILES)
"""Not private."""
PRIVATE = tuple(plume_name("private 99th", threshold=threshold) for threshold in (False, True))
NAMES = (*VARIANTS, *(name for name in (*TRUE[:2], PRIVATE[0], *TRUE[2:], PRIVATE[1])))
Method = Callable[[Fraction], dict[str, Trial]]


@contextmanager
def methods(pairs: Pairs, random: Random) -> Iterator[list[Method]]:
    """Each is run with a rho, and gives one release of each of its kinds."""
    with pairs.as_people().on_engine().read() as table:
        yield [
            *(_one_after_another(ranked(pairs), name, variant) for name, variant in VARIANTS.items()),
            *(_true(pairs, percentile, part, random) for percentile, part in PERCENTILES.items()),
            lambda rho: _private(table, pairs, rho),
        ]


def ranked(pairs: Pairs) -> BoundedTop:
    """The most common items, as the product's engine lists them; an item is called by its rank."""
    listed, bounding = pairs.people[:KBAR], TopItems(KBAR)
    following = int(pairs.people[KBAR]) if pairs.domain > KBAR else 0
    names = pa.table({"item0": pa.array(np.arange(len(listed)))})
    return BoundedTop(names, listed, bounding.sensitivity, following, listed)


def _one_after_another(bounded: BoundedTop, name: str, variant: VariantName) -> Method:
    def run(rho: Fraction) -> dict[str, Trial]:
        mechanism = count_release.within(Adaptive(rho, DELTA), TopItems(KBAR), "add-remove", variant=variant)
        noisy = mechanism.run(bounded, SYSTEM)
        assert isinstance(noisy, count_release.NoisyFound)
        counts = np.asarray(mechanism.estimate(noisy).by_name["count"], dtype=np.float64)
        return {name: trial(bounded.totals[whole_numbers(noisy.items["item0"])], counts)}

    return run


def _true(pairs: Pairs, percentile: str, part: float, random: Random) -> Method:
    def run(rho: Fraction) -> dict[str, Trial]:
        return _both(plume_not_private(pairs, part, float(rho), float(DELTA), random), f"true {percentile}")

    return run


def _private(table: Contributions, pairs: Pairs, rho: Fraction) -> dict[str, Trial]:
    """The product's, from end to end on its engine."""
    part = Fraction(ALPHA) * rho
    chosen = Discovering(PERCENTILE_EPSILON, "add-remove", part, DELTA).draw(table, SYSTEM)
    mechanism = plume.within(rho - part, chosen, "add-remove")
    noisy = mechanism.run(chosen.bound(table, SYSTEM.secret(), None), SYSTEM)
    counts = pairs.people[whole_numbers(noisy.items["item0"])]
    bounds = chosen.discovery.items, chosen.limit
    return _both(NoisyCounts(counts, noisy.values.astype(np.float64), mechanism.deviation, bounds), "private 99th")


def _both(counts: NoisyCounts, percentile: str) -> dict[str, Trial]:
    """All that was found, and with a threshold."""
    return {
        plume_name(percentile, threshold=threshold): trial(each.true, each.noisy, each.bounds)
        for threshold, each in ((False, counts), (True, counts.above_threshold))
    }


def trial(true: Integers, counts: Floats, bounds: tuple[int, int] = (0, 0)) -> Trial:
    """How many results there are, and how many are off by more than the target."""
    return Trial(len(true), int(np.count_nonzero(np.abs(counts - true) > TARGET * true)), bounds)
