"""The distribution that people draw from, item by item: for each a binomial is chosen that fits (paper 004, Algorithms
1 to 5, repaired).

Everybody counts with equally many samples, so how often people have an item is binomial. Of a public grid of binomials
one is chosen for every item, the better it fits the likelier (estimate/distribution/binomial.py). A person who does not
have an item changes nothing of its choice: so one person changes at most as many choices as they have samples, and
twice that if they take another's place. What fits depends on how many people there are, which is public or counted with
noise before. For "sparse", how many people have each item at all is counted as well, with noise: of rare items that
tells more. Proof for both kinds of neighbours: docs/proofs/selected.md.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import exp, hypot, inf, isqrt, pi, sqrt
from typing import ClassVar, Literal

import numpy as np
from scipy.special import erfinv

from headcount.account import calibrate
from headcount.account.events import Event, Gaussian, Neighbours, Selections
from headcount.account.guarantee import Cost
from headcount.account.threshold import changed_people
from headcount.bound.draws import BoundedDraws, ExactDraws
from headcount.errors import BadParameter
from headcount.estimate.distribution import binomial, scheffe
from headcount.estimate.distribution.shares import (
    EQUAL_PEOPLE_NOTE,
    INTERVAL_NOTE,
    MIN_SIGNAL_DEVIATIONS,
    with_intervals,
)
from headcount.exact import Floats, Integers
from headcount.mechanism.mechanism import Columns, Mechanism, Noisy, deviation, law
from headcount.noise import Entropy, Law
from headcount.noise.by_score import ByScore
from headcount.wording import format_number

Method = Literal["ks", "hypothesis-selection", "sparse"]

MOST_CELLS = 2**26
"""Items times samples of a person."""
LEAST = Fraction(1, 10**9)
"""Of a choice's epsilon: below it, nothing could ever be told apart."""
EVERYBODY = 2**40
"""More people than there are: noise may say anything."""
AT_ONCE = 2**22
"""So many scores, or upper counts, are held at once."""
PRESENCE = Fraction(1, 2)
"""The part of the noise's price for how many people have each item, if it is counted."""
LOOSE = 1 / 3
"""What a fit that is not the most likely one adds to the variance of samples: measured."""
RARE = 2
"""What most people have not so often is told by how many have it at all (paper 004, Algorithm 5)."""


@dataclass(frozen=True)
class NoisySelected(Noisy):
    """What was chosen for each item: the values are places in the public grid."""

    people: int
    """How many people there are: public, or with noise. Not below 0."""
    presence: Integers | None
    """How many have each item, with noise, if that was counted."""


