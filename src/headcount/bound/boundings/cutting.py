"""Bounding that leaves people within the bound unchanged, and cuts the excess of everybody else.

Totals are the unbounded totals minus the excess, so that only people above the bound cost any work. A kind of cutting
is a formula for the excess of one pair (formula.py)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from headcount.bound.bounded import EXCESS, TOTAL, Bounded, Bounding, at_keys
from headcount.bound.pairs.engine_pairs import PairsOnEngine
from headcount.bound.pairs.formula import Excess
from headcount.bound.pairs.pairs import pairs_of
from headcount.source.contributions.contributions import COUNT, USER, Contributions
from headcount.source.expressions import ir
from headcount.source.frames.arrow_columns import whole_numbers


@dataclass(frozen=True)
class ExcessBounding(Bounding):
    """Bounding that subtracts each person's excess."""

    by_number: ClassVar[bool] = True

    @abstractmethod
    def formula(self, secret: bytes) -> Excess:
        """The excess of people above the bound."""

    def bound(self, contributions: Contributions, secret: bytes, keys: pa.Table | None) -> Bounded:
        totals = pairs_of(contributions).totals_less(self.formula(secret))  # sorted: the engine's order must not show
        found = totals if keys is None else at_keys(totals, keys)
        return Bounded(found.drop_columns([TOTAL]), whole_numbers(found[TOTAL]), self.sensitivity)

    def excess(self, contributions: Contributions, secret: bytes) -> ir.Table:
        """(user, items, cut): the excess of people above the bound, in units."""
        return PairsOnEngine(contributions).excess(self.formula(secret))

    def kept(self, contributions: Contributions, secret: bytes) -> ir.Table:
        pairs, key = contributions.table, [USER, *contributions.items]
        joined = pairs.left_join(self.excess(contributions, secret), key)
        counts = {COUNT: joined[COUNT] * self.unit - joined[EXCESS].fill_null(0)}
        return joined.select(*key, **counts).filter(lambda row: row[COUNT] > 0)
