"""A second measurement of the items that are shown: which they are is public by then.

People are scaled once more, by how much of the *shown* items they have: far less than of all items, so a bound that
clips almost nothing needs little noise. Three things are measured for it, each with Gaussian noise; a fourth, if people
are counted:

1. a profile: how many people have how much of the shown items; the bound follows from it and from the first counts
2. how much that bound clips from everybody
3. the total of every shown item, scaled to the bound
4. how many people have far more than all whom the profile shows

Proof for both kinds of neighbours: docs/proofs/weighted.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, isqrt, sqrt

import numpy as np

from headcount.account.calibration.calibrate import SQUARED
from headcount.account.events import Gaussian
from headcount.bound import Sensitivity
from headcount.bound.boundings.shown import PublicItems
from headcount.bound.selection.nonempty_bins import FALSE_POSITIVE_RATE, WIDTHS, gaussian
from headcount.bound.selection.profile import Contributed, Profile, contributed, size_edges, size_power
from headcount.bound.selection.profile import edges as bin_edges
from headcount.bound.stability import Payment, of_bins, of_contributions, of_number
from headcount.errors import BadParameter
from headcount.estimate.constants import Z
from headcount.estimate.counts.debias import ClippingLoss
from headcount.estimate.counts.hidden import Above
from headcount.estimate.counts.two_scales import CLEAR_DEVIATIONS, Measured
from headcount.exact import Floats, Integers
from headcount.noise import Entropy
from headcount.noise.gaussian import DiscreteGaussian

MAX_SHOWN = 2**31
"""No more items than this are shown: no table has more."""
EVENTS_SHARES = ((Fraction(2, 100), 2), (Fraction(1, 100), 1), (Fraction(18, 100), MAX_SHOWN))
"""The share of the noise's budget for the profile, the clipped amount and the totals, and the number of cells that one
person can change: fitted on half of a panel of tables (docs/evidence.md)."""
SHARES = (*EVENTS_SHARES, (Fraction(3, 100), 1))
"""The same if people are counted, with the number of those who have far more."""
SHOWN_RATE = 1 / 100
"""Probability that an empty bin of the profile is taken for nonempty, if people are counted: nobody has more than all
of the shown items, so that costs little."""
UNSEEN_DEVIATIONS = 5.0
"""Standard deviations of the noisy number of people who have far more, from which on nearly all of them are noticed."""
FAR = 2
"""People have far more if they have more than this many times as much as the largest who are seen."""
USUAL_SPREAD = 0.2
"""Relative difference between items of what the first measurement lost, as it is expected before it is measured."""
CLIPPED_WEIGHT = 6.0
"""Weight of the clipped share beside relative noise, when the bound is selected."""
LOSS_PRIOR = 1.0
"""If people are counted, the usual ratio of clipped to kept counts, at most."""
LOSS_PRECISION = 0.02
"""If people are counted, the noise of the clipped amount is at most this share of the first counts."""
EVENTS_LIMIT_FACTOR, EVENTS_LOSS_PRIOR = 20, 0.3
"""Limit of one person's clipped events, in multiples of the norm they are scaled to; and the usual ratio of clipped to
kept events: the more the noise exceeds it, the less the measured amount counts."""


@dataclass(frozen=True)
class NoisySecond:
    """The second measurement: differentially private."""

    bound_squared: int
    """The bound on a person's sum of squares over the shown items."""
    totals: Measured
    clipped: Measured
    """What the bound clipped from everybody: one value."""
    loss_prior: float
    """What is usually clipped, beside what is kept."""
    above: Above | None = None
    """What tells of people who have far more than all whom the profile shows; None if events are counted, or if it
    shows nobody."""
    nobody: bool = False
    """Whether the profile shows nobody."""

    @property
    def hidden(self) -> float:
        """Number of people, at most, whom an item may lack, as they have far more than all whom the profile shows;
        infinite if it shows nobody. Of events it is not known."""
        return self.above.maximum() if self.above else inf if self.nobody else 0.0

    @property
    def lost(self) -> ClippingLoss:
        """What the bound lost, beside what it kept."""
        noise = float(np.linalg.norm(np.broadcast_to(self.totals.deviation, self.totals.values.shape)))
        kept = max(float(self.totals.values.sum()), noise, 1.0)
        taken, deviation = float(self.clipped.values[0]), float(self.clipped.deviation)
        return ClippingLoss(taken, deviation, kept, prior=self.loss_prior, hidden=self.hidden)


