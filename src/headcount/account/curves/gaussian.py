"""The exact price of Gaussian noise, and a proved one for the discrete Gaussian in any number of cells.

Continuous noise of standard deviation s on a sum with l2 sensitivity D is (epsilon, delta)-private exactly for

    delta >= Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu),   mu = D/s      (Balle & Wang 2018, Theorem 8).

The *discrete* Gaussian is not covered by it: at (1, 1e-6) on one cell its true delta can be some percent larger,
because its tail is a step function. But rounding a continuous Gaussian of variance v - t to an integer by a discrete
Gaussian of variance t gives, up to a factor within 1 +- b(t) for a tiny b(t) = 2 (e^(-2 pi^2 t) + e^(-8 pi^2 t) +
...), the discrete Gaussian of variance v. Rounding is post-processing, so the discrete Gaussian of variance v costs
at most what the continuous one of variance v - t costs, plus what the factor costs. Proof:
docs/proofs/discrete-gaussian.md.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import erfc, exp, log, log1p, pi, prod, sqrt

from flint import arb

from headcount.account.curves import zcdp
from headcount.account.events import Gaussian
from headcount.exact import ball, ends, precision

BITS = 256
"""Working precision: the two terms of the formula cancel, but never in 200 bits for a delta above 1e-40."""


def continuous_delta(epsilon: Fraction, squared_mu: Fraction) -> Fraction:
    """Upper bound, to some 70 digits, on the delta of continuous Gaussian noise with (D/s)^2 = squared_mu."""
    with precision(BITS):
        return min(Fraction(1), max(Fraction(0), ends(_delta(ball(epsilon), ball(squared_mu)))[1]))


def discrete_delta(epsilon: Fraction, events: Sequence[Gaussian]) -> Fraction:
    """Upper bound on the delta at this epsilon of discrete Gaussian noise, of all the events together."""
    coarsest = max((rounding(event) / event.variance for event in events), default=Fraction(0))
    bounds = []
    if coarsest < 1:
        factor, shift = rounding_cost(events)
        bounds.append(factor * continuous_delta(epsilon - shift, sum(map(squared_mu, events), start=Fraction(0))))
    if coarsest > Fraction(1, 20):  # else rounding costs so little that zCDP cannot be the lower bound
        rho = sum((event.squared_sensitivity / (2 * event.variance) for event in events), start=Fraction(0))
        bounds.append(zcdp.delta(rho, epsilon))
    return min(bounds)


def rough_delta(epsilon: float, noise: Sequence[tuple[float, float, int]]) -> float:
    """The same in floating point, but for the bound by zCDP, of variances, squared sensitivities and cells."""
    squares = factor = 0.0
    for variance, squared, cells in noise:
        x = 1 / (240 * cells * max(variance, 1.0))
        b = 2 * x / (1 - x)
        squares += squared / (variance + log(x) / (2 * pi**2))
        factor += cells * log1p(b)
        epsilon -= cells * (2 * log1p(b) - log1p(-b))
    mu = sqrt(squares)
    near, far = (mu / 2 - epsilon / mu) / sqrt(2), (mu / 2 + epsilon / mu) / sqrt(2)
    return exp(factor) * (erfc(-near) - exp(epsilon) * erfc(far)) / 2


def rounding(event: Gaussian) -> Fraction:
    """Rounding variance t for an event. Any is valid; this one about balances the costs of t and b(t)."""
    return Fraction(log(240 * event.cells * max(float(event.variance), 1.0)) / (2 * pi**2))


def squared_mu(event: Gaussian) -> Fraction:
    """(D/s)^2 of the continuous noise that is rounded."""
    return event.squared_sensitivity / (event.variance - rounding(event))


def rounding_cost(events: Sequence[Gaussian]) -> tuple[Fraction, Fraction]:
    """Cost of rounding: the product of the factors on delta, and the sum of the epsilons."""
    costs = [_rounding_cost(rounding(event), event.cells) for event in events]
    return prod((factor for factor, _ in costs), start=Fraction(1)), sum(
        (shift for _, shift in costs), start=Fraction(0)
    )


@lru_cache(maxsize=4096)
def _rounding_cost(t: Fraction, cells: int) -> tuple[Fraction, Fraction]:
    """Cost of rounding one event: the factor on delta, (1 + b)^cells, and the epsilon,
    cells * log((1 + b)^2 / (1 - b))."""
    with precision(BITS):
        x = (-2 * arb.pi() ** 2 * ball(t)).exp()
        b = 2 * x / (1 - x)  # a geometric series above that of b(t)
        factor, shift = (1 + b) ** cells, cells * ((1 + b) ** 2 / (1 - b)).log()
        return ends(factor)[1], ends(shift)[1]


def _delta(epsilon: arb, squared_mu: arb) -> arb:
    if not squared_mu > 0:
        return (1 - epsilon.exp()).nonnegative_part()
    mu = squared_mu.sqrt()
    return _normal(mu / 2 - epsilon / mu) - epsilon.exp() * _normal(-mu / 2 - epsilon / mu)


def _normal(x: arb) -> arb:
    """Phi(x), the standard normal distribution function."""
    return (-x / arb(2).sqrt()).erfc() / 2
