"""Items selected one by one, with no limit on how many of them a person has: their counts, or what events or
amounts add up to, with a limit on amounts that is given or selected privately."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any, Literal

from headcount.bound import Bounding, TopItems, TopSums
from headcount.bound.boundings.top import PARTS
from headcount.bound.selection.amounts import UsualAmounts
from headcount.bound.selection.selection import BoundSelection, LookAgain, Selected
from headcount.errors import BadParameter
from headcount.mechanism.options import TARGET
from headcount.mechanism.strategy import NOISE_ONLY, SECOND_PROFILE_SHARE, Forecast, Strategy
from headcount.mechanism.topk.count_release import CountRelease, calibrated, check_worth
from headcount.mechanism.topk.levels import KBAR, VariantName
from headcount.wording import counted_items, format_number, plural

EXAMPLE_RANKS = (1, 10, 100, 1000)
"""Numbers of items for which a plan shows how common they must be to be selected."""


@dataclass(frozen=True, kw_only=True)
class TopKStrategy(Strategy):
    """Private Count Release: items selected one by one."""

    kbar: int = KBAR
    """Number of candidates: the most common items."""
    target: Fraction | None = TARGET
    """The relative error that counts may have; None if items are released without counts."""
    variant: VariantName = "level"
    k: int | None = None
    """Number of items requested; None if as many as the budget selects."""
    added: Literal["", "count", "amount"] = ""
    """What is added up for each item: events, or amounts; empty if people are counted."""
    first_epsilon: Fraction | None = None
    selection_delta: Fraction | None = None

    @property
    def selects(self) -> str:
        """The selection of the limit of amounts, if there is one."""
        return UsualAmounts.name if self.added and self.bound == "auto" else ""

    @property
    def later_share(self) -> Fraction:
        return SECOND_PROFILE_SHARE if self.selects else Fraction(0)

    @property
    def pure(self) -> bool:
        return False

    @cached_property
    def selection(self) -> BoundSelection[Any] | None:
        if not self.selects:
            return None
        assert self.added
        return UsualAmounts(self.price, self.neighbours, self.kbar, self.added)

    def next_selection(self, chosen: Selected, earlier: Sequence[BoundSelection[Any]]) -> BoundSelection[Any] | None:
        match chosen:
            case LookAgain() if len(earlier) == 1:
                return replace(earlier[0], epsilon=self.budget.epsilon * SECOND_PROFILE_SHARE)
            case _:
                return None

    def mechanism(self, bounding: Bounding | None = None) -> CountRelease:
        if bounding is None:
            bounding = self._bounding(self.bound if isinstance(self.bound, int) else 1)
        assert isinstance(bounding, TopItems)
        return calibrated(
            self.rest,
            bounding,
            self.neighbours,
            variant=self.variant,
            target=self.target,
            k=self.k,
            first_epsilon=self.first_epsilon,
            selection_delta=self.selection_delta,
        )

    def _bounding(self, limit: int) -> TopItems:
        return TopSums(self.kbar, limit, self.added) if self.added else TopItems(self.kbar)

    def extremes(self) -> Sequence[Bounding]:
        return [TopSums(self.kbar, 2 * PARTS - 1, "count")]  # the largest number of parts

    def check(self) -> None:
        super().check()
        check_worth(self.leanest.mechanism(self._bounding(1)))

    @property
    def error(self) -> float:
        self.given()
        raise BadParameter("items that are found one by one have different errors.", fix="print(plan)")

    def forecast(self, item: str, unit: str) -> Forecast:
        mechanism = self.mechanism(self._bounding(1))
        wanted = sorted({rank for rank in EXAMPLE_RANKS if rank < (self.k or inf)} | ({self.k} if self.k else set()))
        needed = [(rank, mechanism.needed(rank)) for rank in wanted if mechanism.needed(rank) < inf]
        lines = [
            f"{counted_items(rank, item)} if {'it' if rank == 1 else 'each'} has about {count:,.0f} people"
            for rank, count in needed
        ]
        appear = [("appear", "The most common items appear first:"), *(("", line) for line in lines)]
        return [*self._errors(mechanism, [count for _, count in needed], item), *appear]

    def _errors(self, mechanism: CountRelease, needed: list[float], item: str) -> Forecast:
        """The error of counts, or of sums, of items that have as many people as they need."""
        if mechanism.target is None:
            return []
        if not self.added:
            percent = f"{float(100 * mechanism.target):g}%"
            return [("error", f"Most counts will be off by at most {percent}, large ones by less.")]
        relative = float(mechanism.levels[-1].variance) ** 0.5 / mechanism.levels[-1].threshold
        limit = float(self.bound) if isinstance(self.bound, int) else 1.0
        times = "" if isinstance(self.bound, int) else ", in units of the limit that headcount chooses"
        lines = [
            f"{format_number(2 * relative * count * limit)} for {plural(item)} with about {count:,.0f} people"
            for count in needed
        ]
        return [("error", f"Expected error of a sum ({NOISE_ONLY}){times}:"), *(("", line) for line in lines)]

    def outlook(self, item: str) -> str:
        return (
            f"No amount counts for more than that limit. headcount finds the {plural(item)} that most people have, one "
            "by one. It adds up the amounts of each, and adds noise to the sum."
        )
