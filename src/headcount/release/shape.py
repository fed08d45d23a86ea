"""The shape of a histogram: how many items have how many people, and what follows from it. All of it is a function of
released values and public numbers."""

import json
from collections.abc import Sequence
from functools import cached_property
from math import ceil, log
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from headcount.account.chain import canonical
from headcount.errors import BadParameter
from headcount.estimate.shape import buckets, first_column, staircase
from headcount.estimate.shape.kernel import Kernel, both, shares
from headcount.estimate.shape.prevalence import Prevalence
from headcount.estimate.shape.properties import Estimate, Properties
from headcount.estimate.shape.uncertainty import OnBuckets, OnStaircase, Uncertain
from headcount.exact import Number, rational, whole
from headcount.mechanism import Noisy, NoisyBuckets, NoisyStaircase
from headcount.mechanism.shape.buckets import MOST_BUCKETS
from headcount.noise.law import Integers
from headcount.question import Estimator, Loss
from headcount.release.release import About, Release, pack
from headcount.visible import visible, visible_json

EMPTY = 0.5
"""Of buckets, this part must seem empty: else items that share one cannot be told apart any more (digest B.6)."""
FULL = 0.05
"""Below this part nothing is known of how many items there are."""
ROOMY = 4
"""So many buckets for each item are enough with room to spare."""
MOST_AROUND = 2**19
"""So many numbers are looked at to tell how far off counts are."""
OUTDATED = "nothing follows from a shape that headcount 0.8 or before made: its intervals did not hold."
Told = tuple[pa.Table, str]
"""(count, low, high, items, at_least, at_least_low, at_least_high), the largest count first; and what tells how far off
it is, as text."""


class Shape(Release):
    """How many items have how many people; no item is named."""

    @cached_property
    def prevalences(self) -> Prevalence:
        """Which counts there are, rising, and how many items have each."""
        counts, items = (np.array(self.table[name].to_pylist()[::-1], dtype=np.int64) for name in ("count", "items"))
        return Prevalence(counts, items)

    @property
    def counts(self) -> Integers:
        """The count of every item that has people, the largest first."""
        return self.prevalences.largest_first

    def distinct(self) -> Estimate:
        """How many items have people."""
        return self._properties.distinct()

    def entropy(self, of: Literal["table", "source"] = "table") -> Estimate:
        """How evenly people are spread over items, in nats: those of the table; or, of="source", those of the
        distribution that the table's people were drawn from."""
        if of not in ("table", "source"):
            raise BadParameter(f"of={of!r:.40}: unknown.", fix='of="table", or of="source"')
        return self._properties.entropy() if of == "table" else self._properties.source_entropy()

    def coverage(self, m: int) -> Estimate:
        """How many different items m draws, made as the table's were, would have: m people if the bound is 1, else m
        items of people."""
        draws, most = whole("m", m, least=1, fix="m=100000, a number of draws"), self._properties.farthest
        if draws > most:
            raise BadParameter(
                f"m={m}: nothing is known of more than nine times as many draws as there are.", fix=f"m={int(most)}"
            )
        return self._properties.coverage(draws)

    def support_size(self, *, min_share: Number) -> Estimate:
        """How many items there are in all, also those that nobody in the table has, if each has at least this share."""
        share = rational("min_share", min_share, fix="min_share=0.00001")
        if not 0 < share <= 1:
            raise BadParameter(f"min_share={min_share!r}: more than 0 and at most 1.", fix="min_share=0.00001")
        if self.distinct().low * share > 1:
            raise BadParameter(
                f"min_share={min_share!r}: no more than {int(1 / share):,} items can have it, and {self.distinct()} "
                "have people.",
                fix=f"min_share={0.5 / self.distinct().value:.1g}",
            )
        return self._properties.support_size(float(share))

    def to_json(self) -> str:
        """The rows and everything about them, and what follows from them, for programs."""
        plain = json.loads(super().to_json())
        tells = self.table.num_rows and not self.outdated
        follows = {"distinct": self.distinct(), "entropy": self.entropy()} if tells else {}
        ends = {name: {"value": each.value, "low": each.low, "high": each.high} for name, each in follows.items()}
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
        if measured.get("empty", 1.0) > EMPTY:
            return f"No item seems to have {visible(self.about.unit)}, but up to {ceil(self.distinct().high):,} may."
        return (
            f"Nothing can be told: of {measured['cells']:,} buckets about {measured['empty']:.0%} seem empty, and half "
            f"must be, as too many items share one. Fix: buckets={measured['enough']}, the next time"
        )

    @cached_property
    def _properties(self) -> Properties:
        """What follows from a shape that can be told."""
        measured = json.loads(self.about.measured)
        if measured.get("empty", 1.0) <= EMPTY:
            said, _, fix = self.nothing.partition(" Fix: ")
            raise BadParameter(said, fix=fix)
        if self.outdated:
            raise BadParameter(OUTDATED, fix="a new release")
        return Properties(self.prevalences, self.prevalences.total, uncertain(measured))


