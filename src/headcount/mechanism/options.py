"""Mechanisms that count items, as people request them: what a request decides by, and what each mechanism goes with.

A class of options says which items, bounds and corrections its mechanism goes with; one check refuses all others. It
also makes the strategy: so a job knows no mechanism, and a mechanism adds no parameter to a job."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.bound.selection.options import PAPER_BOUNDS, SQUARES
from headcount.errors import BadParameter
from headcount.exact import one_of, positive, rational
from headcount.mechanism.strategy import Strategy
from headcount.wording.options import Options, Parser, options

Debias = Literal["auto", "ratio", "poisson"] | None
Count = Literal["users", "events"]
Noise = Literal["laplace", "gaussian"]
ANY_BOUND = 2**63
"""No limit on a bound that is given."""
MIN_ERROR = Fraction(1, 10**6)
TARGET = Fraction(1, 10)
"""The default relative error that counts may have."""


@dataclass(frozen=True, kw_only=True)
class CountRequest:
    """What decides how items are counted: those of a histogram, heavy hitters, or the one item of a total."""

    known: bool
    """True if the items are known in advance."""
    neighbours: Neighbours = "add-remove"
    count: Count = "users"
    sum: str = ""
    """The column whose amounts are added up; empty if people or events are counted."""
    bound: int | str = "auto"
    share: Fraction | None = None
    """The share of epsilon for selecting the bound, if it is given."""
    grid: tuple[int, ...] | None = None
    """The bounds to select from, if they are given."""
    debias: Debias = "auto"
    people: int | str | None = None
    """The number of people, if it is public; "count" if it is to be measured."""

    def common(self, budget: Cost) -> dict[str, Any]:
        """The fields that every strategy has."""
        return {"budget": budget, "neighbours": self.neighbours, "share": self.share}


@options
class CountOptions(Options):
    """A mechanism that counts items, with its options."""

    parameter: ClassVar[str] = "mechanism"
    adds: ClassVar[bool] = False
    """True if it adds up amounts."""
    cuts_each: ClassVar[bool] = False
    """True if a bound that is given for amounts is the most that a person's amount for one item counts; else it is one
    on the norm of all of them."""
    listed: ClassVar[bool | None] = None
    """True if it is for items known in advance, False for others, None for both."""
    people_only: ClassVar[bool] = False
    """True if it does not count events."""
    ways: ClassVar[tuple[str, ...]] = ("auto",)
    """The ways in which its bound may be chosen."""
    largest_bound: ClassVar[int] = ANY_BOUND
    """The largest bound that can be given; 0 if none can."""
    bound_reason: ClassVar[str] = "nothing is chosen"
    """Why it takes no other bound."""
    shared: ClassVar[bool] = True
    """True if choosing its bound may take another share of epsilon."""
    profiles: ClassVar[bool] = False
    """True if that share is also needed with a bound that is given."""
    gridded: ClassVar[bool] = False
    """True if the bounds to choose from may be given."""
    debiases: ClassVar[tuple[Debias, ...]] = ("auto", None)
    """The corrections that it goes with."""
    debias_reason: ClassVar[str] = "nothing is removed"
    """Why it goes with no other."""

    @abstractmethod
    def strategy(self, request: CountRequest, budget: Cost, cells: int | None) -> Strategy:
        """The strategy for a budget; `cells` is the number of public items."""

    def check(self, request: CountRequest) -> None:
        """Refuse what the mechanism does not go with."""
        if request.sum and not self.adds:
            raise BadParameter(
                f"sum={request.sum!r} with {self.as_typed}: it counts people or events.",
                fix='mechanism="auto", or mechanism="count-release"',
            )
        self._check_items(request)
        _check_paper(request)
        self._check_bound(request)
        self._check_choice(request)
        _check_poisson(request)
        if request.debias not in self.debiases:
            raise BadParameter(
                f"debias={request.debias!r} with {self.as_typed}: {self.debias_reason}.", fix="no debias"
            )

    def _check_items(self, request: CountRequest) -> None:
        if self.listed and not request.known:
            raise BadParameter(
                f"{self.as_typed} is for items known in advance.",
                fix='keys=["apple", "pear"], or mechanism="auto"',
            )
        if self.listed is False and request.known:
            raise BadParameter(
                f"{self.as_typed} is for items not known in advance.",
                fix='no keys and bins, or mechanism="clipped"',
            )
        if self.people_only and request.count == "events":
            raise BadParameter(f"{self.as_typed} counts people.", fix='count="users", or mechanism="auto"')

    def _check_bound(self, request: CountRequest) -> None:
        named = isinstance(request.bound, str)
        if request.bound in self.ways or (not named and self.largest_bound == ANY_BOUND):
            return
        if named or not self.largest_bound:
            raise BadParameter(
                f"bound={request.bound!r} with {self.as_typed}: {self.bound_reason}.",
                fix=f'bound="auto"{", or bound=20" if named and self.largest_bound else ""}',
            )
        assert isinstance(request.bound, int)
        if request.bound > self.largest_bound:
            raise BadParameter(
                f"bound={request.bound} with {self.as_typed}: at most {self.largest_bound:,}.", fix="bound=20"
            )

    def _check_choice(self, request: CountRequest) -> None:
        """Options of a choice that there is not."""
        given = [name for name in ("share", "grid") if getattr(request, name) is not None]
        if isinstance(request.bound, int) and [name for name in given if name == "grid" or not self.profiles]:
            raise BadParameter(
                f"bound={request.bound} leaves nothing to choose.", fix='bound="auto", or no share and grid'
            )
        fits = {"share": self.shared, "grid": self.gridded}
        if wrong := [name for name in given if not fits[name]]:
            raise BadParameter(f"{wrong[0]} with {self.as_typed}: {self.bound_reason}.", fix=f"no {wrong[0]}")

    def check_zero_delta(self, request: CountRequest) -> None:
        """Refuse a delta of 0 where one is needed."""
        if not request.known:
            raise BadParameter(
                "delta=0: items that are not known in advance need a delta above 0.",
                fix='delta=1e-6, or the list of items: keys=["apple", "pear"]',
            )

    def check_target(self, request: CountRequest, target: Any) -> None:
        """Refuse a wanted error where no one error follows from epsilon alone."""
        if isinstance(request.bound, str):
            raise self.no_error(f'bound="{request.bound}"', target)

    def check_rho(self, request: CountRequest) -> None:
        """Refuse a budget in zCDP where nothing is paid in it."""
        raise BadParameter('rho: only mechanism="count-release" is paid in it.', fix="epsilon=1")

    @staticmethod
    def no_error(what: str, target: Any) -> BadParameter:
        """The refusal of a wanted error that depends on a bound which is not known yet."""
        return BadParameter(
            f"target_error={target} with {what}: the error depends on the bound.",
            fix=f"target_error={target}, bound=20, or epsilon=1",
        )


def _check_paper(request: CountRequest) -> None:
    """Refuse a paper's choice of a bound that is for other items."""
    paper = [kind for kind in PAPER_BOUNDS if kind.name == request.bound]
    if paper and paper[0].listed and not request.known:
        raise BadParameter(
            f'bound="{request.bound}" is for items known in advance.', fix='bound="auto", or keys=["apple", "pear"]'
        )
    if paper and not paper[0].listed and request.known:
        raise BadParameter(
            f'bound="{request.bound}" is for items not known in advance.', fix='bound="auto", or no keys and bins'
        )


