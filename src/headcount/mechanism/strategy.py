"""Strategies: how a family of mechanisms answers within a budget. Which bound is selected privately, which mechanism
follows from the bound, and how accurate the answer will be: all from public numbers, before any row is read.

A strategy that selects its bound pays for that out of its own epsilon: `price` for the selection, `reserved` for other
private statistics, `rest` for the mechanism. `check` refuses a budget for which some bound that may be selected has no
mechanism, so that nothing can fail once the ledger is charged.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Self

from headcount.account.calibration import calibrate
from headcount.account.events import Event, Laplace, Neighbours
from headcount.account.guarantee import Cost
from headcount.bound import Bounding
from headcount.bound.selection.people import PeopleCount
from headcount.bound.selection.selection import BoundSelection, Selected
from headcount.errors import BadParameter
from headcount.mechanism.mechanism import AnyMechanism, check_widths
from headcount.wording import counted_items, format_number

DEFAULT_SELECTION = "generalized"
"""The selection of the bound by default, of known items and of unknown ones."""
EXAMPLE_BOUNDS = (1, 10, 100)
"""Bounds for which a plan shows the error, while the bound is not selected yet."""
MIN_EPSILON, MIN_PRICE, MIN_REST = Fraction(1, 1000), Fraction(1, 100_000), Fraction(1, 2000)
"""The smallest epsilon of a release that selects its bound, of the selection, and of what is left for the counts:
below, a selected bound says nothing about the data, and noise for the largest would not fit into 64 bits."""
SECOND_PROFILE_SHARE = Fraction(10, 100)
"""The share of epsilon of a second profile, taken only if the first one showed nothing."""
PEOPLE_PER_THRESHOLD = 20
"""Tables with fewer people than this many thresholds show hardly any item (measured: docs/evidence.md)."""
NOISE_ONLY = "95%, noise only"
"""What a forecast of an error covers."""
Forecast = list[tuple[str, str]]
"""Lines of a plan: a label (error, appear, ...), empty for a line that continues the one before, and a sentence."""


@dataclass(frozen=True, kw_only=True)
class Strategy(ABC):
    """The answer of a family of mechanisms within a budget."""

    budget: Cost
    """The price that the whole release may have."""
    neighbours: Neighbours
    bound: int | str = "auto"
    """The most that one person may contribute, or how it is selected."""
    share: Fraction | None = None
    """The share of epsilon for selecting the bound, if it is given."""
    people_count: PeopleCount | None = None
    """A noisy count of all people that is released together with the answer."""
    later: Fraction = Fraction(0)
    """Epsilon of the selections after the first one."""

    @property
    def selection(self) -> BoundSelection[Any] | None:
        """The private selection of the bound; None if the bound is given."""
        return None

    @abstractmethod
    def mechanism(self, bounding: Bounding | None = None) -> AnyMechanism:
        """The mechanism with noise for `rest`, for the selected bounding; without one, for the bound that is given."""

    def next_selection(self, chosen: Selected, earlier: Sequence[BoundSelection[Any]]) -> BoundSelection[Any] | None:
        """The selection after the `earlier` ones, the last of which led to `chosen`; None if everything is decided."""
        return None

    def after(self, selection: BoundSelection[Any]) -> Self:
        """The strategy once a further selection is paid for."""
        return replace(self, later=self.later + selection.epsilon)

    @property
    def selects(self) -> str:
        """The name of the private selection of the bound; empty if the bound is given."""
        if isinstance(self.bound, int):
            return ""
        return DEFAULT_SELECTION if self.bound == "auto" else self.bound

    @property
    def default_share(self) -> Fraction:
        """The share of epsilon of that selection, unless another one is given."""
        return BoundSelection.default_share

    @property
    def price(self) -> Fraction:
        """Epsilon of the first selection."""
        return self.budget.epsilon * (self.share or self.default_share) if self.selects else Fraction(0)

    @property
    def later_share(self) -> Fraction:
        """The largest share of epsilon that later selections may take."""
        return Fraction(0)

    @property
    def reserved(self) -> Fraction:
        """Epsilon of other private statistics: later selections, the number of people."""
        return self.later + (self.people_count.epsilon if self.people_count else 0)

    @property
    def rest(self) -> Cost:
        """The budget that is left for the mechanism."""
        return Cost(self.budget.epsilon - self.price - self.reserved, self.budget.delta)

    @property
    def leanest(self) -> Self:
        """The strategy with the smallest possible rest for the mechanism: every later selection is taken."""
        return replace(self, later=self.budget.epsilon * self.later_share)

    @property
    def pure(self) -> bool:
        """True if no delta is spent."""
        return self.selection is None and isinstance(self.given().event, Laplace)

    @property
    def extra_events(self) -> tuple[Event, ...]:
        """Privacy events besides the selections and the mechanism."""
        return self.people_count.events if self.people_count else ()

    def given(self) -> AnyMechanism:
        """The mechanism of a given bound; raises BadParameter if the bound is still to be selected."""
        if self.selection is not None:
            given = isinstance(self.bound, int)
            what, fix = (
                ("noise follows from a profile.", "") if given else ("the bound is not chosen yet.", "bound=20, or ")
            )
            raise BadParameter(what, fix=f"{fix}plan.release()")
        return self._fixed_mechanism

    @cached_property
    def _fixed_mechanism(self) -> AnyMechanism:
        return self.mechanism()

    @property
    def error(self) -> float:
        """The 95% quantile of the absolute error of a count, through noise, if the bound is given."""
        return self.given().error

    def check(self) -> None:
        """Refuse a budget that could fail after the charge: every bound that may be selected has a mechanism."""
        if self.selection is None:
            check_widths(self.given())
            return
        self._check_budget()
        for bounding in self.leanest.extremes():
            check_widths(self.leanest.mechanism(bounding))

    def extremes(self) -> Sequence[Bounding]:
        """The extreme boundings that may be selected, if their noise is not known to fit into 64 bits."""
        return ()

    def _check_budget(self) -> None:
        """Refuse too little epsilon, or too much delta, for selecting a bound."""
        if self.budget.epsilon < MIN_EPSILON:
            raise BadParameter(
                f"epsilon={float(self.budget.epsilon):g}: to choose a bound, it is at least 0.001.",
                fix="epsilon=0.1, or bound=20",
            )
        rest = self.leanest.rest.epsilon
        if 0 < self.price < MIN_PRICE or rest < MIN_REST:
            share = float(self.price / self.budget.epsilon)
            raise BadParameter(
                f"share={share:g}: too little of epsilon for the choice, or for counts.",
                fix="bound=hc.ChosenBound(share=0.05)",
            )
        if self.budget.delta > rest / 10:
            raise BadParameter(
                f"delta={float(self.budget.delta):g}: to choose a bound, it is at most a tenth of epsilon.",
                fix="delta=1e-6",
            )

    @abstractmethod
    def forecast(self, item: str, unit: str) -> Forecast:
        """Predict the accuracy of the answer, in lines for a plan."""

    @property
    def on_large_amounts(self) -> str:
        """What becomes of a few people who have far more than all others, in sentences; empty if nobody can."""
        return ""

    def outlook(self, item: str) -> str:
        """Describe in a sentence what follows the selection of the bound."""
        return (
            f"headcount holds each person to that bound. It adds noise to the count of every {item} that is left, and "
            "shows those whose noisy count reaches a threshold."
        )


def error_line(error: str, scope: str = NOISE_ONLY) -> tuple[str, str]:
    """The forecast of the error, in one line: only its noise is known in advance."""
    return "error", f"Expected error ({scope}): {error}."


def error_table(errors: Sequence[str], cases: Sequence[str], scope: str = NOISE_ONLY) -> Forecast:
    """The forecast of the error, a line for each number of items that nearly everyone may have: the bound, which is
    selected later, follows from that number."""
    lines = [
        f"{error} if nearly everyone has {number}" for error, number in zip(dict.fromkeys(errors), cases, strict=False)
    ]
    return [("error", f"Expected error ({scope}):"), *(("", line) for line in lines)]


def at_most(item: str, bounds: Sequence[int] = EXAMPLE_BOUNDS) -> list[str]:
    """Format numbers of items that a person has: "1 song", "at most 10 songs"."""
    return [f"{'at most ' * (bound > 1)}{counted_items(bound, item)}" for bound in bounds]


def all_appear(item: str) -> tuple[str, str]:
    """The forecast that every item of a public list is released."""
    return "appear", f"Every {item} of the public list appears."


def few_people(mechanism: AnyMechanism) -> str:
    """Say how many people are too few for a threshold, and what helps."""
    fewest = float(f"{PEOPLE_PER_THRESHOLD * (mechanism.visible_from or 1) / mechanism.bounding.unit:.1g}")
    return (
        f"With fewer than about {fewest:,.0f} people in the table, hardly anything will appear. A public list of items "
        "(keys), coarser items or a larger epsilon help."
    )


def format_visible_from(mechanism: AnyMechanism) -> str:
    """Format the count that an item needs to be released; empty if all are."""
    return "" if mechanism.visible_from is None else format_number(mechanism.visible_from / mechanism.bounding.unit)


def given_forecast(mechanism: AnyMechanism, item: str, unit: str) -> Forecast:
    """The forecast of a mechanism whose bound is given."""
    minimum = format_visible_from(mechanism)
    shown = ("appear", f"To appear, each {item} needs about {minimum} {unit}.") if minimum else all_appear(item)
    return [error_line(f"{format_number(mechanism.error)} {unit}"), shown]


def bound_grid(grid: tuple[int, ...] | None, largest: int) -> tuple[int, ...]:
    """The candidate bounds: those given, or four in every doubling."""
    if grid is not None:
        return grid
    return tuple(sorted({min(round(2 ** (step / 4)), largest) for step in range(4 * largest.bit_length())}))


@lru_cache(maxsize=100)
def sigma(budget: Cost) -> float:
    """The standard deviation of Gaussian noise for a sensitivity of 1: near enough to compare mechanisms by."""
    return float(calibrate.analytic_sigma(budget.epsilon, budget.delta))
