"""Which mechanism, which way of choosing its bound, and how much noise: all from public numbers."""

from dataclasses import replace
from fractions import Fraction
from math import log, pi, sqrt
from statistics import NormalDist
from typing import Any

from headcount.account.cost import Cost
from headcount.account.threshold import people
from headcount.bound import (
    Bounding,
    Choice,
    SampledEvents,
    SampledItems,
    ScaledToSize,
    ScaledToSum,
    TopItems,
    TopSums,
    TwoScaleClip,
)
from headcount.bound.selection.amounts import UsualAmounts
from headcount.bound.selection.by_load import Generalized
from headcount.bound.selection.compare import ComparedSums
from headcount.bound.selection.plume import LARGEST_BOUND, Discovered, Discovering
from headcount.bound.selection.profile import MOST_ITEMS, FromProfile
from headcount.bound.top import PARTS
from headcount.errors import BadParameter
from headcount.mechanism.baseline import plume
from headcount.mechanism.distribution import strategy as distributed
from headcount.mechanism.known import clipped
from headcount.mechanism.mechanism import Mechanism, check_widths
from headcount.mechanism.ordered import strategy as ordered
from headcount.mechanism.sampled import sample_threshold
from headcount.mechanism.sampled.sample_threshold import MOST_REPORTS
from headcount.mechanism.shape import strategy as shaped
from headcount.mechanism.topk import count_release
from headcount.mechanism.unknown import thresholded, weighted
from headcount.mechanism.wish import KNOWN, LOOK, LOUDER, UNKNOWN, Finding, Wish, sigma
from headcount.source.contributions import LARGEST_COUNT

FEWEST, MOST = 20, 100
"""Nobody's items count for more than so many when a bound on known items is chosen: a tenth of all, within these."""
PAPER = 1500
"""The largest candidate of paper 000, which Algorithm 4 needs to be small."""
LARGEST_BY_RANK = 100
"""The largest candidate on known items where candidates are not compared by what they cost (known.py), if no grid is
given: where M is small, all above everybody are as likely as the best, and what is lost is in proportion to them."""


def choice_for(wish: Wish) -> Choice[Any] | None:
    """The way of choosing the bound; None if it is a number."""
    if wish.way is None:
        return None
    if wish.distributed:
        assert wish.cells is not None
        return distributed.choice(wish.distributed, wish.price, wish.rest, wish.neighbours, wish.cells, wish.bound)
    if wish.way == Discovering.name:
        return plume.discovering(wish.rest, wish.price, wish.neighbours)
    if wish.way == FromProfile.name:
        return FromProfile(wish.price, wish.neighbours, wish.largest, _small(wish), wish.mechanism != "weighted")
    if wish.finding:
        assert wish.finding.added
        return UsualAmounts(wish.price, wish.neighbours, wish.finding.most, wish.finding.added)
    if wish.ordered:
        return ordered.choice(wish.ordered, wish.price, wish.rest, wish.neighbours, _grid(wish, LARGEST_COUNT))
    return _on_loads(wish) if wish.cells is None or wish.sampled else _on_sizes(wish)


def _small(wish: Wish) -> int | None:
    """The small bound of two scales, if it was said."""
    if not isinstance(wish.bound, int):
        return None
    return wish.bound if wish.count == "users" else wish.bound**2


