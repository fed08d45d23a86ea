"""Jobs that count items by a mechanism that can be requested by name, or by an object with its options."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from headcount.account.guarantee import Cost
from headcount.errors import BadParameter
from headcount.exact import one_of
from headcount.jobs.bases.items import ItemJob
from headcount.mechanism.automatic import AUTOMATIC, BASELINES, COUNTING
from headcount.mechanism.options import CountOptions, CountRequest
from headcount.mechanism.strategy import Strategy
from headcount.wording.options import Options, kept_fields


def counting_options(name: str, value: Any, before: Mapping[str, Any]) -> CountOptions:
    """A mechanism by its name, or as it is."""
    if isinstance(value, CountOptions):
        return value
    known = {kind.name: kind for kind in COUNTING}
    return known[one_of(name, value, list(known))]()


@dataclass(frozen=True, kw_only=True)
class CountingJob(ItemJob):
    """A job that counts items by one of several mechanisms."""

    keeps_options: ClassVar[tuple[str, ...]] = ("mechanism",)
    stored_options: ClassVar[tuple[type[Options], ...]] = ()
    """Mechanisms whose options are part of every stored request, whatever the mechanism is: as they always were."""
    mechanism: Annotated[CountOptions, counting_options] = AUTOMATIC

    @property
    @abstractmethod
    def count_request(self) -> CountRequest:
        """What decides how items are counted."""

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Self:
        """A stored request is flat: its mechanism has its options beside it."""
        kind = next(each for each in (*COUNTING, *BASELINES) if each.name == plain["mechanism"])
        options = {field.name for each in (*cls.stored_options, kind) for field in kept_fields(each)}
        own = {field.name: plain[field.name] for field in kept_fields(kind) if field.name in plain}
        rest = {name: value for name, value in plain.items() if name not in options}
        return super().from_plain({**rest, "mechanism": kind(**own)})

    @property
    def _fields(self) -> dict[str, Any]:
        stored = {field.name: field.default for kind in self.stored_options for field in kept_fields(kind)}
        own = {name: value for name, value in self.mechanism.given.items() if name not in self.mechanism.passed_on}
        return {**super()._fields, **stored, **own, "mechanism": self.mechanism.name}

    def strategy(self, budget: Cost, cells: int | None) -> Strategy:
        return self.mechanism.strategy(self.count_request, budget, cells)

    def check(self) -> None:
        super().check()
        self.mechanism.check(self.count_request)

    def check_zero_delta(self) -> None:
        self.mechanism.check_zero_delta(self.count_request)

    def check_target(self, target: Any) -> None:
        self.mechanism.check_target(self.count_request, target)


def check_one_amount(sum_: str, count: str) -> None:
    """Refuse to add up a column and to count events at once."""
    if sum_ and count == "events":
        raise BadParameter(f'sum={sum_!r} and count="events": only one of them.', fix="no count")