def uncertain(measured: dict[str, Any]) -> Uncertain:
    """How far off a shape is, by what was measured."""
    if "rows" in measured:
        return OnStaircase(**measured)
    return OnBuckets(measured["cells"], measured["hashed"], kernel(measured["noise"]))


def released(content: bytes, *, fresh: bool) -> Release:
    """A release from its bytes: a shape is a `Shape`."""
    plain = Release(content, fresh=fresh)
    return Shape(content, fresh=fresh) if plain.about.view == "shape" else plain


def told(noisy: Noisy, scale: float, loss: Loss, estimator: Estimator) -> Told:
    """The shape that follows from a staircase, or from buckets."""
    if isinstance(noisy, NoisyStaircase):
        return of_staircase(noisy, scale, loss)
    assert isinstance(noisy, NoisyBuckets)
    return of_buckets(noisy.values, [(scale, 1.0)], hashed=noisy.hashed, loss=loss, estimator=estimator)


def of_staircase(noisy: NoisyStaircase, scale: float, loss: Loss = "l1") -> Told:
    """The shape that follows from a staircase with noise of this scale."""
    low, high = first_column.interval(noisy.columns, scale)
    measured = {
        "rows": len(noisy.rows),
        "columns": len(noisy.columns),
        "scale": scale,
        "low": low,
        "high": high,
        "listed": noisy.cells,
        "people": noisy.people,
    }
    found = staircase.found(
        noisy.rows, noisy.columns, scale=scale, listed=noisy.cells, max_count=noisy.max_count, loss=loss
    )
    return _table(found, uncertain(measured)), canonical(measured)


def of_buckets(
    noisy: Integers,
    noise: Sequence[tuple[float, float]],
    *,
    hashed: bool,
    loss: Loss = "l1",
    estimator: Estimator = "em",
) -> Told:
    """The shape that follows from buckets with this noise: a sum of independent ones, each with its scale and shape."""
    found = buckets.found(noisy, kernel(noise), hashed=hashed, estimator=estimator, loss=loss)
    empty = found.empty if hashed else 1.0
    told = found.prevalence if empty > EMPTY else Prevalence(found.prevalence.counts[:0], found.prevalence.items[:0])
    measured = {"cells": len(noisy), "hashed": hashed, "noise": noise, "empty": empty, "enough": _enough(noisy, empty)}
    return _table(told, uncertain(measured)), canonical(measured)


def _enough(noisy: Integers, empty: float) -> int:
    """Buckets that would do. If hardly any is empty, there may be as many items as contributions."""
    items = -len(noisy) * log(empty) if empty > FULL else max(len(noisy), int(noisy.sum()))
    return min(ceil(ROOMY * items), MOST_BUCKETS)


def collected(told: Told, **about: Any) -> Shape:
    """The shape that came from elsewhere than a table: with everything about it that is not the same for all."""
    table, measured = told
    same: dict[str, Any] = {"by": (), "view": "shape", "plan": "", "chosen": "", "bound": 1, "order": (), "head": ""}
    return Shape(pack(table, About(**same, **about, measured=measured)), fresh=True)


def kernel(noise: Sequence[Any]) -> Kernel:
    """The law of a sum of independent noises, each with its scale and shape."""
    one, *others = (shares(scale, shape) for scale, shape in noise)
    for other in others:
        one = both(one, other)
    return one


def _table(found: Prevalence, off: Uncertain) -> pa.Table:
    """The rows, with two intervals for each count: of the count itself, and of how many items have it or more."""
    r, ranks = _around(found, off), found.at_least - found.items // 2
    fewest, largest = off.band(found)
    least, most = _falling(*off.band(found, r))
    low, high = (np.append(0, r)[np.searchsorted(-each, -ranks, side="right")] for each in (least, most))
    columns = {
        "count": found.counts,
        "low": np.minimum(low, found.counts),
        "high": np.maximum(np.minimum(high, off.max_count), found.counts),
        "items": found.items,
        "at_least": found.at_least,
        "at_least_low": np.minimum(fewest, found.at_least),
        "at_least_high": np.maximum(largest, found.at_least),
    }
    return pa.table({name: pa.array(np.ascontiguousarray(each[::-1], np.int64)) for name, each in columns.items()})


def _falling(least: Integers, most: Integers) -> tuple[Integers, Integers]:
    """What the ends of intervals for rising r become, as no more items have at least r + 1 people than at least r."""
    return np.maximum.accumulate(least[::-1])[::-1], np.minimum.accumulate(most)


def _around(found: Prevalence, off: Uncertain) -> Integers:
    """The counts that are there, and those that noise may have made of them, rising; some of them if they are many."""
    wide = min(off.usual + 1, MOST_AROUND // max(len(found.counts), 1) + 1)
    offsets = np.unique(np.append(0, np.linspace(-off.usual - 1, off.usual + 1, 2 * wide + 1).astype(np.int64)))
    return np.unique(np.maximum(found.counts[:, None] + offsets, 1))