def _on_sizes(wish: Wish) -> Choice[Any]:
    assert wish.cells is not None
    assert wish.way is not None
    twice = people(wish.neighbours) if wish.cells > 1 else 1
    kind = ComparedSums if wish.way == ComparedSums.name and wish.laplace else KNOWN[wish.way]
    if wish.laplace:
        each, power = twice / float(wish.rest.epsilon), 1
    else:
        each = sigma(wish.rest) * sqrt(2 / pi * twice)
        power = 1 if wish.count == "users" else 2
    most = LARGEST_COUNT if wish.way == ComparedSums.name else LARGEST_BY_RANK
    grid = _grid(wish, min(wish.cells, most) if wish.count == "users" else most)
    squared = tuple(sorted({bound**power for bound in grid}))
    sparsity = min(max(wish.cells // 10, FEWEST), MOST)
    return kind(wish.price, wish.neighbours, wish.cells * each, wish.largest, squared, sparsity)


def _on_loads(wish: Wish) -> Choice[Any]:
    assert wish.way is not None
    largest = MOST_REPORTS if wish.sampled else MOST_ITEMS if wish.way == Generalized.name else PAPER
    grid = _grid(wish, largest)
    levels = [_level(wish, bound) for bound in grid] if not wish.sampled else _sampled_levels(wish, grid)
    kind = SampledItems if wish.count == "users" else SampledEvents
    thresholds, noise = (tuple(column) for column in zip(*levels, strict=True))
    return UNKNOWN[wish.way](wish.price, wish.neighbours, kind, grid, thresholds, noise)


def _grid(wish: Wish, largest: int) -> tuple[int, ...]:
    """The bounds to choose from: four in every doubling."""
    if wish.grid is not None:
        return wish.grid
    return tuple(sorted({min(round(2 ** (step / 4)), largest) for step in range(4 * largest.bit_length())}))


def _level(wish: Wish, bound: int) -> tuple[float, float]:
    """About which threshold a bound leads to, and how large its noise is: near enough to choose by."""
    epsilon, delta, twice = float(wish.rest.epsilon), float(wish.rest.delta), people(wish.neighbours)
    scale = twice * bound / epsilon
    laplace = 1 + scale * log(bound / (2 * delta)), scale
    if wish.count == "events":
        return laplace
    deviation = sigma(wish.rest) * sqrt(twice * bound)
    gaussian = 1 - deviation * NormalDist().inv_cdf(min(delta / bound, 0.5)), deviation * sqrt(2 / pi)
    return min(laplace, gaussian)


def _sampled_levels(wish: Wish, grid: tuple[int, ...]) -> list[tuple[float, float]]:
    """The same for samples."""
    return sample_threshold.levels(wish.rest, wish.neighbours, wish.sampling, grid, wish.cells)


LEAST, LEAST_PRICE, LEAST_REST = Fraction(1, 1000), Fraction(1, 100_000), Fraction(1, 2000)
"""The least epsilon of a release that chooses its bound, of the choice, and of what is left for the counts: below, a
bound says nothing about the data, and noise for the largest would not fit into 64 bits."""


def check_budget(wish: Wish) -> None:
    """Whether every bound that may be chosen has a mechanism. From public numbers, before anything is charged."""
    if wish.budget.epsilon < LEAST:
        raise BadParameter(
            f"epsilon={float(wish.budget.epsilon):g}: to choose a bound, it is at least 0.001.",
            fix="epsilon=0.1, or bound=20",
        )
    wish = after_all_looks(wish)
    rest = wish.rest.epsilon
    paid = wish.distributed is None or not wish.distributed.public
    if (paid and wish.price < LEAST_PRICE) or rest < LEAST_REST:
        raise BadParameter(
            f"share={float(wish.price / wish.budget.epsilon):g}: too little of epsilon for the choice, or for counts.",
            fix="share=0.05",
        )
    if wish.budget.delta > rest / 10:
        raise BadParameter(
            f"delta={float(wish.budget.delta):g}: to choose a bound, it is at most a tenth of epsilon.",
            fix="delta=1e-6",
        )
    if wish.distributed:
        _check_distributed(wish, wish.distributed)
    if wish.finding:
        check_widths(mechanism_for(wish, TopSums(wish.finding.most, 2 * PARTS - 1, "count")))  # the most parts
    if wish.ordered:
        check_widths(mechanism_for(wish, ordered.bounding(wish.ordered, LARGEST_COUNT)))
    if isinstance(choice := choice_for(wish), Discovering):
        for bound in (1, LARGEST_BOUND):
            check_widths(mechanism_for(wish, choice.example(bound)))


def _check_distributed(wish: Wish, asked: distributed.Distributed) -> None:
    """Whether whatever may be chosen has a mechanism."""
    assert wish.cells is not None
    for held in distributed.examples(asked, wish.rest, wish.neighbours, wish.cells, wish.bound):
        check_widths(mechanism_for(wish, held))


def after_all_looks(wish: Wish) -> Wish:
    """The same with as little left for counts as there may be: if all looks are taken that may follow the first."""
    later = LOOK + LOUDER if wish.suited else LOUDER if wish.way == UsualAmounts.name else 0
    return replace(wish, looks=wish.budget.epsilon * later)


def check_found(wish: Wish) -> None:
    """Whether anything can be found one after another."""
    wish = after_all_looks(wish)
    assert wish.finding is not None
    how = wish.finding
    count_release.check_worth(_found(wish, how, TopSums(how.most, 1, how.added) if how.added else TopItems(how.most)))


def mechanism_for(wish: Wish, chosen: Bounding | None = None) -> Mechanism:
    """The mechanism, with noise for what is left of the budget; `chosen` is the bound if it had to be chosen."""
    if chosen is None and wish.way is not None:
        raise BadParameter("the bound is not chosen yet.", fix="bound=20, or plan.release()")
    if wish.finding:
        return _found(wish, wish.finding, chosen)
    if wish.distributed:
        assert wish.cells is not None
        return distributed.mechanism(wish.distributed, wish.rest, chosen, wish.neighbours, wish.cells, wish.bound)
    if wish.shaped:
        return shaped.mechanism(wish.shaped, wish.rest.epsilon, _number(wish), wish.neighbours, wish.cells)
    if wish.ordered:
        held = chosen or ordered.bounding(wish.ordered, 1 if wish.ordered.sampled else _number(wish))
        return ordered.mechanism(wish.ordered, wish.rest, held, wish.neighbours)
    if wish.sampled:
        kept = chosen or SampledItems(_number(wish))
        assert isinstance(kept, SampledItems)
        return sample_threshold.calibrated(wish.rest, kept, wish.neighbours, wish.sampling, cells=wish.cells)
    if wish.cells is None:
        return _unknown(wish, chosen or (SampledItems if wish.count == "users" else SampledEvents)(_number(wish)))
    return _known(wish, chosen)


def _found(wish: Wish, how: Finding, chosen: Bounding | None) -> count_release.CountRelease:
    if chosen is None:
        chosen = TopSums(how.most, _number(wish), how.added) if how.added else TopItems(how.most)
    assert isinstance(chosen, TopItems)
    return count_release.calibrated(
        wish.rest,
        chosen,
        wish.neighbours,
        variant=how.variant,
        target=how.target,
        k=how.k,
        first_epsilon=how.first_epsilon,
        selection_delta=how.selection_delta,
    )


def _number(wish: Wish) -> int:
    assert isinstance(wish.bound, int)
    return wish.bound


def _unknown(wish: Wish, bounding: Bounding) -> Mechanism:
    if isinstance(bounding, TopItems):
        return count_release.calibrated(wish.rest, bounding, wish.neighbours)
    if isinstance(bounding, Discovered):
        return plume.calibrated(wish.rest, bounding, wish.neighbours, target=wish.target)
    if isinstance(bounding, TwoScaleClip):
        return weighted.calibrated(wish.rest, bounding, wish.neighbours, ratio=wish.debias is not None)
    assert isinstance(bounding, SampledItems | SampledEvents)
    return thresholded.calibrated(wish.rest, bounding, wish.neighbours)


def _known(wish: Wish, chosen: Bounding | None) -> Mechanism:
    def counted(budget: Cost) -> clipped.Clipped:
        return _clipped(wish, budget, chosen)

    if wish.debias == "ratio":
        return clipped.measuring(wish.rest, "taken", counted)
    if wish.debias == "poisson" and wish.people == "count":
        return clipped.measuring(wish.rest, "people", counted)
    return counted(wish.rest)


def _clipped(wish: Wish, budget: Cost, chosen: Bounding | None) -> clipped.Clipped:
    assert wish.cells is not None
    if chosen is None and wish.debias == "poisson":  # which is about sums
        chosen = ScaledToSum(_number(wish), _number(wish))
    if isinstance(chosen, ScaledToSum):
        return clipped.laplace(budget, chosen, wish.cells, wish.neighbours)
    if isinstance(chosen, ScaledToSize):
        return clipped.gaussian(budget, chosen, wish.cells, wish.neighbours)
    return clipped.calibrated(
        budget, count=wish.count, bound=_number(wish), cells=wish.cells, neighbours=wish.neighbours
    )
