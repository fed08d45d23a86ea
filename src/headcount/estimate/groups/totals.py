"""Statistics of groups from noisy totals: counts, sums, means. All are functions of released values."""

from dataclasses import dataclass, replace

import numpy as np

from headcount.estimate.counts.two_scales import Measured
from headcount.estimate.groups.spread import spread_between
from headcount.estimate.tail.excess import Excess
from headcount.exact import Floats
from headcount.system.late import scipy

MIN_GROUPS = 10
"""Number of groups from which on it is estimated how much means differ between groups."""
MIN_SPREAD = 0.002
"""Means are taken to differ by at least this part: standard deviation."""
OUTLYING_DEVIATIONS = 3.0
"""A mean that is further away from the others than this is left as it is."""
LEAST_PART = 0.25
"""A group with less than this part of what its people suggest is unlike the others: then each speaks for itself."""
FALSE_ALARM = 0.05
"""Probability that noise alone makes a group seem unlike the others."""
FEWEST_DEVIATIONS = 2.0
"""A count that a mean is divided by is at least this many standard deviations of its noise."""
NEAREST_LIMIT = 0.9
"""A mean is taken to be at most this part of the limit: nearer, what it would be without the limit has no end."""
LARGEST_TAIL = 100.0
"""A part that is not more than this: of values near 0 it would have no limit."""


@dataclass(frozen=True)
class Totals:
    """Noisy totals of all groups, and what was clipped from them."""

    values: Floats
    deviation: float
    """Standard deviation of the noise on each."""
    clipped: Excess
    """What the bound clipped from all groups together; estimated."""


@dataclass(frozen=True)
class Estimates:
    """A statistic of each group, with standard deviations, and by how much it may be too large or too small beside
    them: people who have far more than others may or may not be there."""

    values: Floats
    deviations: Floats
    below: Floats
    above: Floats
    """Distances to the ends of a 95% interval, through what was clipped alone."""

    def ends(self, half_width: float) -> tuple[Floats, Floats]:
        """Both ends of an interval; `half_width` is in standard deviations. On the nearer side, noise comes on top:
        where hardly anything was clipped, the truth lies at that very end."""
        noise, near = half_width * self.deviations, np.minimum(self.below, self.above)
        below, above = (np.where(end == near, noise + end, np.hypot(noise, end)) for end in (self.below, self.above))
        return self.values - below, self.values + above

    @property
    def tail(self) -> float:
        """The part of itself by which a typical value may be too small, through what was clipped; less than 0 if it may
        be too large as well, or is negative."""
        above, below, size = (float(each.sum()) for each in (self.above, self.below, np.abs(self.values)))
        part = min(max(above, below) / max(size, 1e-300), LARGEST_TAIL)
        return part if above >= below and (self.values >= 0).all() else -part

    @property
    def at_least(self) -> Floats:
        """Counts that can be divided by: one that noise hides is taken as large as its noise."""
        return np.maximum(self.values, np.maximum(FEWEST_DEVIATIONS * self.deviations, 1.0))

    def times(self, counts: "Estimates") -> "Estimates":
        """The sum of a group, from its mean and its count."""
        deviations = np.hypot(self.deviations * counts.values, self.values * counts.deviations)
        return self._of_both(self.values * counts.values, deviations, counts.values, self.values, counts)

    def over(self, counts: "Estimates", centre: float) -> "Estimates":
        """The centre plus the statistic per count: a mean."""
        divisor = counts.at_least
        ratio = self.values / divisor
        deviations = np.hypot(self.deviations, ratio * counts.deviations) / divisor
        return self._of_both(centre + ratio, deviations, 1 / divisor, -ratio / divisor, counts)

    def _of_both(
        self, values: Floats, deviations: Floats, by_own: Floats, by_counts: Floats, counts: "Estimates"
    ) -> "Estimates":
        """A function of this statistic and of counts, with its derivatives by both."""
        falls, ends = by_counts < 0, (counts.above, counts.below)
        smaller, larger = (np.where(falls, one, other) for one, other in (ends, ends[::-1]))
        below, above = (
            np.hypot(own * np.abs(by_own), other * np.abs(by_counts))
            for own, other in ((self.below, smaller), (self.above, larger))
        )
        return Estimates(values, deviations, below, above)

    def drawn_together(self, noise_deviations: Floats) -> "Estimates":
        """Means, drawn towards the mean of all groups as far as noise hides how much groups differ (empirical Bayes);
        but not one that is clearly unlike the others. Of their deviations, only those through noise are certain: what
        else may be wrong counts as a difference between groups."""
        if len(self.values) < MIN_GROUPS:
            return self
        noise = noise_deviations**2
        found = spread_between(self.values[:, None], noise[:, None])
        middle = float(found.middle[0])
        spread = max(float(found.variance[0]), (MIN_SPREAD * middle) ** 2)
        outlying = np.abs(self.values - middle) > OUTLYING_DEVIATIONS * np.sqrt(spread + noise)
        believed = np.where(outlying, 1.0, spread / (spread + noise))
        variance = believed * self.deviations**2 + (1 - believed) ** 2 / (1 / (spread + noise)).sum()
        return replace(self, values=middle + believed * (self.values - middle), deviations=np.sqrt(variance))


def in_proportion(totals: Measured, people: Measured, scale: float) -> bool:
    """True if no group has clearly less than a small part of what its people suggest, at `scale` per person."""
    deviations = -float(scipy.special.ndtri(FALSE_ALARM / len(totals.values)))
    noise = np.hypot(totals.deviation, LEAST_PART * scale * people.deviation)
    return bool((totals.values >= LEAST_PART * scale * people.values - deviations * noise).all())


def corrected(totals: Totals, sizes: Floats | None = None) -> Estimates:
    """Totals with what was clipped added again, in proportion to the size of groups: by default to the totals
    themselves. How much each group lost differs between groups, and is in the ends."""
    weights = np.maximum(np.abs(totals.values) if sizes is None else sizes, 0.0)
    part = weights / weights.sum() if weights.sum() > 0 else np.full(len(totals.values), 1 / max(len(totals.values), 1))
    lost, noise = totals.clipped, np.full(len(part), totals.deviation)
    return Estimates(totals.values + lost.value * part, noise, lost.below * part, lost.above * part)


def with_own_losses(estimates: Estimates, totals: Totals, people: Floats, limit: float) -> Estimates:
    """Distances from a centre that may be too small by more than in proportion, in groups unlike the others.

    A person's vector is shortened to the limit c. If what they have in other groups is at most c long, a distance m in
    this one becomes at least m / sqrt(1 + (m / c)^2), so what is k may have been k / sqrt(1 - (k / c)^2); but a group
    lost no more than all groups together."""
    kept = totals.values / people
    part = np.minimum(np.abs(kept) / limit, NEAREST_LIMIT)
    own = np.abs(totals.values) * (1 / np.sqrt(1 - part**2) - 1)
    lost = totals.clipped
    above, below = (np.minimum(own, max(end, 0.0)) for end in (lost.above + lost.value, lost.below - lost.value))
    return replace(
        estimates,
        above=estimates.above + np.where(kept > 0, above, 0.0),
        below=estimates.below + np.where(kept < 0, below, 0.0),
    )
