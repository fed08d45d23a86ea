"""Mechanisms for items known in advance, as people request them; and the correction that needs the number of people."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from headcount.account.guarantee import Cost
from headcount.bound.selection.options import SQUARES
from headcount.bound.selection.profile import FromProfile
from headcount.errors import BadParameter
from headcount.exact import whole
from headcount.mechanism.known import correlated
from headcount.mechanism.known.strategy import SELECTIONS, KnownItemsStrategy, ShortListStrategy, ShortSumsStrategy
from headcount.mechanism.options import CountOptions, CountRequest, Debias
from headcount.mechanism.stages import clipped
from headcount.mechanism.strategy import Strategy
from headcount.wording.options import Options, options

MAX_PEOPLE = 10**12


def parse_people(name: str, people: Any, before: Mapping[str, Any]) -> int | str:
    """The number of people, if it is public; "count" if it is to be paid for."""
    if isinstance(people, str) and people == "count":
        return "count"
    there = whole("people", people, minimum=1, fix='people=100000 if that is public, or people="count" to pay for it')
    if there > MAX_PEOPLE:
        raise BadParameter(f"people={people}: at most {MAX_PEOPLE:,}.", fix="people=100000")
    return there


@options
class PoissonCounts(Options):
    """Undo what clipping removed, as if people's counts were Poisson: for events of items known in advance.

    people: the number of people, if it is public; "count" pays for it.
    """

    name: ClassVar[str] = "poisson"
    example: ClassVar[str] = "people=100000"
    parameter: ClassVar[str] = "debias"
    passed_on: ClassVar[tuple[str, ...]] = ("people",)
    people: Annotated[int | Literal["count"], parse_people]
    """The number of people, if it is public; "count" pays for it."""


@options
class Clipped(CountOptions):
    """Each person is held to a bound, and every item of a public list gets noise for it."""

    name: ClassVar[str] = clipped.Clipped.name
    listed: ClassVar[bool | None] = True
    ways: ClassVar[tuple[str, ...]] = ("auto", *SELECTIONS)
    bound_reason: ClassVar[str] = "counts are measured twice"
    gridded: ClassVar[bool] = True
    debiases: ClassVar[tuple[Debias, ...]] = ("auto", None, "ratio", "poisson")

    def strategy(self, request: CountRequest, budget: Cost, cells: int | None) -> KnownItemsStrategy:
        return known_items(request, budget, cells, explicit=True)

    def check_zero_delta(self, request: CountRequest) -> None:
        check_squares(request)


@options
class Correlated(CountOptions):
    """People, or amounts, of every item of a public list: noise with a common part. People are not bounded; each
    person's amount for an item is cut to [0, bound]."""

    name: ClassVar[str] = correlated.Correlated.name
    adds: ClassVar[bool] = True
    cuts_each: ClassVar[bool] = True
    listed: ClassVar[bool | None] = True
    people_only: ClassVar[bool] = True
    largest_bound: ClassVar[int] = 0
    bound_reason: ClassVar[str] = "it needs no bound"
    shared: ClassVar[bool] = False
    debiases: ClassVar[tuple[Debias, ...]] = ("auto",)

    def strategy(self, request: CountRequest, budget: Cost, cells: int | None) -> Strategy:
        assert cells is not None
        if request.sum:
            assert isinstance(request.bound, int)
            return ShortSumsStrategy(**request.common(budget), bound=request.bound, cells=cells)
        return ShortListStrategy(**request.common(budget), cells=cells, explicit=True)

    def check(self, request: CountRequest) -> None:
        super().check(request)
        if request.neighbours == "replace":
            raise BadParameter(
                f'{self.as_typed} with neighbours="replace": a common number hides nobody who is replaced.',
                fix='mechanism="auto", or neighbours="add-remove"',
            )

    def _check_bound(self, request: CountRequest) -> None:
        """A number cuts amounts; people need none."""
        if not request.sum:
            super()._check_bound(request)
        elif isinstance(request.bound, str):
            raise BadParameter(
                f'bound="{request.bound}" with sum and {self.as_typed}: a person\'s amount for one item is cut at a '
                "number.",
                fix='bound=50, the most that it may count, or mechanism="auto", which chooses a bound',
            )

    def check_target(self, request: CountRequest, target: Any) -> None:
        """The error follows from epsilon, whatever people have."""


def known_items(request: CountRequest, budget: Cost, cells: int | None, explicit: bool = False) -> KnownItemsStrategy:
    """The strategy that holds each person to a bound."""
    assert cells is not None
    return KnownItemsStrategy(
        **request.common(budget),
        cells=cells,
        count=request.count,
        bound=request.bound,
        grid=request.grid,
        debias=request.debias,
        people=request.people,
        explicit=explicit,
    )


def check_squares(request: CountRequest) -> None:
    """Refuse a delta of 0 with a bound on squares."""
    if request.bound in (*SQUARES, FromProfile.name):
        raise BadParameter(
            f'delta=0: bound="{request.bound}" is for Gaussian noise.', fix='delta=1e-6, or bound="auto"'
        )
