"""The options of count release."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, get_args

from headcount.account.guarantee import Cost
from headcount.errors import BadParameter
from headcount.exact import Number, whole
from headcount.mechanism.options import TARGET, CountOptions, CountRequest, choice, parse_positive, parse_relative_error
from headcount.mechanism.topk.count_release import CountRelease as Mechanism
from headcount.mechanism.topk.levels import KBAR, VariantName
from headcount.mechanism.topk.strategy import TopKStrategy
from headcount.wording.options import options

MAX_CANDIDATES = 10**7


def parse_kbar(name: str, kbar: Any, before: Mapping[str, Any]) -> int:
    """The number of candidates."""
    candidates = whole("kbar", kbar, minimum=1, fix=f"kbar={KBAR}, the most common items to find some among")
    if candidates > MAX_CANDIDATES:
        raise BadParameter(f"kbar={kbar}: at most {MAX_CANDIDATES:,}.", fix=f"kbar={KBAR}")
    return candidates


@options
class CountRelease(CountOptions):
    """Items not known in advance, selected one by one: people may have as many items as they like (Rogers 2024).

    variant: "level" is the best, "rogers" the paper's; also "coarse" and "refined".
    kbar: the size of the candidate list: only the `kbar` most common items are considered.
    target_error: the relative error that most counts may have, 0.1 by default.
    rho: the budget as zCDP, instead of epsilon; delta is needed as well.
    first_epsilon: the epsilon of a selection in the first level, for the paper's variants; 0.0005 by default.
    selection_delta: the delta of every selection, for the variant "rogers"; 1e-11 by default.

    >>> import headcount as hc
    >>> found = hc.CountRelease(variant="rogers", kbar=500)
    >>> r = hc.histogram(hc.example(), user="user", by="song", epsilon=1, mechanism=found)
    >>> r.table.column_names
    ['song', 'count', 'low', 'high', 'deviation']
    """

    name: ClassVar[str] = Mechanism.name
    example: ClassVar[str] = "kbar=500"
    adds: ClassVar[bool] = True
    cuts_each: ClassVar[bool] = True
    listed: ClassVar[bool | None] = False
    passed_on: ClassVar[tuple[str, ...]] = ("rho",)
    bound_reason: ClassVar[str] = "people may have as many items as they like"
    debias_reason: ClassVar[str] = "nothing is taken away that could be undone"
    variant: Annotated[VariantName, choice(*get_args(VariantName))] = "level"
    """The sequence of levels: "level" is the best, "rogers" the paper's."""
    kbar: Annotated[int, parse_kbar] = KBAR
    """The size of the candidate list."""
    target_error: Annotated[Number | None, parse_relative_error] = None
    """The relative error that most counts may have."""
    rho: Annotated[Number | None, parse_positive("0.1")] = None
    """The budget as zCDP, instead of epsilon."""
    first_epsilon: Annotated[Number | None, parse_positive("0.0005")] = None
    """The epsilon of a selection in the first level, for the paper's variants."""
    selection_delta: Annotated[Number | None, parse_positive("1e-11")] = None
    """The delta of every selection, for the variant "rogers"."""

    def strategy(self, request: CountRequest, budget: Cost, cells: int | None) -> TopKStrategy:
        values = self.values
        target = values.pop("target_error") or TARGET
        added: Literal["", "count", "amount"] = (
            "amount" if request.sum else "count" if request.count == "events" else ""
        )
        return TopKStrategy(**request.common(budget), **values, target=target, added=added, bound=request.bound)

    def _check_bound(self, request: CountRequest) -> None:
        """A number limits amounts, or events."""
        if not _adds(request) and request.bound != "auto":
            raise BadParameter(
                f"bound={request.bound!r} with {self.as_typed}: {self.bound_reason}.", fix='bound="auto"'
            )
        if isinstance(request.bound, str) and request.bound != "auto":
            raise BadParameter(
                f"bound={request.bound!r} with {self.as_typed}: a person's amount is cut at a number.",
                fix='bound="auto"',
            )

    def _check_choice(self, request: CountRequest) -> None:
        if request.grid is not None or (request.share is not None and not _adds(request)):
            raise BadParameter(f"{self.as_typed} leaves no bound to choose.", fix="no share and grid")

    def check_zero_delta(self, request: CountRequest) -> None:
        raise BadParameter("delta=0: items that are not known in advance need a delta above 0.", fix="delta=1e-6")

    def check_target(self, request: CountRequest, target: Any) -> None:
        raise BadParameter(
            "target_error: an option of CountRelease, together with epsilon.",
            fix=f"epsilon=1, mechanism=hc.CountRelease(target_error={target})",
        )

    def check_rho(self, request: CountRequest) -> None:
        if request.bound == "auto" and _adds(request):
            raise BadParameter("rho: the limit of amounts is chosen for an epsilon.", fix="bound=100, or epsilon=1")


def _adds(request: CountRequest) -> bool:
    """True if amounts or events are added up."""
    return bool(request.sum) or request.count == "events"
