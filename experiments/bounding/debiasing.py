"""Loss of one item's total, clipped with Laplace noise, before and after debiasing for Poisson counts (Algorithm 5).

An experiment, not a release: the noise is NumPy's, from a seed."""

from dataclasses import dataclass

import numpy as np

from experiments.bounding.people import People, Random
from experiments.report import number
from headcount.estimate.counts.poisson import undo_clipping
from headcount.exact import Floats, Integers


@dataclass(frozen=True)
class DebiasedLosses:
    """Relative losses of the total, over several releases."""

    bounds: Integers
    """Bound of each release."""
    clipped: Floats
    undone: Floats

    def summary(self) -> str:
        """Mean loss before and after debiasing."""
        return f"{number(float(self.clipped.mean()))} → {number(float(self.undone.mean()))}"


def release_losses(people: People, bounds: Integers, random: Random) -> DebiasedLosses:
    """Simulate one release per bound at epsilon 1."""
    counts, true = people.histograms.counts, float(people.histograms.counts.sum())
    totals = {bound: float(np.minimum(counts, bound).sum()) for bound in np.unique(bounds).tolist()}
    noisy = np.array([totals[bound] for bound in bounds.tolist()]) + random.laplace(size=len(bounds)) * bounds
    again = np.empty_like(noisy)
    for bound in totals:
        again[bounds == bound] = undo_clipping(noisy[bounds == bound], people.number, bound)
    return DebiasedLosses(bounds, np.abs(noisy / true - 1), np.abs(again / true - 1))
