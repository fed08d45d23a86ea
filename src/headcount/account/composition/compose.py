"""Composition of events under the tightest of the accountants: `covers` and `tightest`.

Every accountant of `cost` and `pld` gives a valid upper bound by itself, so their minimum is one, too.
"""

from collections.abc import Sequence
from fractions import Fraction

from headcount.account.composition import pld
from headcount.account.composition.cost import basic, min_epsilon, split, zcdp
from headcount.account.curves import gaussian
from headcount.account.curves import zcdp as conversion
from headcount.account.curves.threshold import gaussian_delta, shares_delta
from headcount.account.events import Event, Gaussian
from headcount.account.guarantee import Cost


def covers(paid: Cost, events: Sequence[Event]) -> bool:
    """True if any accountant shows the events to be (epsilon, delta)-private; the quick ones are tried first."""
    try:
        return any(enough(paid, events) for enough in (_by_sum, _by_shared_delta, _by_zcdp, _by_pld))
    except OverflowError:  # parameters too extreme for floating point
        return False


def _by_sum(paid: Cost, events: Sequence[Event]) -> bool:
    own, noise = split(events)
    epsilon, delta = paid.epsilon - own.epsilon, paid.delta - own.delta
    return epsilon >= 0 and delta >= 0 and (not noise or gaussian.discrete_delta(epsilon, noise) <= delta)


def _by_shared_delta(paid: Cost, events: Sequence[Event]) -> bool:
    """For a single thresholded event: its Gaussian noise (and that of other events) and its threshold share delta; the
    remaining events are pure."""
    found = _single_threshold(events)
    if found is None:
        return False
    threshold, noise, pure = found
    return pure < paid.epsilon and gaussian_delta(paid.epsilon - pure, threshold, noise) <= paid.delta


def _single_threshold(events: Sequence[Event]) -> tuple[Event, list[Gaussian], Fraction] | None:
    """The only event with a threshold and Gaussian noise, the Gaussian noise of the others, and their summed epsilon;
    None unless there is exactly one such event and the others are pure or Gaussian."""
    thresholds = [event for event in events if shares_delta(event)]
    own, noise = split([event for event in events if event not in thresholds])
    return (thresholds[0], noise, own.epsilon) if len(thresholds) == 1 and not own.delta else None


def _by_zcdp(paid: Cost, events: Sequence[Event]) -> bool:
    total = zcdp(events)
    return conversion.delta(total.rho, paid.epsilon) + total.delta <= paid.delta


def _by_pld(paid: Cost, events: Sequence[Event]) -> bool:
    return pld.applies(events, paid.delta) and pld.epsilon(events, paid.delta) <= paid.epsilon


def tightest(events: Sequence[Event], delta: Fraction) -> Cost:
    """The least epsilon at this delta under any accountant."""
    candidates = [basic(events, delta)]
    if delta > zcdp(events).delta:
        candidates.append(zcdp(events).epsilon(delta))
    if pld.applies(events, delta):
        candidates.append(pld.epsilon(events, delta))
    if found := _single_threshold(events):
        threshold, noise, pure = found
        candidates.append(pure + min_epsilon(lambda epsilon: gaussian_delta(epsilon, threshold, noise), delta))
    return Cost(min(candidates), delta)
