"""Combine two noisy measurements of each item: a *quiet* one, with little noise and much clipping, and an *open* one,
with more noise and little clipping.

The quiet one is scaled to the level of the open one by a ratio that may depend on how common an item is; items differ
from that ratio by a relative spread, which may depend on it as well. Both are fitted by marginal likelihood:

    open_i ~ Normal(m_i, (noise of quiet_i * ratio_i)^2 + (noise of open)^2 + (spread_i m_i)^2),   m_i = quiet_i ratio_i

The logarithm of the ratio is a polynomial in the standardised logarithm of the quiet value, that of the spread a line;
weak priors keep both sensible where items are few. The spread enters the weights and the intervals: common items are
estimated mostly from the open measurement, rare ones from the quiet one. At last, what the open measurement itself lost
is added, with its uncertainty.
"""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from headcount.estimate.counts.debias import ClippingLoss
from headcount.exact import Floats

MIN_ITEMS_FOR_SLOPE, MIN_ITEMS_FOR_CURVE = 20, 60
"""Number of items from which on the ratio may depend on how common an item is: by a line, by a parabola."""
RATIO_PRIORS = (0.0, 1 / 0.5**2, 1 / 0.25**2)
"""Prior precision of the coefficients of the ratio's polynomial, around 0."""
USUAL_SPREAD = 0.1
"""Prior middle of the spread, unless another one is given."""
SPREAD_PRECISIONS = (1 / 0.7**2, 1 / 0.5**2)
"""Prior precision of the two coefficients of the spread's line, around the logarithm of the usual one, and around 0."""
LOGARITHM_LIMITS = (-8.0, 8.0)
CLEAR_DEVIATIONS = 4.0
"""A quiet value is clear of noise from this many standard deviations on; more, if items are very many."""
RATIO_SLACK = 0.7
"""The fitted ratio may be this much below the least possible one: the largest of many quiet values are too large by
chance, and are lowered by that."""
UNKNOWN_SPREAD = 0.5
"""Spread if no item is clear of noise."""
UNCLEAR_VARIATION = 0.5
"""Relative standard deviation of the ratio of items that are not clear of noise, around that of the nearest others."""
ROUNDS, HALVINGS = 40, 12


@dataclass(frozen=True)
class Measured:
    """Noisy counts with the standard deviation of the noise."""

    values: Floats
    deviation: float | Floats
    """The same for all values, or one for each."""

    def where(self, mask: NDArray[np.bool_]) -> "Measured":
        """Keep only the masked values."""
        each = self.deviation[mask] if isinstance(self.deviation, np.ndarray) else self.deviation
        return Measured(self.values[mask], each)


@dataclass(frozen=True)
class CombinedCounts:
    """Counts with standard deviations."""

    counts: Floats
    deviations: Floats
    """Standard deviation of each count: noise, and the variation of clipping between items."""
    noise: Floats
    """The noise alone, as that of an item which nobody has."""
    hidden: Floats
    """People whom each count may lack, as they have far more than all who are seen."""


def combined_counts(
    low_noise: Measured,
    low_bias: Measured,
    lost: ClippingLoss,
    min_ratio: float = 1.0,
    usual_spread: float = USUAL_SPREAD,
    passes: int = 2,
    rare: bool = False,
) -> CombinedCounts:
    """Combine both measurements into one count for each item. The open one keeps at least `min_ratio` times what the
    quiet one keeps; items differ from the ratio by `usual_spread`, unless the measurements say otherwise.

    The spread is a part of the scaled quiet value; from the second of the `passes` on, of the count before. That is for
    counts of the same thing: an amount far below the quiet value, or below 0, would be drawn up to it.

    If there are `rare` items, as on a public list, those that are not clear of noise have a ratio of their own."""
    ratio, spread = _ratio_and_spread(low_noise, low_bias, min_ratio, usual_spread, rare)
    raised = counts = low_noise.values * ratio
    for _ in range(passes):
        quiet_weight = 1 / ((low_noise.deviation * ratio) ** 2 + (spread * np.maximum(counts, 1)) ** 2)
        total = quiet_weight + 1 / low_bias.deviation**2
        counts = (quiet_weight * raised + low_bias.values / low_bias.deviation**2) / total
    deviations = np.hypot(1 / np.sqrt(total), lost.deviations(counts))
    noise = 1 / np.sqrt(1 / (low_noise.deviation * ratio) ** 2 + 1 / low_bias.deviation**2)
    factor = 1 + lost.part
    return CombinedCounts(counts * factor, deviations * factor, noise * factor, lost.more(counts))


