"""Lemmas 3, 4 and 6: stated bounds beside exact probabilities."""

from fractions import Fraction
from math import ceil, floor, log, sqrt

import numpy as np
from scipy import special

from experiments.parts import Part
from experiments.report import Setting, Table, number
from experiments.sampling.part import DELTA, EPSILON, PEOPLE, THETA, probability_text
from experiments.sampling.theorem import RATE, formula
from headcount.account.calibration import rates
from headcount.exact import Floats, Integers
from headcount.federated.sample import invitations_needed

RELATIVE_ERROR = 0.1
"""gamma: the relative error above which an estimate counts as wrong."""
CHANCES = (0.05, 0.2, 0.4, 0.45)
COPIES = (1, 2, 3, 10, 32, 100)
MARGIN = 10
"""c: the paper's "suitable constant" for the number of people invited beyond m."""
EXTRA = Fraction(1, 10**9)
"""Addition to delta allowed for inviting fewer than all people."""
LEMMA3_COLUMNS = (
    "beta",
    "on average in the sample",
    "exact chance to be off",
    "with ln(2/beta)",
    "exact chance to be off",
)
LEMMA4_COLUMNS = (
    "k",
    "expected",
    "stated: X > theta E[X]",
    "needed: X >= theta and X >= theta E[X]",
    "delta by the formula",
)
LEMMA6_COLUMNS = (
    "p",
    "m",
    "the paper asks s",
    "who takes part: variance m(1 - p)",
    "by Lemma 6: m(1 - m/s)",
    "distance of the two laws",
    f"corrected: enough for {float(EXTRA):.0e} more delta",
)
NOTES = (
    "*Lemma 3*: how large must an item's mean in the sample be for it to be off by more than 10% with a chance of at "
    "most beta? The paper's proof has (3/gamma²) ln(1/(2 beta)), Chernoff's bound gives (3/gamma²) ln(2/beta). For a "
    "small beta the bound is so loose that the slip does no harm; for a beta of .4 or more the claim is false. Exact "
    "chances are those of the binomial law with p = .0316. (The lemma says *with probability* where it means *fails "
    "with probability*.)",
    "*Lemma 4*, for the paper's example (p = .0316, theta = 20), says that X > theta E[X] has a chance of at most "
    "delta. Of an item that few people have that is false: a single one is in the sample with a chance of p. What is "
    "proved, and what Theorem 1 needs, is the next column.",
    f"*Lemma 6*, n = {PEOPLE:,}: m + {MARGIN} sqrt(m) people are invited, and each takes part with a chance of m/s. "
    "Their number is then far less spread than if everybody had a coin: the two laws have little in common (distance: "
    "total variation, of which 1 is the most). We know of no data on which that breaks the promise at epsilon 1, but "
    "neither the paper's proof nor the exact delta is about such a sample. Corrected (`headcount.federated`): how "
    "many take part is drawn first, in secret, of the right law. Then fewer people need an invitation than by the "
    "paper.",
)


def part(setting: Setting) -> Part:
    """The three lemmas."""
    stated = Table("Lemma 3: off by more than 10%", LEMMA3_COLUMNS, tuple(_lemma3(beta) for beta in CHANCES))
    large = Table("Lemma 4: many more in the sample than expected", LEMMA4_COLUMNS, tuple(map(_lemma4, COPIES)))
    ways = RATE, rates.best(EPSILON, DELTA).rate
    return Part(
        (stated, large, Table("Lemma 6: only some people answer", LEMMA6_COLUMNS, tuple(map(_lemma6, ways)))), NOTES
    )


def _lemma3(beta: float) -> tuple[str, ...]:
    means = [3 / RELATIVE_ERROR**2 * log(odds) for odds in (1 / (2 * beta), 2 / beta)]
    return (
        f"{beta:g}",
        *(cell for mean in means for cell in (f"{mean:.0f}", number(error_probability(mean, float(RATE))))),
    )


def error_probability(mean: float, p: float) -> float:
    """The probability of a relative error above `RELATIVE_ERROR`, for a count with this mean in the sample."""
    people = round(mean / p)
    low, high = ceil((1 - RELATIVE_ERROR) * people * p), floor((1 + RELATIVE_ERROR) * people * p)
    return float(special.bdtr(low - 1, people, p) + special.bdtrc(high, people, p))


def _lemma4(copies: int) -> tuple[str, ...]:
    mean = copies * float(RATE)
    stated, needed = floor(THETA * mean) + 1, max(THETA, ceil(THETA * mean))
    found = (binomial_tail(minimum, copies, float(RATE)) for minimum in (stated, needed))
    return (str(copies), f"{mean:.3g}", *map(probability_text, (*found, formula(THETA))))


def binomial_tail(minimum: int, coins: int, p: float) -> float:
    """P[Bin(coins, p) >= least]."""
    return float(special.bdtrc(minimum - 1, coins, p)) if minimum <= coins else 0.0


def _lemma6(rate: Fraction) -> tuple[str, ...]:
    p, m = float(rate), PEOPLE * float(rate)
    invited = ceil(m + MARGIN * sqrt(m))
    spreads = m * (1 - p), m * (1 - m / invited)
    far = f"{distance(PEOPLE, p, invited):.2f}"
    needed = invitations_needed(PEOPLE, rate, EPSILON, EXTRA)
    return (number(p), *(f"{each:,.0f}" for each in (m, invited, *spreads)), far, f"{needed:,}")


def distance(people: int, p: float, invited: int) -> float:
    """The total variation between Bin(n, p) and Bin(s, np/s)."""
    counts = np.arange(invited + 1)
    right, wrong = binomial_pmf(counts, people, p), binomial_pmf(counts, invited, people * p / invited)
    return float((np.abs(right - wrong).sum() + max(0.0, 1 - right.sum())) / 2)


def binomial_pmf(counts: Integers, coins: int, p: float) -> Floats:
    """The probability mass function of Bin(coins, p) at `counts`."""
    log_binomial = special.gammaln(coins + 1) - special.gammaln(counts + 1) - special.gammaln(coins - counts + 1)
    found: Floats = np.exp(log_binomial + special.xlogy(counts, p) + special.xlog1py(coins - counts, -p))
    return found
