"""Negative binomial as a compound Poisson law: the number of clusters, and the size of each.

With q = exp(-1/scale) the generating function of the negative binomial law of a shape is
((1-q) / (1-qz))^shape = exp(mean (L(z) - 1)), mean = -shape ln(1-q), L(z) = ln(1-qz) / ln(1-q): a Poisson number of
clusters, whose sizes have the logarithmic series law L. So a person whose noise shares in thousands of buckets are
nearly all 0 draws the clusters of all buckets at once, and a bucket for each (docs/proofs/shuffle.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, count, repeat
from operator import mul

from flint import arb

from headcount.exact import Integers, ball
from headcount.noise.distribution import NoiseDistribution, check_width


@dataclass(frozen=True)
class Poisson(NoiseDistribution):
    """k = 0, 1, 2, ... with weight mean^k / k!, mean = -shape ln(1 - exp(-1/scale)): the number of clusters."""

    shape: Fraction
    """Shape of the negative binomial; for several with the same scale, the sum of their shapes."""
    scale: Fraction

    def __post_init__(self) -> None:
        check_width(self.scale)

    def mean(self) -> arb:
        return -ball(self.shape) * _log_one_minus_q(self.scale)

    def weights(self) -> Iterator[arb]:
        mean, weight = self.mean(), arb(1)
        for k in count(1):
            yield weight
            weight *= mean / k

    def total(self) -> arb:
        return self.mean().exp()


@dataclass(frozen=True)
class LogSeries(NoiseDistribution):
    """k = 1, 2, 3, ... with weight q^k / k, q = exp(-1/scale): the size of a cluster. Outcome 0 stands for 1."""

    scale: Fraction

    def __post_init__(self) -> None:
        check_width(self.scale)

    def weights(self) -> Iterator[arb]:
        q = ball(-1 / self.scale).exp()
        return (power / k for k, power in enumerate(accumulate(repeat(q), mul), start=1))

    def total(self) -> arb:
        return -_log_one_minus_q(self.scale)

    def values(self, outcomes: Integers) -> Integers:
        return outcomes + 1


def _log_one_minus_q(scale: Fraction) -> arb:
    """ln(1 - exp(-1/scale))."""
    return (-ball(-1 / scale).expm1()).log()