def _check_poisson(request: CountRequest) -> None:
    """A model of people's counts is for events of known items, and needs the number of people; nothing else does."""
    if request.debias != "poisson":
        if request.people is not None:
            raise BadParameter(f"people={request.people!r}: only PoissonCounts needs it.", fix="no people")
        return
    if request.count != "events" or not request.known:
        raise BadParameter(
            'debias="poisson" is for events of items known in advance.',
            fix='count="events", keys=["apple", "pear"], or debias="auto"',
        )
    if request.people is None:
        raise BadParameter(
            'debias="poisson" needs to know how many people there are.',
            fix='debias=hc.PoissonCounts(people=100000) if that is public, or people="count" to pay for it',
        )
    if request.bound in SQUARES:
        raise BadParameter(
            f'debias="poisson" is about sums, and bound="{request.bound}" about squares.', fix='bound="auto"'
        )


def choice(*known: str) -> Parser:
    """One of several names."""

    def parse(name: str, value: Any, before: Mapping[str, Any]) -> Any:
        return one_of(name, value, known)

    return parse


def parse_positive(usual: str) -> Parser:
    """A number above 0."""

    def parse(name: str, value: Any, before: Mapping[str, Any]) -> Fraction:
        return positive(name, value, fix=f"{name}={usual}")

    return parse


def parse_relative_error(name: str, target: Any, before: Mapping[str, Any]) -> Fraction:
    """The relative error that counts may have."""
    wanted = rational("target_error", target, fix="target_error=0.1")
    if not 0 < wanted <= 1:
        raise BadParameter(
            f"target_error={target!r}: the part of a count by which it may be off, more than 0 and at most 1.",
            fix="target_error=0.1",
        )
    if wanted < MIN_ERROR:
        raise BadParameter(f"target_error={target!r}: at least 0.000001.", fix="target_error=0.1")
    return wanted
