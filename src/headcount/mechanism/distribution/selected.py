"""The distribution that people draw from, item by item: a binomial is selected for each by its fit (Liu et al. 2020,
Algorithms 1 to 5, repaired).

Everybody counts with equally many samples, so how often people have an item is binomial. For every item one binomial of
a public grid is selected by the exponential mechanism, with its fit as the score (estimate/distribution/binomial.py). A
person who does not have an item does not affect its selection: so one person changes at most as many selections as they
have samples, and twice that if they replace another. The fit depends on the number of people, which is public or
counted with noise before. For "sparse", the number of people who have each item at all is counted with noise as well:
for rare items that is more informative. Proof for both kinds of neighbours: docs/proofs/selected.md.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import exp, hypot, inf, isqrt, pi, sqrt
from typing import ClassVar, Literal

import numpy as np

from headcount.account.calibration import calibrate
from headcount.account.curves.threshold import changed_people
from headcount.account.events import Gaussian, Neighbours, Selections
from headcount.account.guarantee import Cost
from headcount.bound import Sensitivity
from headcount.bound.boundings.draws import BoundedDraws, ExactDraws
from headcount.bound.stability import Payment, Stability, of_contributions, of_number
from headcount.errors import BadParameter
from headcount.estimate.distribution import binomial, scheffe
from headcount.estimate.distribution.shares import (
    EQUAL_PEOPLE,
    EQUAL_PEOPLE_NOTE,
    INTERVAL_NOTE,
    MIN_SIGNAL_DEVIATIONS,
    with_intervals,
)
from headcount.exact import Floats, Integers
from headcount.mechanism.mechanism import Columns, Estimand, Mechanism, Noisy, noise_deviation, noise_distribution
from headcount.noise import Entropy, NoiseDistribution
from headcount.noise.by_score import ByScore
from headcount.system.late import scipy
from headcount.wording import format_number

Method = Literal["ks", "hypothesis-selection", "sparse"]

MAX_CELLS = 2**26
"""The largest product of items and samples of a person."""
MIN_SELECTION_EPSILON = Fraction(1, 10**9)
"""The smallest epsilon of a selection: below, no two candidates could ever be distinguished."""
MAX_NOISY_PEOPLE = 2**40
"""An upper limit of the number of people, as noise may give any number."""
CHUNK_SIZE = 2**22
"""The number of scores, or upper counts, in memory at a time."""
PRESENCE_SHARE = Fraction(1, 2)
"""The share of the noise's budget for the number of people who have each item, if it is counted."""
FIT_VARIANCE_SHARE = 1 / 3
"""The variance that a fit adds by not being maximum likelihood, as a share of the sampling variance: measured."""
RARE_COUNT = 2
"""An item that people have fewer times than this on average is estimated by presence (Liu et al. 2020, Algorithm 5)."""


@dataclass(frozen=True)
class NoisySelected(Noisy):
    """The selection for each item: the values are places in the public grid."""

    people: int
    """Number of people: public, or noisy. Not below 0."""
    presence: Integers | None
    """Noisy number of people who have each item, if it was counted."""


