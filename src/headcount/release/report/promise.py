"""What epsilon, delta and neighbours promise, in sentences with odds.

(epsilon, delta) means: but for a chance of delta, no result changes the odds of any two neighbouring tables by more
than e^epsilon (Dwork and Roth 2014, lemma 3.17). So a belief of 50% becomes e^epsilon / (1 + e^epsilon) at most.
"""

from dataclasses import dataclass
from math import ceil, exp, log

from headcount.account import Cost
from headcount.release.hints.request import LARGEST_EPSILON
from headcount.release.report.facts import Facts

STRENGTHS = ((1.0, "strong"), (LARGEST_EPSILON, "reasonable, to be used with other safeguards"))
"""Epsilon up to which a promise is commonly called so: the tiers of Ponomareva et al. 2023, for machine learning."""
WEAK = "weak by itself"
CHANGES = {
    "add-remove": "Take the data with and without",
    "replace": "Take the data with any rows, or any others, of",
    "replace-same-size": "Take the data with any rows, or as many others, of",
}


@dataclass(frozen=True)
class Promise:
    """The guarantee of a release, in numbers and words."""

    epsilon: float
    delta: float
    neighbours: str
    """The neighbouring relation; empty if it is not known."""
    user: str
    stated: str
    """The sentence in which the release itself states it."""

    def belief(self, before: float, times: float = 1.0) -> float:
        """The most that a belief can become, of two neighbours `times` apart."""
        epsilon = times * self.epsilon
        return before / (before + (1 - before) * exp(-epsilon))

    @property
    def exception(self) -> str:
        """What delta means."""
        if not self.delta:
            return "This holds without exception (delta is 0)."
        return (
            f"There is a chance of at most {odds_of(self.delta)} (delta {self.delta:g}) that the release reveals more "
            "than this."
        )

    @property
    def odds(self) -> str:
        """The meaning of epsilon for a reader's belief."""
        half, rare = percent(self.belief(0.5)), percent(self.belief(0.01))
        question = {
            "add-remove": "that a certain person is in the data",
            "replace": "that a certain person's rows are these and not those",
            "replace-same-size": "that a certain person's rows are these and not as many others",
        }.get(self.neighbours, "that a certain contribution is in the data")
        return (
            f"Anyone who thought it 50% likely {question} can get to at most {half} by seeing the whole release, "
            f"whatever else they know; from 1% they can get to at most {rare}."
        )

    @property
    def about_rows(self) -> str:
        """What follows for what a person did, if only presence is what neighbours differ in."""
        if self.neighbours != "add-remove":
            return ""
        most = percent(self.belief(0.5, times=2))
        return (
            f"About what a person in the data did, rather than whether they are in it, 50% can become at most {most}."
        )

    @property
    def strength(self) -> str:
        """Epsilon in words."""
        return next((words for most, words in STRENGTHS if self.epsilon <= most), WEAK)

    @property
    def change(self) -> str:
        """What neighbours differ in, and what that changes; as stated, if the relation is unknown."""
        if self.neighbours not in CHANGES:
            return self.stated
        return (
            f"{CHANGES[self.neighbours]} one person (one value of the column {self.user}) with all of their rows: "
            "every result is almost as likely with the one as with the other, within a factor of "
            f"{factor(self.epsilon)} (epsilon {self.epsilon:g})."
        )

    @property
    def sentences(self) -> list[str]:
        """The promise as one paragraph."""
        size = f"An epsilon of {self.epsilon:g} is commonly called {self.strength}; no standard sets a limit."
        return [self.change, self.odds, self.about_rows, self.exception, size]


def promise_of(facts: Facts, cost: Cost | None = None) -> Promise:
    """The promise of a release; or of all that a cost stands for."""
    paid = cost or facts.about
    return Promise(float(paid.epsilon), float(paid.delta), facts.neighbours, facts.user, facts.stated)


def factor(epsilon: float) -> str:
    """e^epsilon, for people."""
    return f"{exp(epsilon):.3g}" if epsilon <= log(1e6) else f"10^{epsilon / log(10):.0f}"


def percent(share: float) -> str:
    """A share in percent, rounded up.

    >>> percent(0.73106), percent(0.99995), percent(0.0267)
    ('73.2%', 'nearly 100%', '2.7%')
    """
    return f"{ceil(1000 * share) / 10:g}%" if share <= 0.999 else "nearly 100%"


def odds_of(chance: float) -> str:
    """A small probability as one in a number."""
    return f"1 in {1 / chance:,.0f}"
