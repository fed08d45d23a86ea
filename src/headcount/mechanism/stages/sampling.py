"""Samples: the options that people type, and the event that follows from these and a budget."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, get_args

from headcount.account.calibration import rates
from headcount.account.calibration.rates import MAX_THRESHOLD, MIN_RATE
from headcount.account.composition.cost import native
from headcount.account.events import Neighbours
from headcount.account.events import SampleThreshold as Event
from headcount.account.guarantee import Cost
from headcount.errors import BadParameter
from headcount.exact import Number, rational, whole
from headcount.mechanism.options import choice
from headcount.wording.options import Options, options

Rule = Literal["exact", "paper"]


@dataclass(frozen=True)
class Sampling:
    """The given parameters of the sample."""

    p: Fraction | None = None
    """The probability of a coin."""
    theta: int | None = None
    """The threshold."""
    rule: Rule = "exact"
    """The relation of the two: by the exact price, or the paper's rule, which wastes most of the budget."""


EXACT_SAMPLING = Sampling()
"""A sample with no given parameters: the best for the budget."""


def parse_probability(name: str, p: Any, before: Mapping[str, Any]) -> Fraction:
    """The probability of a coin."""
    chance = rational("p", p, fix="p=0.25, or no p")
    if not 0 < chance < 1:
        raise BadParameter(f"p={p!r}: the chance to be in the sample, more than 0 and less than 1.", fix="p=0.25")
    if not MIN_RATE <= chance <= 1 - MIN_RATE:
        raise BadParameter(f"p={p!r}: so near to 0 or 1 that it cannot be meant.", fix="p=0.25")
    return chance


def parse_theta(name: str, theta: Any, before: Mapping[str, Any]) -> int:
    """The threshold of a sample."""
    minimum = whole("theta", theta, minimum=2, fix="theta=15, or no theta")
    if minimum > MAX_THRESHOLD:
        raise BadParameter(f"theta={theta}: at most {MAX_THRESHOLD:,}.", fix="theta=15, or no theta")
    return minimum


@options
class SampleOptions(Options):
    """Counts of a sample, without noise.

    p: the probability to be in the sample. It follows from theta, or both follow from epsilon and delta.
    theta: the smallest sampled count that is released.
    rule: the price: "exact" is what it truly costs, "paper" the rule of the paper, which wastes most of the budget.
    """

    parameter: ClassVar[str] = "mechanism"
    p: Annotated[Number | None, parse_probability] = None
    """The probability to be in the sample."""
    theta: Annotated[int | None, parse_theta] = None
    """The smallest sampled count that is released."""
    rule: Annotated[Rule, choice(*get_args(Rule))] = "exact"
    """The price: what it truly costs, or the rule of the paper."""

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [name for name in ("p", "theta") if getattr(self, name) is not None]
        if self.rule == "paper" and given:
            raise BadParameter(f'{given[0]} with rule="paper": the rule says what it is.', fix=f"no {given[0]}")

    @property
    def sampling(self) -> Sampling:
        """What a strategy takes."""
        return Sampling(**self.values)


def sampling(budget: Cost, items: int, neighbours: Neighbours, how: Sampling) -> Event:
    """The event of a sample in which one person has at most `items` reports."""
    if how.rule == "paper":
        return rates.paper(budget.epsilon, budget.delta, items=items, neighbours=neighbours)
    if how.p is None and how.theta is None:
        return rates.best(budget.epsilon, budget.delta, items=items, neighbours=neighbours)
    return Event(*_rate_and_threshold(budget, items, neighbours, how), items, neighbours, budget.epsilon)


def _rate_and_threshold(budget: Cost, items: int, neighbours: Neighbours, how: Sampling) -> tuple[Fraction, int]:
    """p and theta, of which at least one is given."""
    epsilon, delta = budget.epsilon, budget.delta
    if how.p is None:
        assert how.theta is not None
        return rates.largest_rate(epsilon, delta, threshold=how.theta, items=items, neighbours=neighbours), how.theta
    if how.theta is None:
        return how.p, rates.min_threshold(epsilon, delta, rate=how.p, items=items, neighbours=neighbours)
    price = native(Event(how.p, how.theta, items, neighbours, epsilon))
    if price.delta > delta:
        raise BadParameter(
            f"p={float(how.p):g}, theta={how.theta}: at epsilon={float(epsilon):g} that takes a delta of "
            f"{float(price.delta):.3g}.",
            fix=f"p={float(how.p):g} or theta={how.theta} alone: the other follows",
        )
    return how.p, how.theta
