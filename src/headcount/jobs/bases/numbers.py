"""What quantiles and ranges have in common: a column of numbers on a public scale."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Self, get_args

import numpy as np
import pyarrow as pa

from headcount.account.guarantee import Cost
from headcount.bound.selection.options import ChosenBound
from headcount.errors import BadParameter
from headcount.exact import rational
from headcount.job import Job
from headcount.jobs.parameters import parameters
from headcount.mechanism.mechanism import AnyMechanism
from headcount.mechanism.options import choice
from headcount.mechanism.ordered.options import SampleSearch
from headcount.mechanism.ordered.readout import Quantiles, Ranges
from headcount.mechanism.ordered.strategy import SAMPLES, Method, OrderedStrategy
from headcount.mechanism.sampled.options import SampleThreshold
from headcount.mechanism.strategy import Strategy
from headcount.source.contributions.derived import placed
from headcount.source.expressions import dt
from headcount.source.frames.arrow_columns import arrow
from headcount.source.scales.axis import Axis, check_value
from headcount.source.scales.binning import Binning
from headcount.source.schema import check_kinds
from headcount.wording import counted_noun
from headcount.wording.options import Options
from headcount.wording.statement import Statement
from headcount.wording.typed import listed

MAX_LISTED = 1000
"""Quantiles, or ranges."""


@dataclass(frozen=True, kw_only=True)
class NumberJob(Job):
    """Numbers on a public scale, of which each person's rows are held to a bound."""

    options: ClassVar[tuple[type[Options], ...]] = (ChosenBound, SampleThreshold, SampleSearch)
    option_parameters: ClassVar[tuple[str, ...]] = ("share", "p", "theta", "rule")
    value: parameters.ValueColumn
    """The column of numbers."""
    bound: parameters.Bound = "auto"
    share: parameters.Share = None
    mechanism: Annotated[Method, choice(*get_args(Method))] = "auto"
    p: parameters.Probability = None
    theta: parameters.Theta = None
    rule: parameters.SampleRule = "exact"

    @property
    @abstractmethod
    def readout(self) -> Quantiles | Ranges:
        """What is read off counts over the cells of the scale."""

    @property
    def cost_example(self) -> str:
        return "epsilon=1, or target_error=50, bound=1"

    @property
    def axis(self) -> Axis:
        """The public scale."""
        return self.readout.axis

    def check(self) -> None:
        if self.user == self.value:
            raise BadParameter(
                f"user={self.user!r}, value={self.value!r}: the names of two columns.",
                fix='user="user_id", value="amount"',
            )
        self._check_sample()
        if isinstance(self.bound, str) and self.bound != "auto":
            raise BadParameter(f"bound={self.bound!r}: a number, or auto.", fix='bound=10, or bound="auto"')
        if isinstance(self.bound, int) and self.share is not None:
            raise BadParameter(f"bound={self.bound} leaves nothing to choose.", fix='bound="auto", or no share')

    def _check_sample(self) -> None:
        if self.one_row_each and (self.bound != 1 or self.share is not None):
            raise BadParameter(
                f'bound={self.bound!r} with mechanism="{self.mechanism}": a sample has one row of each person, so it '
                "counts people, not rows.",
                fix='bound=1 and no share, or mechanism="auto" to count rows',
            )

    def check_zero_delta(self) -> None:
        if self.one_row_each:
            raise BadParameter("delta=0: a sample needs a delta above 0.", fix="delta=1e-6")

    def check_target(self, target: Any) -> None:
        if self.one_row_each:
            raise BadParameter(f"target_error={target}: a sample has no one error for all.", fix="epsilon=1")
        if isinstance(self.bound, str):
            raise BadParameter(
                f'target_error={target} with bound="{self.bound}": the error depends on the bound.',
                fix=f"target_error={target}, bound=1, or epsilon=1",
            )

    @property
    def one_row_each(self) -> bool:
        """True if they are those of a sample, which has one row of each person."""
        return self.mechanism in SAMPLES

    @property
    def own_columns(self) -> tuple[str, ...]:
        return (self.user, self.value)

    @property
    def numbers(self) -> tuple[str, ...]:
        return (self.value,)

    def check_own_schema(self, columns: Mapping[str, "dt.DataType"]) -> None:
        check_kinds(columns, self.user, (), {})
        check_value(self.value, columns[self.value])

    def prepare(self, table: Any, columns: Mapping[str, "dt.DataType"]) -> Any:
        return placed(table, self.axis)

    def domain(self, columns: Mapping[str, "dt.DataType"]) -> pa.Table:
        return pa.table({"item0": arrow(np.arange(self.axis.cells))})

    @property
    def item_bins(self) -> list[Binning | None]:
        return [None]

    @property
    def joins_domain(self) -> bool:
        return False

    @property
    def counts_events(self) -> bool:
        return True

    def of_one_row(self, delta: Fraction) -> Self:
        chosen = self.bound == "auto" and self.share is None
        return replace(self, bound=1) if chosen else self

    @property
    def quantity(self) -> str:
        return "value"

    def strategy(self, budget: Cost, cells: int | None) -> OrderedStrategy:
        return OrderedStrategy(
            budget=budget,
            neighbours=self.neighbours,
            readout=self.readout,
            method=self.mechanism,
            bound=self.bound,
            share=self.share,
            sampling=SampleSearch(p=self.p, theta=self.theta, rule=self.rule).sampling,
        )

    @property
    def item(self) -> str:
        return str(self.value)

    @property
    def unit(self) -> str:
        return "people" if self.one_row_each else "events"

    def bound_phrase(self, limit: int) -> str:
        return counted_noun(limit, "row")

    def own_title(self) -> str:
        return f"{self.name} of {self.item}{', one row of each person' if self.one_row_each else ''}"

    def explain(self, strategy: Strategy, mechanism: AnyMechanism) -> list[Statement]:
        return [Statement("reading", self._scale()), *super().explain(strategy, mechanism)]

    def _scale(self) -> str:
        """Describe how numbers are placed in cells."""
        low, high = self.axis.edges[0], self.axis.edges[-1]
        if not self.axis.clamped:
            return (
                f"A value of {self.item} counts for every range that contains it. A range contains its first number, "
                "but not its second. The ends of all ranges divide the scale into cells. headcount drops values that "
                "are not plain numbers."
            )
        listed = self.axis.sections == self.axis.cells
        width = "of one width" if self.axis.even else "of a public list" if listed else "that widen with the value"
        return (
            f"headcount places the values of {self.item} in {self.axis.cells:,} cells {width} from {low:g} to "
            f"{high:g}. Smaller values count as the lowest, larger ones as the highest. headcount drops values that "
            "are not plain numbers."
        )


def plain_list(name: str, values: Any, of: str, fix: str) -> list[Any]:
    """One value, or several, as a list."""
    single = isinstance(values, str | type) or not hasattr(values, "__iter__") or getattr(values, "ndim", 1) == 0
    return [values] if single else listed(name, values, MAX_LISTED, of=of, fix=fix)


def plain_number(name: str, value: Any, fix: str) -> Any:
    """A number as typed, also NumPy's."""
    return rational(name, value.item() if hasattr(value, "item") else value, fix=fix)
