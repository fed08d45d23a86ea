"""The release of the shape of a histogram, without its labels: how many items have how many people, and properties that
follow. All are functions of released values and public numbers."""

import json
from dataclasses import replace
from functools import cached_property
from math import ceil, floor
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from headcount.account.ledger.record.chain import canonical
from headcount.errors import BadParameter, visible
from headcount.estimate.shape.prevalence import Prevalence
from headcount.estimate.shape.properties import Estimate, Properties
from headcount.estimate.shape.table import MIN_EMPTY, Rows, uncertainty
from headcount.exact import Integers, Number, rational, whole
from headcount.release.about import TRUE_COUNTS, About, current_version, pack
from headcount.release.release import Release
from headcount.release.views.shape import SHAPE
from headcount.wording import counted_noun, visible_json, wrapped

OUTDATED = "nothing follows from a shape that headcount 0.8 or before made: its intervals did not hold."


class Shape(Release, view=SHAPE):
    """The number of items by number of people; no item is named."""

    @cached_property
    def prevalences(self) -> Prevalence:
        """The counts, rising, and how many items have each."""
        counts, items = (np.array(self.table[name].to_pylist()[::-1], dtype=np.int64) for name in ("count", "items"))
        return Prevalence(counts, items)

    @property
    def counts(self) -> Integers:
        """The count of every item that has people, the largest first."""
        return self.prevalences.largest_first

    def distinct(self) -> Estimate:
        """The number of different items after bounding; the table as it is has no fewer than `low`."""
        found = self._properties.distinct()
        return self._noted(found, f"after {self._restriction}; the whole table has at least {floor(found.low):,}")

    def entropy(self, of: Literal["table", "source"] = "table") -> Estimate:
        """How evenly people are spread over items, in nats: those of the table; or, of="source", those of the
        distribution that the table's people were drawn from."""
        if of not in ("table", "source"):
            raise BadParameter(f"of={of!r:.40}: unknown.", fix='of="table", or of="source"')
        found = self._properties.entropy() if of == "table" else self._properties.source_entropy()
        return self._noted(found, f"after {self._restriction}; otherwise it may differ")

    def coverage(self, m: int) -> Estimate:
        """How many different items m draws, made as the table's were, would have: m people if the bound is 1, else m
        items of people."""
        draws, most = whole("m", m, minimum=1, fix="m=100000, a number of draws"), self._properties.farthest
        if draws > most:
            raise BadParameter(
                f"m={m}: nothing is known of more than nine times as many draws as there are.", fix=f"m={int(most)}"
            )
        return self._noted(self._properties.coverage(draws), f"if {self._restriction}")

    def support_size(self, *, min_share: Number) -> Estimate:
        """How many items there are in all, also those that nobody in the table has, if each has at least this share."""
        share = rational("min_share", min_share, fix="min_share=0.00001")
        if not 0 < share <= 1:
            raise BadParameter(f"min_share={min_share!r}: more than 0 and at most 1.", fix="min_share=0.00001")
        if self.distinct().low * share > 1:
            raise BadParameter(
                f"min_share={min_share!r}: no more than {int(1 / share):,} items can have it, and "
                f"{self._properties.distinct()} have people.",
                fix=f"min_share={0.5 / self.distinct().value:.1g}",
            )
        return self._noted(self._properties.support_size(float(share)), f"by shares after {self._restriction}")

    @property
    def _restriction(self) -> str:
        """The bounding of people, as a clause."""
        return f"each person was held to {counted_noun(self.about.bound, 'item')}"

    def _noted(self, estimate: Estimate, note: str) -> Estimate:
        """An estimate that says what it is for, unless that is the table as it is."""
        return replace(estimate, note=note) if self.about.estimand == "bounded" else estimate

    def to_json(self) -> str:
        """The rows, everything about them, and the properties that follow, as JSON for programs."""
        plain = json.loads(super().to_json())
        tells = self.table.num_rows and not self.outdated
        follows = {"distinct": self.distinct(), "entropy": self.entropy()} if tells else {}
        shown = ("value", "low", "high", "note")
        ends = {name: {field: getattr(each, field) for field in shown} for name, each in follows.items()}
        return visible_json(json.dumps({**plain, "follows": ends}, ensure_ascii=False))

    @property
    def outdated(self) -> bool:
        """True for the staircase of an earlier version, which did not measure how many items there are."""
        measured = json.loads(self.about.measured)
        return "rows" in measured and "low" not in measured

    @property
    def nothing(self) -> str:
        """Why there is no row."""
        measured = json.loads(self.about.measured)
        if self.outdated:
            return f"No item seems to have {visible(self.about.unit)}."
        if measured.get("empty", 1.0) > MIN_EMPTY:
            return f"No item seems to have {visible(self.about.unit)}, but up to {ceil(self.distinct().high):,} may."
        return (
            f"Nothing was learned: of {measured['cells']:,} buckets about {measured['empty']:.0%} seem empty, and half "
            "must be, as too many items share one. "
            f"Fix: buckets={measured['enough']}, the next time"
        )

    def _notes(self) -> list[str]:
        indent = " " * 17
        return ["", *(line for each in self._follows() for line in wrapped(each, rest=indent).splitlines())]

    def _findings(self) -> list[str]:
        return self._follows() if self.table.num_rows else [self.nothing]

    def _follows(self) -> list[str]:
        """Number of items and entropy, a line each."""
        if self.outdated:
            return [OUTDATED]
        return [f"different items  {self.distinct()}", f"entropy (nats)   {self.entropy()}"]

    @cached_property
    def _properties(self) -> Properties:
        """The properties of the shape; refused if it cannot be estimated."""
        measured = json.loads(self.about.measured)
        if measured.get("empty", 1.0) <= MIN_EMPTY:
            message, _, fix = self.nothing.partition(" Fix: ")
            raise BadParameter(message, fix=fix)
        if self.outdated:
            raise BadParameter(OUTDATED, fix="a new release")
        return Properties(self.prevalences, self.prevalences.total, uncertainty(measured))


def shape_release(rows: Rows, **about: Any) -> Shape:
    """The release of a shape that was not computed from a table; `about` are the fields of `About` that differ between
    such shapes."""
    table, measured = pa.table(rows.columns), canonical(rows.measured)
    same: dict[str, Any] = {"by": (), "view": SHAPE.name, "plan": "", "chosen": "", "bound": 1, "order": (), "head": ""}
    same |= {"estimand": "true", "interval": TRUE_COUNTS, "version": current_version(), "measured": measured}
    return Shape(pack(table, About(**{**same, **about})), fresh=True)
