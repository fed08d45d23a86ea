"""The shape of a histogram from noise on every count of it (paper 002): of a public list of items, or of the buckets
that items are hashed into, if they are many or not known.

The sum of the counts in a bucket changes by no more than the counts do, whatever the hash; its key is drawn afresh, and
the noise on every bucket, also the empty ones, is that of a known list. Proof for both kinds of neighbours:
docs/proofs/buckets.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, log, sqrt
from typing import ClassVar

import numpy as np
import pyarrow as pa

from headcount.account.chain import canonical
from headcount.account.events import Event, Laplace, Neighbours
from headcount.bound import Bounded, SampledItems
from headcount.errors import BadParameter, ReadingFailed
from headcount.estimate.shape.table import MAX_BUCKETS, Estimator, Loss, of_buckets
from headcount.exact import Integers, round_up
from headcount.mechanism.mechanism import Columns, Mechanism, Noisy
from headcount.mechanism.shape.contribution_limit import Size
from headcount.mechanism.shape.staircase import INTERVAL, boxes
from headcount.noise import Entropy
from headcount.source.buckets import buckets_of
from headcount.wording import plural

TIMES = 2
"""So many buckets for each contribution, if nothing else is said: enough that more than half are empty, whatever people
have; more would only add noise (measured: docs/reproduce/shape.md)."""
FINE = 2**59
"""So many values a hash has before it becomes a bucket: none is favoured by more than one part in 2^35."""
LOST, POWER = 2.5, 1.4
"""So much, times the root of all buckets and contributions and this power of the noise's scale, all counts are off
together: measured (evidence)."""


@dataclass(frozen=True)
class NoisyBuckets(Noisy):
    """Noisy counts of items, or of buckets, and no item."""

    hashed: bool
    """Whether they are those of buckets."""


@dataclass(frozen=True)
class Buckets(Mechanism[Bounded, NoisyBuckets]):
    """Noise on every count."""

    name: ClassVar[str] = "buckets"
    proof: ClassVar[str] = "docs/proofs/buckets.md"
    bounding: SampledItems
    event: Laplace
    buckets: int | Size
    """How many there are, or what decides it."""
    hashed: bool = True
    """Whether items are hashed into them; else each item of a public list has its own."""
    loss: Loss = "l1"
    estimator: Estimator = "em"

    @property
    def events(self) -> tuple[Event, ...]:
        counted = self.buckets.event if isinstance(self.buckets, Size) else None
        return (self.event,) if counted is None else (self.event, counted)

    def run(self, bounded: Bounded, entropy: Entropy) -> NoisyBuckets:
        self.check(bounded)
        totals = self._hashed(bounded, entropy) if self.hashed else bounded.totals
        noisy = totals + entropy.draw(self.law, len(totals))
        return NoisyBuckets(bounded.items.slice(0, 0), noisy, self.hashed)

    def _hashed(self, bounded: Bounded, entropy: Entropy) -> Integers:
        """The totals of buckets. Items are hashed before the first draw: what can fail by the rows fails there."""
        hashes = _hashes(bounded.items, entropy.secret())
        totals = np.zeros(self._many(bounded, entropy), dtype=np.int64)
        np.add.at(totals, hashes % len(totals), bounded.totals)
        return totals

    def _many(self, bounded: Bounded, entropy: Entropy) -> int:
        if not isinstance(self.buckets, Size):
            return self.buckets
        return min(TIMES * self.buckets.draw(int(bounded.totals.sum()), entropy), MAX_BUCKETS)

    def estimate(self, noisy: NoisyBuckets) -> Columns:
        noise = [(float(self.event.scale), 1.0)]
        found = of_buckets(noisy.values, noise, hashed=noisy.hashed, loss=self.loss, estimator=self.estimator)
        return Columns(dict(found.columns), canonical(found.measured))

    def explain(self, item: str) -> list[str]:
        noise = f"gets {self.noise_told()}, whether anybody is in it or not."
        if not self.hashed:
            return [f"Every {item} of the public list {noise} No {item} is named."]
        said = (
            f"one of {self.buckets:,} buckets"
            if isinstance(self.buckets, int)
            else f"a bucket; there are {TIMES} for each contribution"
        )
        counted = self.buckets.explain() if isinstance(self.buckets, Size) else []
        hashed = f"By a keyed hash with a fresh secret, each {item} falls into {said}."
        undone = f"What follows from {plural(item)} that share a bucket is undone. No {item} is named."
        return [*counted, hashed, f"The count of each bucket {noise} {undone}"]

    def off(self, boxes: int) -> float:
        """How far off all counts are together, about, of so many contributions."""
        return self._off_at_1(boxes) * exp(POWER * log(self.event.scale))

    def _off_at_1(self, boxes: int) -> float:
        """The same if the noise has a scale of 1."""
        cells = self.buckets if isinstance(self.buckets, int) else TIMES * boxes
        return LOST * sqrt(cells + boxes)

    @property
    def expected(self) -> int | None:
        """How many contributions there are, as far as public numbers tell."""
        if isinstance(self.buckets, Size):
            return self.buckets.most
        return self.buckets // TIMES if self.hashed else None

    def check_worth(self) -> None:
        """Refuse noise that would hide any shape."""
        boxes = self.expected
        if boxes is None or self.off(boxes) <= boxes:
            return
        widest = (max(boxes, 1) / self._off_at_1(boxes)) ** (1 / POWER)
        enough = float(round_up(Fraction(float(self.event.sensitivity) / widest), digits=1))
        more = ", or more buckets" if isinstance(self.buckets, int) else ""
        raise BadParameter(
            f"epsilon: all counts together would be off by about {self.off(boxes):,.0f}, which is more than the "
            f"{boxes:,} contributions that there may be.",
            fix=f'epsilon={enough:g}{more}, or mechanism="staircase"',
        )

    @property
    def interval_told(self) -> str:
        return INTERVAL


def _hashes(items: pa.Table, key: bytes) -> Integers:
    try:
        return buckets_of(items, key, FINE)
    except Exception:  # whatever it says may quote an item
        raise ReadingFailed("the items could not be hashed. Nothing was released.", fix="items of text") from None


def calibrated(
    epsilon: Fraction,
    bounding: SampledItems,
    neighbours: Neighbours,
    buckets: int | Size,
    hashed: bool = True,
    loss: Loss = "l1",
    estimator: Estimator = "em",
) -> Buckets:
    """With as much noise as epsilon needs."""
    return Buckets(bounding, boxes(epsilon, bounding, neighbours), buckets, hashed, loss, estimator)