def _ratio_and_spread(
    low_noise: Measured, low_bias: Measured, minimum: float, usual: float, rare: bool = False
) -> tuple[Floats, Floats]:
    """Ratio and spread of each item: fitted to those that are clear of noise, and taken from the nearest of these for
    the others, whose quiet values are mostly noise; if none is clear, the ratio of the sums, and a wide spread."""
    deviations = max(CLEAR_DEVIATIONS, -NormalDist().inv_cdf(0.05 / len(low_noise.values)))
    clear = low_noise.values >= low_noise.deviation * deviations
    if not clear.any():
        sums = low_noise.values.sum(), low_bias.values.sum()
        seen = sums[0] >= CLEAR_DEVIATIONS * float(np.mean(low_noise.deviation)) * len(low_noise.values) ** 0.5
        ratio = max(sums[1] / sums[0], minimum) if seen else 1.0
        return np.full_like(low_noise.values, ratio), np.full_like(low_noise.values, UNKNOWN_SPREAD)
    fitted = _Likelihood(low_noise.where(clear), low_bias.where(clear), usual)
    ratio, spread = fitted.at(np.maximum(low_noise.values, low_noise.values[clear].min()), fitted.most_likely())
    if rare and not clear.all():
        factor, deviation = _correction(low_noise.where(~clear), low_bias.where(~clear), ratio[~clear])
        ratio[~clear] *= factor
        spread[~clear] = np.hypot(spread[~clear], deviation)
    return np.maximum(ratio, RATIO_SLACK * minimum), spread


def _correction(low_noise: Measured, low_bias: Measured, ratio: Floats) -> tuple[float, float]:
    """Factor of the ratio of items that are not clear of noise, and its standard deviation: from their sums, in which
    noise cancels. As far as that is noise still, the factor is 1."""
    raised = low_noise.values * ratio
    expected = max(float(raised.sum()), 1.0)
    noise = (
        np.broadcast_to((low_noise.deviation * ratio) ** 2 + low_bias.deviation**2, raised.shape).sum() / expected**2
    )
    weight = UNCLEAR_VARIATION**2 / (UNCLEAR_VARIATION**2 + float(noise))
    return 1 + weight * (float(low_bias.values.sum()) / expected - 1), UNCLEAR_VARIATION * (1 - weight) ** 0.5


class _Likelihood:
    """The marginal likelihood of the open measurement, and its maximum by Fisher scoring."""

    def __init__(self, low_noise: Measured, low_bias: Measured, usual_spread: float) -> None:
        self.low_noise, self.open = low_noise, low_bias
        logarithms = np.log(low_noise.values)
        self.middle, self.width = float(logarithms.mean()), max(float(logarithms.std()), 0.3)
        degree = 0 if len(logarithms) < MIN_ITEMS_FOR_SLOPE else 1 if len(logarithms) < MIN_ITEMS_FOR_CURVE else 2
        self.degree = degree
        self.ratio_terms, self.spread_terms = self._terms(low_noise.values)
        self.precision = np.array([*RATIO_PRIORS[: degree + 1], *SPREAD_PRECISIONS])
        self.prior = np.array([*[0.0] * (degree + 1), np.log(usual_spread), 0.0])

    def _terms(self, values: Floats) -> tuple[Floats, Floats]:
        """Powers of how common items are: those of the ratio, and those of the spread."""
        common = (np.log(values) - self.middle) / self.width
        return common ** np.arange(self.degree + 1)[:, None], common ** np.arange(2)[:, None]

    def most_likely(self) -> Floats:
        """The most likely coefficients."""
        at: Floats = self.prior.copy()
        at[0] = np.log(max(self.open.values.sum() / self.low_noise.values.sum(), 0.5))
        loss, score, information = self._at(at)
        for _ in range(ROUNDS):
            step = np.linalg.lstsq(information, score, rcond=None)[0]
            for _ in range(HALVINGS):
                tried = self._at(at + step)
                if tried[0] <= loss:
                    break
                step = step / 2
            else:
                break
            at, done = at + step, loss - tried[0] < 1e-9 * abs(loss)
            loss, score, information = tried
            if done:
                break
        return at

    def at(self, values: Floats, coefficients: Floats) -> tuple[Floats, Floats]:
        """Ratio and spread of items with these quiet values."""
        return self._of(coefficients, *self._terms(values))

    def _of(self, at: Floats, ratio_terms: Floats, spread_terms: Floats) -> tuple[Floats, Floats]:
        ratio, spread = at[: self.degree + 1] @ ratio_terms, at[self.degree + 1 :] @ spread_terms
        return np.exp(np.clip(ratio, *LOGARITHM_LIMITS)), np.exp(np.clip(spread, *LOGARITHM_LIMITS))

    def _at(self, at: Floats) -> tuple[float, Floats, Floats]:
        """Negative logarithm of the likelihood, its negative gradient, and the expected information."""
        ratio, spread = self._of(at, self.ratio_terms, self.spread_terms)
        mean = self.low_noise.values * ratio
        scatter = (spread * mean) ** 2
        variance = (self.low_noise.deviation * ratio) ** 2 + self.open.deviation**2 + scatter
        off = self.open.values - mean
        by_mean = np.vstack([mean * self.ratio_terms, np.zeros_like(self.spread_terms)])
        by_variance = np.vstack(
            [2 * (variance - self.open.deviation**2) * self.ratio_terms, 2 * scatter * self.spread_terms]
        )
        away = at - self.prior
        loss = float((np.log(variance) + off**2 / variance).sum() + (self.precision * away**2).sum()) / 2
        score = by_mean @ (off / variance) + by_variance @ ((off**2 / variance - 1) / variance) / 2
        information = (by_mean / variance) @ by_mean.T + (by_variance / variance**2) @ by_variance.T / 2
        return loss, score - self.precision * away, information + np.diag(self.precision)
