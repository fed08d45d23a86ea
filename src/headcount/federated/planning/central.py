"""Errors where all data are in one table and one trusted party adds noise, for the same epsilon and delta.

They are the 95% quantiles of the noise of the mechanisms that headcount has for tables, each person held to the same
number of items.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import sinh, sqrt

from headcount.account.calibration import calibrate
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.bound import SampledItems, ScaledToSum, Sensitivity
from headcount.estimate.constants import EXACT_MISS_RATE
from headcount.mechanism.intervals import noise_quantile
from headcount.mechanism.ordered import hierarchy
from headcount.mechanism.ordered.readout import Quantiles, Ranges
from headcount.mechanism.unknown import thresholded
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.laplace import DiscreteLaplace


@dataclass(frozen=True)
class Threshold:
    """Counts of items that are not known in advance."""

    error: float
    """95% quantile of the error of a count."""
    visible_from: int
    """Number of people that an item needs to appear."""


@dataclass(frozen=True)
class Listed:
    """Counts of a public list."""

    error: float
    """95% quantile of the error of a count."""
    deviation: float
    """Standard deviation of its noise."""


@lru_cache(maxsize=16)
def of_list(cost: Cost, change: Sensitivity) -> Listed:
    """Errors of counts of a public list, from what one person changes: Laplace or Gaussian noise, whichever has the
    smaller deviation."""
    scale = calibrate.laplace_scale(cost.epsilon, change.total)
    laplace = Listed(noise_quantile(DiscreteLaplace(scale), EXACT_MISS_RATE), 1 / (sqrt(2) * sinh(1 / (2 * scale))))
    if not cost.delta:
        return laplace
    variance = calibrate.gaussian_variance(cost.epsilon, cost.delta, Fraction(change.squared), change.items)
    gaussian = Listed(noise_quantile(DiscreteGaussian(variance), EXACT_MISS_RATE), sqrt(variance))
    return min(laplace, gaussian, key=lambda each: each.deviation)


@lru_cache(maxsize=16)
def of_found_items(cost: Cost, items: int, neighbours: Neighbours) -> Threshold:
    """Error and visibility of items that are found with a threshold."""
    mechanism = thresholded.calibrated(cost, SampledItems(items), neighbours)
    assert mechanism.visible_from is not None
    return Threshold(mechanism.error, mechanism.visible_from)


def of_bucket(epsilon: Fraction, neighbours: Neighbours) -> int:
    """95% error of a count with Laplace noise, if one person changes one count, or two."""
    return noise_quantile(DiscreteLaplace(changed_people(neighbours) / epsilon), EXACT_MISS_RATE)


def of_numbers(cost: Cost, neighbours: Neighbours, readout: Quantiles | Ranges) -> float:
    """95% error in ranks, or people, of a tree of noisy counts with one number of each person."""
    cells, bounding = readout.axis.cells, ScaledToSum(1, 1)
    laplace = hierarchy.noisy("laplace", cost, bounding, cells, neighbours, readout)
    return min(laplace.error, hierarchy.noisy("gaussian", cost, bounding, cells, neighbours, readout).error)
