"""The shape of a histogram from noise on every count (Ghazi et al. 2022): of a public list of items, or of the buckets
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

from headcount.account.events import Laplace, Neighbours
from headcount.account.ledger.record.chain import canonical
from headcount.bound import Bounded, SampledItems
from headcount.bound.stability import Payment
from headcount.errors import BadParameter, ReadingFailed
from headcount.estimate.shape.table import MAX_BUCKETS, Estimator, Loss, of_buckets
from headcount.exact import Integers, round_up
from headcount.mechanism.mechanism import Columns, Mechanism, Noisy
from headcount.mechanism.shape.contribution_limit import ContributionLimit
from headcount.mechanism.shape.staircase import INTERVAL, laplace_event
from headcount.noise import Entropy
from headcount.source.scales.buckets import buckets_of
from headcount.wording import plural

BUCKETS_PER_CONTRIBUTION = 2
"""The default number of buckets for each contribution: enough that more than half are empty, whatever people have; more
would only add noise (measured: docs/reproduce/shape.md)."""
HASH_VALUES = 2**59
"""Number of values of a hash before it is reduced to a bucket: no bucket is favoured by more than one part in 2^35."""
ERROR_FACTOR, ERROR_EXPONENT = 2.5, 1.4
"""The l1 error of all counts is this factor times the root of buckets plus contributions times this power of the
noise's scale: measured (docs/evidence.md)."""


@dataclass(frozen=True)
class NoisyBuckets(Noisy):
    """Noisy counts of items, or of buckets, without any item."""

    hashed: bool
    """Whether the counts are those of buckets."""


@dataclass(frozen=True)
class Buckets(Mechanism[Bounded, NoisyBuckets]):
    """Noise on every count, of listed items or of hash buckets."""

    name: ClassVar[str] = "buckets"
    proof: ClassVar[str] = "docs/proofs/buckets.md"
    bounding: SampledItems
    event: Laplace
    buckets: int | ContributionLimit
    """Number of buckets, or the contribution limit that decides it."""
    hashed: bool = True
    """Whether items are hashed into them; else each item of a public list has its own."""
    loss: Loss = "l1"
    estimator: Estimator = "em"

    @property
    def payments(self) -> tuple[Payment, ...]:
        counted = self.buckets.payments(self.bounding) if isinstance(self.buckets, ContributionLimit) else ()
        return (*super().payments, *counted)

    def run(self, bounded: Bounded, entropy: Entropy) -> NoisyBuckets:
        self.check(bounded)
        totals = self._hashed(bounded, entropy) if self.hashed else bounded.totals
        noisy = totals + entropy.draw(self.distribution, len(totals))
        return NoisyBuckets(bounded.items.slice(0, 0), noisy, self.hashed)

    def _hashed(self, bounded: Bounded, entropy: Entropy) -> Integers:
        """The totals of buckets. Items are hashed before the first draw, so that bad rows fail before any noise."""
        hashes = _hashes(bounded.items, entropy.secret())
        totals = np.zeros(self._bucket_count(bounded, entropy), dtype=np.int64)
        np.add.at(totals, hashes % len(totals), bounded.totals)
        return totals

    def _bucket_count(self, bounded: Bounded, entropy: Entropy) -> int:
        if not isinstance(self.buckets, ContributionLimit):
            return self.buckets
        return min(BUCKETS_PER_CONTRIBUTION * self.buckets.draw(int(bounded.totals.sum()), entropy), MAX_BUCKETS)

    def estimate(self, noisy: NoisyBuckets) -> Columns:
        noise = [(float(self.event.scale), 1.0)]
        found = of_buckets(noisy.values, noise, hashed=noisy.hashed, loss=self.loss, estimator=self.estimator)
        return Columns(dict(found.columns), canonical(found.measured))

    def explain(self, item: str) -> list[str]:
        if not self.hashed:
            noise = f"headcount adds {self.describe_noise()} to every {item} of the public list, even if nobody has it."
            return [f"{noise} No {item} is named."]
        bucket = (
            f"one of {self.buckets:,} buckets"
            if isinstance(self.buckets, int)
            else f"a bucket; there are {BUCKETS_PER_CONTRIBUTION} for each contribution"
        )
        counted = self.buckets.explain() if isinstance(self.buckets, ContributionLimit) else []
        hashed = f"A keyed hash with a fresh secret puts each {item} into {bucket}."
        noise = f"headcount adds {self.describe_noise()} to the count of each bucket, even if it is empty."
        undone = f"It corrects for {plural(item)} that share a bucket. No {item} is named."
        return [*counted, hashed, f"{noise} {undone}"]

    def expected_error(self, boxes: int) -> float:
        """The approximate l1 error of all counts, for a total of `boxes` contributions."""
        return self._error_at_scale_1(boxes) * exp(ERROR_EXPONENT * log(self.event.scale))

    def _error_at_scale_1(self, boxes: int) -> float:
        """The expected error for noise of scale 1."""
        cells = self.buckets if isinstance(self.buckets, int) else BUCKETS_PER_CONTRIBUTION * boxes
        return ERROR_FACTOR * sqrt(cells + boxes)

    @property
    def expected_contributions(self) -> int | None:
        """The number of contributions, if it follows from public numbers."""
        if isinstance(self.buckets, ContributionLimit):
            return self.buckets.maximum
        return self.buckets // BUCKETS_PER_CONTRIBUTION if self.hashed else None

    def check_worth(self) -> None:
        """Refuse noise that would hide any shape."""
        boxes = self.expected_contributions
        if boxes is None or self.expected_error(boxes) <= boxes:
            return
        widest = (max(boxes, 1) / self._error_at_scale_1(boxes)) ** (1 / ERROR_EXPONENT)
        enough = float(round_up(Fraction(float(self.event.sensitivity) / widest), digits=1))
        more = ", or more buckets" if isinstance(self.buckets, int) else ""
        raise BadParameter(
            f"epsilon: all counts together would be off by about {self.expected_error(boxes):,.0f}, which is more than "
            f"the {boxes:,} contributions that there may be.",
            fix=f'epsilon={enough:g}{more}, or mechanism="staircase"',
        )

    @property
    def interval_meaning(self) -> str:
        return INTERVAL


def _hashes(items: pa.Table, key: bytes) -> Integers:
    try:
        return buckets_of(items, key, HASH_VALUES)
    except Exception:  # its message may quote an item
        raise ReadingFailed("the items could not be hashed. Nothing was released.", fix="items of text") from None


def calibrated(
    epsilon: Fraction,
    bounding: SampledItems,
    neighbours: Neighbours,
    buckets: int | ContributionLimit,
    hashed: bool = True,
    loss: Loss = "l1",
    estimator: Estimator = "em",
) -> Buckets:
    """The mechanism with noise calibrated to epsilon."""
    return Buckets(bounding, laplace_event(epsilon, bounding, neighbours), buckets, hashed, loss, estimator)