@dataclass(frozen=True)
class SecondMeasurement:
    """The noise of the measurements."""

    events: tuple[Gaussian, ...]
    """The privacy events of a run: the profile, the clipped amount, the totals; if people are counted, how many of them
    have far more."""
    largest: int
    """Largest count of one item before bounding: 1 if people are counted."""
    squared: int = SQUARED
    """One person's sum of squares in each of them, in units."""
    shown_rate: float = SHOWN_RATE
    """Probability that an empty bin of the profile is taken for nonempty, if people are counted."""
    max_shown: int = MAX_SHOWN
    """Most items that are shown."""

    def payments(self, cells: int | None = None) -> tuple[Payment, ...]:
        """Every privacy event, and how far neighbours are apart in what it is for; of `cells` items, if that is public.
        `_check` refuses what adds more."""
        totals = Sensitivity(self.max_shown, self.norm, self.max_shown * self.norm, self.squared)
        number = of_number(self.norm)
        changes = of_bins(self.norm), number, of_contributions(totals, cells), number
        return tuple(zip(self.events, changes[: len(self.events)], strict=True))

    @property
    def profile(self) -> Gaussian:
        """The noise of the profile."""
        return self.events[0]

    @property
    def clipped(self) -> Gaussian:
        """The noise of the clipped amount."""
        return self.events[1]

    @property
    def totals(self) -> Gaussian:
        """The noise of the totals."""
        return self.events[2]

    @property
    def far(self) -> Gaussian:
        """The noise of the number of people who have far more."""
        return self.events[3]

    @property
    def undetected_people(self) -> int:
        """Number of people who may have far more than all others without being noticed, in whatever bins they are: more
        are noticed in 19 of 20 cases. Of people per item, by their number; of events, by the profile's runs."""
        if self.largest == 1:
            return ceil(UNSEEN_DEVIATIONS * self._far_noise)
        deviation, bins = self._profile_noise, len(size_edges(self.largest))
        widest = max(WIDTHS)
        return ceil(float(gaussian(deviation, self._rate)(widest, bins)[0]) + Z * deviation * sqrt(widest))

    @property
    def norm(self) -> int:
        """One person's norm, in units."""
        return isqrt(self.squared)

    def run(self, shown: PublicItems, first: Measured, first_norm: float, entropy: Entropy) -> NoisySecond:
        """Measure the shown items again; `first` are their first counts, of people scaled to `first_norm`."""
        profile = self.look(shown, len(first.values), entropy)
        return self.measure(shown, first, profile, self.bound_squared(profile, first, first_norm), entropy)

    def look(self, shown: PublicItems, items: int, entropy: Entropy) -> Profile:
        """People by how much they have of the shown `items`, with noise: nobody has more of them than there are."""
        self._check(shown)
        if items > self.max_shown:
            raise BadParameter(f"{items:,} items: the noise is for {self.max_shown:,}.", fix="fewer items")
        edges = self._edges(items)
        starts = np.array(edges, dtype=np.int64) ** size_power(self.largest)
        noisy = shown.sizes.by_bin(starts) * self.norm + _noise(self.profile, len(edges), entropy)
        largest = items if self.largest == 1 else 0
        return Profile(edges, noisy / self.norm, self._profile_noise, gaussian=True, rate=self._rate, largest=largest)

    def _edges(self, items: int) -> tuple[int, ...]:
        """Bin edges of the profile; of people, up to the number of items."""
        return tuple(edge for edge in size_edges(self.largest) if self.largest > 1 or edge <= items)

    @property
    def _rate(self) -> float:
        """Probability that an empty bin of the profile is taken for nonempty."""
        return self.shown_rate if self.largest == 1 else FALSE_POSITIVE_RATE

    @property
    def _profile_noise(self) -> float:
        """Standard deviation of the profile's noise, in people."""
        return _deviation(self.profile) / self.norm

    def measure(
        self,
        shown: PublicItems,
        first: Measured,
        profile: Profile,
        bound: int,
        entropy: Entropy,
        growth: Floats | float = 1.0,
    ) -> NoisySecond:
        """What a bound clips, and the totals at that bound; `growth` is how much more people have, by bin, than when
        the profile was taken."""
        self._check(shown)
        cut = self._cut(profile, first, bound)
        clipped = shown.sizes.clipped(bound, cut, self.norm) + int(_noise(self.clipped, 1, entropy)[0])
        totals = shown.totals(bound) + _noise(self.totals, len(first.values), entropy)
        unit, part = shown.unit(bound), cut / self.norm
        looked = self.largest == 1 and profile.people.any()
        above = self._above(shown, profile, growth, entropy) if looked else None
        return NoisySecond(
            bound,
            Measured(totals / unit, _deviation(self.totals) / unit),
            Measured(np.array([clipped * part]), _deviation(self.clipped) * part),
            LOSS_PRIOR if self.largest == 1 else EVENTS_LOSS_PRIOR,
            above,
            nobody=not profile.people.any(),
        )

    def _above(self, shown: PublicItems, profile: Profile, growth: Floats | float, entropy: Entropy) -> Above:
        """The noisy number of people beyond all whom the profile shows, and its upper bins."""
        last = np.flatnonzero(profile.people)[-1]
        far = FAR * int((profile.tops * growth)[last])
        people = shown.sizes.above(far) * self.norm + int(_noise(self.far, 1, entropy)[0])
        counts, beyond = profile.counts[last + 1 :], (np.array(profile.edges) * growth > far)[last + 1 :]
        return Above(counts, profile.deviation, beyond, people / self.norm, self._far_noise)

    @property
    def _far_noise(self) -> float:
        """Standard deviation of the noisy number of people who have far more."""
        return _deviation(self.far) / self.norm

    def _check(self, shown: PublicItems) -> None:
        if shown.norm > self.norm:
            raise BadParameter(
                f"one person adds up to {shown.norm:,} units, the noise is for {self.norm:,}.",
                fix="a second look by mechanism.bounding",
            )

    def bound_squared(
        self, profile: Profile, first: Measured, first_norm: float, deviation: float | None = None
    ) -> int:
        """The bound with the least expected error of both measurements together, over the shown items; a function of
        what is released. `deviation` is that of the totals, if they are measured more than once."""
        found, power = contributed(profile, self.largest), size_power(self.largest)
        if found is None:
            return round(first_norm**2)
        kept = first.values.sum() / found.amounts.sum() if self.largest == 1 else found.kept(first_norm)
        about = Measured(first.values / min(kept, 1.0), first.deviation / min(kept, 1.0))
        starts = bin_edges(profile.edges[-1])
        candidates = [edge**power - 1 for edge in starts[1:]] + [starts[-1] ** power]
        noise = (deviation or _deviation(self.totals)) / self.norm
        errors = [_expected_error(found, about, bound**0.5, noise) for bound in candidates]
        return int(candidates[int(np.argmin(errors))])

    def _cut(self, profile: Profile, first: Measured, bound_squared: int) -> float:
        """Limit of what is clipped from one person. If people are counted, as much as is clipped from the largest who
        were seen, unless its noise is too large for the counts; a few may have very many events, seen or not."""
        if self.largest > 1:
            return EVENTS_LIMIT_FACTOR * sqrt(bound_squared)
        largest = profile.largest_seen
        clipped = max(largest - sqrt(largest * bound_squared), bound_squared)
        precise = LOSS_PRECISION * float(first.values.sum()) * self.norm / _deviation(self.clipped)
        return max(min(clipped, precise), 1.0)


def _expected_error(contributed: Contributed, first: Measured, norm: float, noise: float) -> float:
    """Mean relative error of the shown items, about, if people are scaled to a norm; with noise for 1."""
    clear = first.values >= CLEAR_DEVIATIONS * first.deviation
    rough = first.where(clear) if clear.any() else first
    counts = np.maximum(rough.values, 1.0)
    second = (norm * noise / counts) ** 2 + (CLIPPED_WEIGHT * (1 - contributed.kept(norm))) ** 2
    low_noise = (rough.deviation / counts) ** 2 + USUAL_SPREAD**2
    return float(np.minimum(np.sqrt(1 / (1 / low_noise + 1 / second)), 1.0).mean())


def _noise(event: Gaussian, cells: int, entropy: Entropy) -> Integers:
    return entropy.draw(DiscreteGaussian(event.variance), cells)


def _deviation(event: Gaussian) -> float:
    return sqrt(event.variance)
