"""What the promise of a sample says in words: to whom, against which readers, and what no price is for."""

from math import exp

from headcount.federated.messages import Round
from headcount.federated.terms import SampleTerms

CHANGES = {
    "add-remove": "adding or removing any one person, with all their items,",
    "replace": "replacing all items of any one person by other items",
}


def guarantee(terms: SampleTerms, shown: str) -> str:
    """The promise about what is shown, in a paragraph."""
    epsilon, delta = float(terms.epsilon), float(terms.delta)
    return (
        f"Privacy: {CHANGES[terms.neighbours]}{_at_sites(terms)} changes the probability of any outcome by at most a "
        f"factor of {exp(epsilon):.4g} (e^{epsilon:g}), plus {delta:g}. That is for {shown}. {readers(terms)}"
        f"{_sites(terms)}{_invited(terms)} It does not hide who answers from anyone who watches the network."
    )


def readers(terms: SampleTerms) -> str:
    """For which readers the promise is, and what others read."""
    if terms.insiders is None:
        most, more, each = "It is for readers who did not answer.", "People who did", "each"
    else:
        some = f"{terms.insiders:,} people who answered, each under one name, and read together"
        most = f"It also holds for {'a reader who answered under one name' if terms.insiders == 1 else some}."
        more, each = "More people who answered", "each further one"
    return (
        f"{most} {more}, and put together what they know of their own coins, read as if the threshold were lower by "
        f"{terms.memberships:,} for {each}."
    )


def reporter(terms: SampleTerms) -> str:
    """Who reports."""
    return "device or site" if terms.has_sites else "device"


def _sites(terms: SampleTerms) -> str:
    """What is not promised where sites answer."""
    if not terms.has_sites:
        return ""
    twice = " A person at two sites is two people." if terms.memberships == 1 else ""
    return f" A site knows the coins of all its people: the promise is for readers who run no site.{twice}"


def _at_sites(terms: SampleTerms) -> str:
    """At how many sites a person may be."""
    if terms.memberships == 1:
        return ""
    return f" at up to {terms.memberships:,} sites" + ("," if terms.neighbours == "add-remove" else "")


def _invited(terms: SampleTerms) -> str:
    """What is not priced where some are invited."""
    if not isinstance(terms, Round) or terms.people is None:
        return ""
    return " Whoever knows who was invited learns a little about the size of the sample, which no price is for."