@dataclass(frozen=True)
class Selected(Mechanism[BoundedDraws, NoisySelected]):
    """A binomial for every item of a known list, selected by its fit."""

    name: ClassVar[str] = "selected"
    proof: ClassVar[str] = "docs/proofs/selected.md"
    bounding: ExactDraws
    event: Selections
    score: Literal["ks", "scheffe"]
    """The score of a fit: the largest difference of counts, or a tournament."""
    people: int | Gaussian
    """Number of people, or the noise with which they are counted."""
    presence: Gaussian | None = None
    """The noise on the number of people who have each item, if it is counted."""

    @property
    def payments(self) -> tuple[Payment, ...]:
        presence = self.stability
        noises = ((self.people, of_number(1)), (self.presence, presence))
        return ((self.event, presence), *((each, change) for each, change in noises if isinstance(each, Gaussian)))

    @property
    def stability(self) -> Stability:
        """A person is once in the counts, and so in the scores, of at most as many items as they have draws."""
        max_total = self.bounding.max_total
        return of_contributions(
            Sensitivity(items=max_total, largest=1, total=max_total, squared=max_total), self.max_totals
        )

    @property
    def distributions(self) -> tuple[NoiseDistribution, ...]:
        return tuple(noise_distribution(event) for event in self.events if isinstance(event, Gaussian))

    @property
    def rate(self) -> Fraction:
        """A score of one more makes a candidate exp(rate) times as likely; a person changes each score by at most 1."""
        return self.event.epsilon / 2

    def grid(self, people: int) -> Floats:
        """The candidate shares."""
        return binomial.grid_for(people, self.bounding.max_total, float(self.event.epsilon))

    def run(self, bounded: BoundedDraws, entropy: Entropy) -> NoisySelected:
        self.check(bounded)
        people = self._people(len(bounded.starts) - 1, entropy)
        chosen = np.zeros(len(bounded.totals), dtype=np.int64)
        for items, scores in self._scores(bounded, people):
            chosen[items] = [entropy.draw(ByScore(self.rate, each), 1)[0] for each in scores]
        return NoisySelected(bounded.items, chosen, people, self._presence(bounded, entropy))

    def estimate(self, noisy: NoisySelected) -> Columns:
        found, noise = shares(noisy, self)
        minimum = (
            0.0
            if isinstance(self.people, int)
            else MIN_SIGNAL_DEVIATIONS * noise_deviation(noise_distribution(self.people))
        )
        if noisy.people < max(minimum, 1.0):
            noise = np.full(len(found), inf)
        return Columns(with_intervals(found, noise, 1 / max(noisy.people * self.bounding.max_total, 1.0)))

    @property
    def estimand(self) -> Estimand:
        return "modelled"

    @property
    def assumption(self) -> str:
        return EQUAL_PEOPLE

    @property
    def interval_meaning(self) -> str:
        return INTERVAL_NOTE + EQUAL_PEOPLE_NOTE

    def _people(self, many: int, entropy: Entropy) -> int:
        if isinstance(self.people, int):
            return min(self.people, MAX_NOISY_PEOPLE)
        return min(max(many + int(entropy.draw(noise_distribution(self.people), 1)[0]), 0), MAX_NOISY_PEOPLE)

    def _presence(self, bounded: BoundedDraws, entropy: Entropy) -> Integers | None:
        if self.presence is None:
            return None
        cells = len(bounded.totals)
        noisy: Integers = np.bincount(bounded.indices, minlength=cells) + entropy.draw(
            noise_distribution(self.presence), cells
        )
        return noisy

    def _scores(self, bounded: BoundedDraws, people: int) -> Iterator[tuple[slice, Integers]]:
        """Chunks of items, and their scores. Shape: (items, shares)."""
        shares, draws, cells = self.grid(people), self.bounding.max_total, len(bounded.totals)
        score = self._scoring(people, shares)
        order = np.argsort(bounded.indices, kind="stable")
        indices, counts = bounded.indices[order], bounded.counts[order]
        chunk = max(1, CHUNK_SIZE // max(len(shares), draws))
        for first in range(0, cells, chunk):
            some = min(chunk, cells - first)
            pairs = slice(*np.searchsorted(indices, [first, first + some]).tolist())
            upper = binomial.upper_counts(indices[pairs] - first, counts[pairs], some, draws)
            yield slice(first, first + some), score(upper)

    def _scoring(self, people: int, shares: Floats) -> Callable[[Integers], Integers]:
        """The function from upper counts to scores."""
        draws = self.bounding.max_total
        if self.score == "ks":
            return partial(binomial.ks_scores, known=binomial.expected(people, draws, shares))
        rivals = scheffe.tournament(people, draws, shares, self.apart(people))
        return partial(scheffe.scheffe_scores, known=rivals)

    def apart(self, people: int) -> float:
        """The distance between rivals of a tournament."""
        return scheffe.apart(people, len(self.grid(people)), float(self.event.epsilon))

    def explain(self, item: str) -> list[str]:
        fits = "the largest difference of counts" if self.score == "ks" else "a tournament against the others"
        chosen = (
            f"The number of times that a person has one {item} is taken as binomial. For every {item} of the public "
            f"list, headcount draws one share of a public grid at random: the better its binomial fits, by {fits}, the "
            f"likelier it is. Each draw has epsilon {float(self.event.epsilon):.3g}; one person changes at most "
            f"{self.event.count:,} of these draws."
        )
        return [*self._counted(), chosen, *self._present(item)]

    def _counted(self) -> list[str]:
        if isinstance(self.people, int):
            return []
        noise = _noise_words(self.people)
        return [f"headcount first counts the people with enough samples, with {noise}."]

    def _present(self, item: str) -> list[str]:
        if self.presence is None:
            return []
        noise = _noise_words(self.presence)
        return [
            f"headcount adds {noise} to the number of people who have each {item} at all. It estimates the shares of "
            "rare ones from these."
        ]


def _noise_words(event: Gaussian) -> str:
    deviation = noise_deviation(noise_distribution(event))
    return f"discrete Gaussian noise with a standard deviation of {format_number(deviation)}"


def shares(noisy: NoisySelected, mechanism: Selected) -> tuple[Floats, Floats]:
    """The share of each item, not yet normalised; and its standard deviation through selection and noise, without that
    of sampling."""
    grid = mechanism.grid(noisy.people)
    chosen = np.clip(noisy.values, 0, len(grid) - 1)
    estimate, deviation = grid[chosen], _selection_deviation(mechanism, noisy.people, grid, chosen)
    if noisy.presence is None:
        return estimate, deviation
    rare = estimate < RARE_COUNT / mechanism.bounding.max_total
    small, small_deviation = _presence_shares(noisy.presence, mechanism, noisy.people)
    return np.where(rare, small, estimate), np.where(rare, small_deviation, deviation)


def _selection_deviation(mechanism: Selected, people: int, grid: Floats, chosen: Integers) -> Floats:
    """The standard deviation of selected shares, from three sources: the fall of weights with the score; a fit that is
    not maximum likelihood; and, with a small probability, any share of the grid."""
    here, some, draws = grid[chosen], max(people, 1), mechanism.bounding.max_total
    near = binomial.half_widths(draws, grid, chosen, _count_deviation(mechanism, people) / some)
    if mechanism.score == "scheffe":
        near = np.hypot(near, _boundary_deviation(mechanism, people, here))
    rough = FIT_VARIANCE_SHARE * here * (1 - here) / (draws * some)
    lost = _miss_probability(mechanism, people)
    anywhere = 3 / 8 - here * (1 - here)  # the mean square of a share from all of the grid, about this one
    return np.asarray(np.sqrt(near**2 + rough + lost * anywhere))


def _count_deviation(mechanism: Selected, people: int) -> float:
    """The standard deviation of a selection, in people: a score's weights are those of Laplace noise on counts. Noise
    in the number of people moves counts by half as much, where they are most informative. In a tournament they are
    compared where they are less informative."""
    counts = hypot(sqrt(2) / float(mechanism.rate), _people_deviation(mechanism) / 2)
    return counts if mechanism.score == "ks" else counts * exp(scipy.special.erfinv(3 * mechanism.apart(people)) ** 2)


def _boundary_deviation(mechanism: Selected, people: int, here: Floats) -> Floats:
    """The bias near 0 and 1, where a tournament lacks rivals on one side, and the selected share is too far from that
    end."""
    end = np.minimum(here, 1 - here)
    distance = -np.expm1(mechanism.bounding.max_total * np.log1p(-end))
    return np.where(distance < min(4.5 * mechanism.apart(people), 0.99), end, 0.0)


def _miss_probability(mechanism: Selected, people: int) -> float:
    """The probability of selecting a share that is nowhere near, though it has the worst fit."""
    some, rate = max(people, 1), float(mechanism.rate)
    worse = some if mechanism.score == "ks" else 1.5 * mechanism.apart(people) * some
    part = min(
        1.0, 4 / (0.8 * pi * rate * some * sqrt(mechanism.bounding.max_total))
    )  # the share of the grid that is near
    odds = (1 - part) / part * exp(-rate * worse)
    return odds / (1 + odds)


def _people_deviation(mechanism: Selected) -> float:
    """The standard deviation of the number of people."""
    return 0.0 if isinstance(mechanism.people, int) else noise_deviation(noise_distribution(mechanism.people))


def _presence_shares(presence: Integers, mechanism: Selected, people: int) -> tuple[Floats, Floats]:
    """Shares estimated from the fraction of people who have an item, and their standard deviations."""
    assert mechanism.presence is not None
    some, draws = max(people, 1), mechanism.bounding.max_total
    parts = np.clip(presence / some, 0.0, 1.0)
    found = binomial.from_presence(parts, draws)
    noise = (
        np.hypot(noise_deviation(noise_distribution(mechanism.presence)), parts * _people_deviation(mechanism)) / some
    )
    deviation = np.sqrt(noise**2 + _excess_variance(parts, found, draws) / some)
    low, high = binomial.from_presence(parts - deviation, draws), binomial.from_presence(parts + deviation, draws)
    return found, np.maximum(high - found, found - low)


def _excess_variance(parts: Floats, shares: Floats, draws: int) -> Floats:
    """The variance of the fraction of people beyond the one that all their samples would give."""
    slope = draws * (1 - shares) ** (draws - 1)  # derivative of the fraction by the share
    return np.maximum(parts * (1 - parts) - slope**2 * shares * (1 - shares) / draws, 0.0)


def calibrated(
    budget: Cost, bounding: ExactDraws, neighbours: Neighbours, cells: int, method: Method, people: int | None
) -> Selected:
    """The mechanism with noise calibrated to the budget. `people` is their number, if it is public."""
    _check(budget, bounding, cells, method, people)
    count = min(cells, changed_people(neighbours) * bounding.max_total)
    measurements = []
    if people is None:
        measurements.append((_people_share(count), Fraction(1), 1))
    if method == "sparse":
        measurements.append((PRESENCE_SHARE, Fraction(count), count))
    event, noise = calibrate.selections(budget.epsilon, budget.delta, count, measurements)
    if event.epsilon < MIN_SELECTION_EPSILON:
        raise BadParameter("epsilon: too small to choose anything by.", fix="epsilon=1")
    counted = noise.pop(0) if people is None else people
    return Selected(bounding, event, "ks" if method == "ks" else "scheffe", counted, *noise, max_totals=cells)


def _people_share(count: int) -> Fraction:
    """The share of the budget for the number of people. The error of a selection is the root of count / (2 rho), plus
    half of the error of that number, so this is optimal."""
    return Fraction(1, 1 + 2 * isqrt(count))


def _check(budget: Cost, bounding: ExactDraws, cells: int, method: Method, people: int | None) -> None:
    if cells * bounding.max_total > MAX_CELLS:
        raise BadParameter(
            f"{cells:,} items and {bounding.max_total:,} samples of each person: too many counts to choose by, more "
            f"than "
            f"{MAX_CELLS:,}.",
            fix=f'bound={max(1, MAX_CELLS // cells)}, or mechanism="recentred"',
        )
    if not budget.delta and (method == "sparse" or people is None):
        what = "how many people have each item" if method == "sparse" else "how many people there are"
        instead = 'mechanism="ks"' if method == "sparse" else "people=1000, if their number is public"
        raise BadParameter(
            f"delta=0: {what} is counted with Gaussian noise, which needs a delta.", fix=f"delta=1e-6, or {instead}"
        )
