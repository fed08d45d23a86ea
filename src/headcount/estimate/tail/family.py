"""A posterior of the number of people in every octave of a norm, also where noise hides them.

From the octave on below which most people are, the expected number of people t octaves further up is

    L(t) = exp(a - b t - c t^2 / 2),   c >= 0

c = 0 is a Pareto tail, c > 0 a log-normal one. Beside noise, counts have the variance L + (MISFIT L)^2: tables are not
exactly of this family. The posterior is computed on a grid.

Beyond what can be seen a table need not follow what is seen. In some of the draws the tail is heavier there, with a
slope between the least one and the family's own; in some it is lighter; and in some there is a heap of people who have
far more than all others. Counts that are hidden one by one may still say together which of these are likelier.
"""

from dataclasses import dataclass

import numpy as np

from headcount.estimate.tail.noise import Noise
from headcount.estimate.tail.uniform import uniform
from headcount.exact import Floats, Integers
from headcount.system.late import scipy

DRAWS = 600
"""Number of tables that are drawn."""
START = 0.75
"""The tail begins in the octave in which this share of the people that are seen is reached."""
MISFIT = 0.15
"""Relative standard deviation of a table's counts around the family."""
HIDDEN_DEVIATIONS = 2.0
"""Expected counts below this many standard deviations of noise are hidden."""
MIN_SLOPE = 0.75
"""Least slope far out, per octave: 0.69 is a tail without a mean."""
HEAVIER, LIGHTER = 0.4, 0.2
"""Shares of the draws with a heavier, and with a lighter tail."""
HEAPS = 0.12
"""Prior probability of a heap of people who have far more than all others: each draw is looked at without and with
one."""
HEAP_OCTAVES = 7.0
"""Number of octaves above the last one that is seen, in which a heap may be."""
LIGHT_SLOPE = 3.0
"""Slope of a lighter tail, per octave, beside the family's own."""
RISE_DEVIATIONS = 2.5
"""Standard deviations, of noise and of a number of people, that a second heap rises by."""
WINDOW = 4
"""Number of octaves that are added up, if none is seen."""
FAR_OUT = 8.0
"""Number of octaves after which the slope is at least LEAST_SLOPE."""
OCTAVES = 24
"""Number of octaves of the tail: what is above them is empty."""
LEVELS = np.linspace(-0.9, 0.9, 13)
"""Values of a, from the logarithm of the first count on."""
SLOPES = np.concatenate([np.linspace(-1.0, 3.5, 19), np.array([4.0, 5.0, 6.5, 8.0, 10.0])])
"""Values of b."""
CURVATURES = np.concatenate([[0.0], np.geomspace(0.01, 1.5, 9)])
"""Values of c; half of the prior is on the first one."""
POISSON_MEAN = 12.0
"""Expected counts below this are Poisson; above, close to normal."""


@dataclass(frozen=True)
class _Shapes:
    """The grid of slopes and curvatures."""

    slopes: Floats
    curvatures: Floats
    falls: Floats
    """L(t) / L(0), by shape and octave."""
    prior: Floats
    """Logarithm."""


def _shapes() -> _Shapes:
    b, c = (each.ravel() for each in np.meshgrid(SLOPES, CURVATURES, indexing="ij"))
    falling = b + FAR_OUT * c > MIN_SLOPE
    b, c, t = b[falling], c[falling], np.arange(OCTAVES)
    falls = np.exp(-np.minimum(b[:, None] * t + c[:, None] * t**2 / 2, 60.0))
    return _Shapes(b, c, falls, np.where(c > 0, -np.log(len(CURVATURES) - 1.0), 0.0))


SHAPES = _shapes()


def tables(counts: Floats, noise: Noise, possible: Floats) -> Floats:
    """Draws of the number of people in each octave, from noisy counts: draw by octave. `possible` is 1 for octaves in
    which people can be, else 0."""
    start, last = ends(counts * possible, noise)
    tail, room = counts[start : start + OCTAVES], possible[start : start + OCTAVES]
    expected, slopes = _chosen(tail, noise, room)
    varied = _varied(tail, expected, slopes, noise.deviation, last - start)
    varied = np.concatenate([varied, varied + _heaps(len(tail), noise, last - start)]) * room
    ratio = _likelihood(tail, varied, noise) - np.tile(_likelihood(tail, expected, noise), 2)
    weights = np.exp(ratio - ratio.max()) * np.repeat([1 - HEAPS, HEAPS], DRAWS)
    kept = varied[resampled(weights, uniform(DRAWS, 1, 2)[:, 0])]
    found = np.zeros((DRAWS, len(counts)))
    found[:, :start] = _body(counts[:start] * possible[:start], noise.deviation)
    found[:, start : start + OCTAVES] = _people(tail, kept, noise, last - start)
    return found


def ends(counts: Floats, noise: Noise) -> tuple[int, int]:
    """The octave in which the tail begins, and the last one that is seen; the fullest one, if none is. If people are in
    two heaps, the tail begins at the top of the second one."""
    seen = np.where(counts > noise.seen, counts, 0.0)
    if not seen.any():
        fullest = _fullest(counts)
        return fullest, fullest
    last = int(np.flatnonzero(seen)[-1])
    start = min(int(np.searchsorted(np.cumsum(seen), START * seen.sum())), last)
    start += _second_top(counts[start : last + 1], noise.deviation)
    return start, min(last, start + OCTAVES - 1)


