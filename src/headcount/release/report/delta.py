"""Delta, compared with the number of people. Each person has a chance of at most delta that more comes out about them
than epsilon allows; so of n people it is at most n times delta in expectation, and no more than that if each has an
item of their own, which is the worst case."""

from fractions import Fraction

from headcount.exact import written
from headcount.release.hints.request import delta_hints
from headcount.release.people import People
from headcount.release.report.facts import Facts

MAX_EXPECTED = Fraction(1, 10)
"""The expected number of people up to which delta passes: the default of 1e-6 does for up to 100,000 people."""


def delta_sentences(facts: Facts) -> list[str]:
    """How many people delta is small enough for, and what it means for those who are there; none without a delta."""
    delta, people = Fraction(facts.about.delta), facts.people
    if not delta:
        return []
    rule = (
        f"A delta of {float(delta):g} passes for up to {_enough_for(delta):,} people: in the worst case, in which "
        f"everybody has an item of their own, more may come out about {written(MAX_EXPECTED)} people in expectation "
        "(the number of people times delta)."
    )
    return [rule, *([_case(delta, people)] if people else [])]


def _enough_for(delta: Fraction) -> int:
    return int(MAX_EXPECTED / delta)


def _case(delta: Fraction, people: People) -> str:
    """What delta means for the number of people that is known."""
    if people.at_least:
        return f"There are {people} people ({people.origin})."
    return f"With {people} people ({people.origin}) it is {float(people.count * delta):.2g}."


def delta_warnings(facts: Facts) -> list[str]:
    """Warnings where delta is large, by itself or for the number of people."""
    delta, people = Fraction(facts.about.delta), facts.people
    large = people is not None and people.count * delta > MAX_EXPECTED
    return [*delta_hints(float(delta)), *([_too_large(delta, people)] if people and large else [])]


def delta_questions(facts: Facts) -> list[str]:
    """What to answer if nothing says how many people there are at most."""
    delta, people = Fraction(facts.about.delta), facts.people
    if not facts.is_central or not delta or delta_warnings(facts) or (people and not people.at_least):
        return []
    return [f"Are there more than {_enough_for(delta):,} people in the table? Then delta should be smaller."]


def _too_large(delta: Fraction, people: People) -> str:
    """What a delta that does not pass allows, and which one does."""
    expected = float(people.count * delta)
    allowed = " Publishing all rows of one person would be allowed." if expected >= 1 else ""
    return (
        f"Delta is {float(delta):g}, and there are {people} people ({people.origin}): in the worst case more may come "
        f"out about {expected:.2g} of them in expectation, which is above {written(MAX_EXPECTED)}.{allowed} "
        f"Fix: delta={largest_delta(people.count)} the next time"
    )


def largest_delta(people: int) -> str:
    """The largest power of ten that passes for this number of people.

    >>> largest_delta(100_000), largest_delta(100_001)
    ('1e-6', '1e-7')
    """
    return f"1e-{len(str(people * MAX_EXPECTED.denominator - 1))}"