@dataclass(frozen=True)
class Selected(Mechanism[BoundedDraws, NoisySelected]):
    """A binomial for every item of a known list, chosen by how well it fits."""

    name: ClassVar[str] = "selected"
    proof: ClassVar[str] = "docs/proofs/selected.md"
    bounding: ExactDraws
    event: Selections
    score: Literal["ks", "scheffe"]
    """What fits: by the largest difference of counts, or by a tournament."""
    people: int | Gaussian
    """How many people there are, or the noise with which they are counted."""
    presence: Gaussian | None = None
    """The noise on how many people have each item, if that is counted."""

    @property
    def events(self) -> tuple[Event, ...]:
        return (self.event, *self._noises)

    @property
    def _noises(self) -> list[Gaussian]:
        return [each for each in (self.people, self.presence) if isinstance(each, Gaussian)]

    @property
    def laws(self) -> tuple[Law, ...]:
        return tuple(map(law, self._noises))

    @property
    def rate(self) -> Fraction:
        """A score of one more makes a choice exp(rate) times as likely: one person changes all scores by 1 at most."""
        return self.event.epsilon / 2

    def grid(self, people: int) -> Floats:
        """The shares from which one is chosen."""
        return binomial.grid_for(people, self.bounding.most, float(self.event.epsilon))

    def run(self, bounded: BoundedDraws, entropy: Entropy) -> NoisySelected:
        self.check(bounded)
        people = self._people(len(bounded.starts) - 1, entropy)
        chosen = np.zeros(len(bounded.totals), dtype=np.int64)
        for items, scores in self._scores(bounded, people):
            chosen[items] = [entropy.draw(ByScore(self.rate, each), 1)[0] for each in scores]
        return NoisySelected(bounded.items, chosen, people, self._presence(bounded, entropy))

    def estimate(self, noisy: NoisySelected) -> Columns:
        found, noise = shares(noisy, self)
        doubt = 0.0 if isinstance(self.people, int) else MIN_SIGNAL_DEVIATIONS * deviation(law(self.people))
        if noisy.people < max(doubt, 1.0):
            noise = np.full(len(found), inf)
        return Columns(with_intervals(found, noise, 1 / max(noisy.people * self.bounding.most, 1.0)))

    @property
    def interval_told(self) -> str:
        return INTERVAL_NOTE + EQUAL_PEOPLE_NOTE

    def _people(self, many: int, entropy: Entropy) -> int:
        if isinstance(self.people, int):
            return min(self.people, EVERYBODY)
        return min(max(many + int(entropy.draw(law(self.people), 1)[0]), 0), EVERYBODY)

    def _presence(self, bounded: BoundedDraws, entropy: Entropy) -> Integers | None:
        if self.presence is None:
            return None
        cells = len(bounded.totals)
        noisy: Integers = np.bincount(bounded.places, minlength=cells) + entropy.draw(law(self.presence), cells)
        return noisy

    def _scores(self, bounded: BoundedDraws, people: int) -> Iterator[tuple[slice, Integers]]:
        """Some items after others, and their scores. Shape: (items, shares)."""
        shares, draws, cells = self.grid(people), self.bounding.most, len(bounded.totals)
        score = self._scoring(people, shares)
        order = np.argsort(bounded.places, kind="stable")
        places, counts = bounded.places[order], bounded.counts[order]
        several = max(1, AT_ONCE // max(len(shares), draws))
        for first in range(0, cells, several):
            some = min(several, cells - first)
            pairs = slice(*np.searchsorted(places, [first, first + some]).tolist())
            upper = binomial.upper_counts(places[pairs] - first, counts[pairs], some, draws)
            yield slice(first, first + some), score(upper)

    def _scoring(self, people: int, shares: Floats) -> Callable[[Integers], Integers]:
        """Scores of upper counts."""
        draws = self.bounding.most
        if self.score == "ks":
            return partial(binomial.ks_scores, known=binomial.expected(people, draws, shares))
        rivals = scheffe.tournament(people, draws, shares, self.apart(people))
        return partial(scheffe.scheffe_scores, known=rivals)

    def apart(self, people: int) -> float:
        """How far rivals of a tournament are away."""
        return scheffe.apart(people, len(self.grid(people)), float(self.event.epsilon))

    def explain(self, item: str) -> list[str]:
        fits = "the largest difference of counts" if self.score == "ks" else "a tournament against the others"
        chosen = (
            f"How often people have a {item} is binomial. For every {item} of the public list one share of a public "
            f"grid is chosen at random, the better its binomial fits, by {fits}, the likelier (epsilon "
            f"{float(self.event.epsilon):.3g} each; one person changes at most {self.event.count:,} of these choices)."
        )
        return [*self._counted(), chosen, *self._present(item)]

    def _counted(self) -> list[str]:
        if isinstance(self.people, int):
            return []
        noise = f"discrete Gaussian noise with a standard deviation of {format_number(deviation(law(self.people)))}"
        return [f"How many people have enough samples is counted first, with {noise}."]

    def _present(self, item: str) -> list[str]:
        if self.presence is None:
            return []
        noise = f"discrete Gaussian noise with a standard deviation of {format_number(deviation(law(self.presence)))}"
        return [f"How many people have each {item} at all gets {noise}; the shares of rare ones are estimated by that."]


def shares(noisy: NoisySelected, mechanism: Selected) -> tuple[Floats, Floats]:
    """The share of each item, not yet made to add up to 1; and how far off it is through what was chosen and noise, as
    a standard deviation. That samples are samples comes on top."""
    grid = mechanism.grid(noisy.people)
    chosen = np.clip(noisy.values, 0, len(grid) - 1)
    estimate, off = grid[chosen], _off(mechanism, noisy.people, grid, chosen)
    if noisy.presence is None:
        return estimate, off
    rare = estimate < RARE / mechanism.bounding.most
    small, small_off = _of_presence(noisy.presence, mechanism, noisy.people)
    return np.where(rare, small, estimate), np.where(rare, small_off, off)


def _off(mechanism: Selected, people: int, grid: Floats, chosen: Integers) -> Floats:
    """How far off choices are, in three ways: about as far as weights fall with the score; as far as a fit that is not
    the most likely one may be off; and, by a chance, anything of the grid."""
    here, some, draws = grid[chosen], max(people, 1), mechanism.bounding.most
    near = binomial.half_widths(draws, grid, chosen, _counts_off(mechanism, people) / some)
    if mechanism.score == "scheffe":
        near = np.hypot(near, _unseen(mechanism, people, here))
    rough = LOOSE * here * (1 - here) / (draws * some)
    lost = _lost(mechanism, people)
    anywhere = 3 / 8 - here * (1 - here)  # the mean square of a share from all of the grid, about this one
    return np.asarray(np.sqrt(near**2 + rough + lost * anywhere))


def _counts_off(mechanism: Selected, people: int) -> float:
    """The deviation of a choice, in people: a score's weights are those of Laplace noise on counts. Noise in the number
    of people moves counts by half of it, where they tell most. In a tournament they are compared where they tell less.
    """
    counts = hypot(sqrt(2) / float(mechanism.rate), _people_off(mechanism) / 2)
    return counts if mechanism.score == "ks" else counts * exp(erfinv(3 * mechanism.apart(people)) ** 2)


def _unseen(mechanism: Selected, people: int, here: Floats) -> Floats:
    """Near 0 and 1 a tournament lacks rivals on one side, and the share that is chosen is too far from that end."""
    end = np.minimum(here, 1 - here)
    distance = -np.expm1(mechanism.bounding.most * np.log1p(-end))
    return np.where(distance < min(4.5 * mechanism.apart(people), 0.99), end, 0.0)


def _lost(mechanism: Selected, people: int) -> float:
    """The chance of a choice that is nowhere near, though it fits worst of all."""
    some, rate = max(people, 1), float(mechanism.rate)
    worse = some if mechanism.score == "ks" else 1.5 * mechanism.apart(people) * some
    part = min(1.0, 4 / (0.8 * pi * rate * some * sqrt(mechanism.bounding.most)))  # of the grid, that is near
    odds = (1 - part) / part * exp(-rate * worse)
    return odds / (1 + odds)


def _people_off(mechanism: Selected) -> float:
    """The deviation of the number of people."""
    return 0.0 if isinstance(mechanism.people, int) else deviation(law(mechanism.people))


def _of_presence(presence: Integers, mechanism: Selected, people: int) -> tuple[Floats, Floats]:
    """The shares that the parts of people who have an item tell, and how far off they are."""
    assert mechanism.presence is not None
    some, draws = max(people, 1), mechanism.bounding.most
    parts = np.clip(presence / some, 0.0, 1.0)
    found = binomial.from_presence(parts, draws)
    noise = np.hypot(deviation(law(mechanism.presence)), parts * _people_off(mechanism)) / some
    off = np.sqrt(noise**2 + _beyond_samples(parts, found, draws) / some)
    low, high = binomial.from_presence(parts - off, draws), binomial.from_presence(parts + off, draws)
    return found, np.maximum(high - found, found - low)


def _beyond_samples(parts: Floats, shares: Floats, draws: int) -> Floats:
    """By how much the variance of parts of people is above what that of all their samples would make of it."""
    slope = draws * (1 - shares) ** (draws - 1)  # of the part, with the share
    return np.maximum(parts * (1 - parts) - slope**2 * shares * (1 - shares) / draws, 0.0)


def calibrated(
    budget: Cost, bounding: ExactDraws, neighbours: Neighbours, cells: int, method: Method, people: int | None
) -> Selected:
    """With as much noise as the budget needs. `people` is their number, if it is public."""
    _check(budget, bounding, cells, method, people)
    count = min(cells, changed_people(neighbours) * bounding.most)
    beside = []
    if people is None:
        beside.append((_people_share(count), Fraction(1), 1))
    if method == "sparse":
        beside.append((PRESENCE, Fraction(count), count))
    event, noise = calibrate.selections(budget.epsilon, budget.delta, count, beside)
    if event.epsilon < LEAST:
        raise BadParameter("epsilon: too small to choose anything by.", fix="epsilon=1")
    counted = noise.pop(0) if people is None else people
    return Selected(bounding, event, "ks" if method == "ks" else "scheffe", counted, *noise)


def _people_share(count: int) -> Fraction:
    """The part of the price for the number of people. A choice is off by the root of count / (2 rho), and by half of
    what that number is off by, so this is the best."""
    return Fraction(1, 1 + 2 * isqrt(count))


def _check(budget: Cost, bounding: ExactDraws, cells: int, method: Method, people: int | None) -> None:
    if cells * bounding.most > MOST_CELLS:
        raise BadParameter(
            f"{cells:,} items and {bounding.most:,} samples of each person: too many counts to choose by, more than "
            f"{MOST_CELLS:,}.",
            fix=f'bound={max(1, MOST_CELLS // cells)}, or mechanism="recentred"',
        )
    if not budget.delta and (method == "sparse" or people is None):
        what = "how many people have each item" if method == "sparse" else "how many people there are"
        instead = 'mechanism="ks"' if method == "sparse" else "people=1000, if their number is public"
        raise BadParameter(
            f"delta=0: {what} is counted with Gaussian noise, which needs a delta.", fix=f"delta=1e-6, or {instead}"
        )