def _second_top(counts: Floats, deviation: float) -> int:
    """The place from which on counts only fall, but for noise: 0 if they never rise."""
    tops = np.maximum.accumulate(counts[::-1])[::-1][1:]
    rises = tops - counts[:-1] > RISE_DEVIATIONS * np.sqrt(2 * deviation**2 + tops + np.maximum(counts[:-1], 0.0))
    after = int(np.flatnonzero(rises)[-1]) + 1 if rises.any() else 0
    return after + int(np.argmax(counts[after:])) if after else 0


def _fullest(counts: Floats) -> int:
    """The fullest octave of those few together that have the most people: noise alone fills one, hardly several."""
    first = int(np.argmax(np.convolve(counts, np.ones(WINDOW), "valid")))
    return first + int(np.argmax(counts[first : first + WINDOW]))


def _chosen(counts: Floats, noise: Noise, room: Floats) -> tuple[Floats, Floats]:
    """Draws from the posterior of the family: expected counts and slopes, by draw and octave."""
    level = max(float(counts[0]), noise.deviation) * np.exp(LEVELS)
    expected = (level[:, None, None] * (SHAPES.falls[:, : len(counts)] * room)).reshape(-1, len(counts))
    found = _likelihood(counts, expected, noise) + np.tile(SHAPES.prior, len(LEVELS))
    indices = resampled(np.exp(found - found.max()), uniform(DRAWS, 1, 1)[:, 0])
    b, c = (each[indices % len(SHAPES.prior)][:, None] for each in (SHAPES.slopes, SHAPES.curvatures))
    return expected[indices], b + c * np.arange(len(counts))


def _likelihood(counts: Floats, expected: Floats, noise: Noise) -> Floats:
    """Logarithm of the likelihood of noisy counts."""
    found: Floats = noise.log_density(counts - expected, expected + (MISFIT * expected) ** 2).sum(axis=1)
    return found


def resampled(weights: Floats, at: Floats) -> Integers:
    """Places drawn with these weights."""
    sums = np.cumsum(weights)
    found: Integers = np.minimum(np.searchsorted(sums, at * sums[-1]), len(weights) - 1)
    return found


def _varied(counts: Floats, expected: Floats, slopes: Floats, deviation: float, last: int) -> Floats:
    """Expected counts, of which some fall more slowly, or faster, from the first hidden octave on; or from the last one
    that is seen, if it has more people than the family says."""
    octaves = np.arange(expected.shape[1])
    hidden = (expected < HIDDEN_DEVIATIONS * deviation) & (octaves >= last)
    first = np.where(hidden.any(axis=1), hidden.argmax(axis=1), len(octaves) - 1)[:, None]
    own, level = (np.take_along_axis(each, first, axis=1) for each in (slopes, expected))
    level = np.maximum(level, np.where(first == last, counts[last], 0.0))
    which, how = (each[:, None] for each in uniform(DRAWS, 2, 3).T)
    slower = MIN_SLOPE + how * np.maximum(own - MIN_SLOPE, 0.0)
    beyond = octaves >= first
    heavier = np.where(beyond, np.maximum(expected, level * np.exp(-slower * (octaves - first))), expected)
    lighter = np.where(beyond, expected * np.exp(-LIGHT_SLOPE * (octaves - first)), expected)
    return np.where(which < HEAVIER, heavier, np.where(which > 1 - LIGHTER, lighter, expected))


def _heaps(octaves: int, noise: Noise, last: int) -> Floats:
    """Expected counts of heaps of people who have far more than all others, one for each draw. They have as many people
    as noise hides in one octave, or fewer, down to its standard deviation."""
    many, where = (each[:, None] for each in uniform(DRAWS, 2, 12).T)
    low, high = noise.deviation, noise.seen
    people = low * (high / low) ** many
    away = np.arange(octaves) - (last + 1 + HEAP_OCTAVES * where)
    return np.asarray(people * np.exp(-(away**2) / 2) / (2 * np.pi) ** 0.5)


def _people(counts: Floats, expected: Floats, noise: Noise, last: int) -> Floats:
    """Numbers of people: between what is expected and what was measured; where they are few and hidden, Poisson."""
    seen, deviation = counts > noise.seen, noise.deviation
    unlike = np.where(seen, (counts - expected) ** 2 - deviation**2, 0.0)
    spread = np.maximum(expected + np.maximum((MISFIT * expected) ** 2, unlike), 1e-9)
    precision = 1 / spread + 1 / deviation**2
    middle = (expected / spread + counts / deviation**2) / precision
    at = uniform(*expected.shape, 4)
    between: Floats = np.maximum(middle + scipy.special.ndtri(at) / np.sqrt(precision), 0.0)
    few = (expected < POISSON_MEAN) & (np.arange(len(counts)) > last)
    between[few] = _poisson(expected[few], at[few])
    return between


def _poisson(expected: Floats, at: Floats) -> Floats:
    """Quantiles of Poisson laws with small means."""
    found, some = np.zeros_like(expected), expected > 1 - at  # above, the quantile may not be 0
    expected, at = expected[some], at[some]
    number_of = np.zeros_like(expected)
    chance = below = np.exp(-expected)
    for number in range(1, int(3 * POISSON_MEAN)):
        number_of += at > below
        chance = chance * expected / number
        below = below + chance
    found[some] = number_of
    return found


def _body(counts: Floats, deviation: float) -> Floats:
    """Numbers of people below the tail, as they are measured."""
    noise = scipy.special.ndtri(uniform(DRAWS, max(len(counts), 1), 5))[:, : len(counts)] * deviation
    seen = counts > HIDDEN_DEVIATIONS * deviation
    return np.where(seen, np.maximum(counts + noise, 0.0), 0.0)
