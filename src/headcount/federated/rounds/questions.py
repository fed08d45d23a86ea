"""Plans of several rounds from what an analyst types: the rate and the threshold follow from epsilon and delta."""

from collections.abc import Sequence
from fractions import Fraction
from string import ascii_lowercase
from typing import Any, TypeVar

from headcount.account.events import Neighbours, SampleThreshold
from headcount.errors import BadParameter
from headcount.estimate.ordered.tree import Shape
from headcount.exact import Number, positive, rational
from headcount.federated.listed.extension import Extension
from headcount.federated.listed.questions import HONEST_SHARE, secure_round
from headcount.federated.readers import Readers
from headcount.federated.rounds.numbers import Method, QuantilesPlan, RangesPlan
from headcount.federated.rounds.plan import RoundsPlan
from headcount.federated.rounds.prefixes import HeavyHittersPlan
from headcount.federated.rounds.secure import SecureHeavyHittersPlan
from headcount.federated.schema import Whole
from headcount.federated.step import MAX_CUTS, MAX_ROUNDS, Scale
from headcount.federated.terms import INSIDERS, MAX_ITEMS
from headcount.mechanism.ordered import binary_search
from headcount.mechanism.ordered.strategy import SAMPLED_FAN_OUT, TREE_THETA
from headcount.noise import Entropy, SystemEntropy
from headcount.source.scales.axis import CELLS, Spacing, spaced
from headcount.wording.typed import listed

DECILES = tuple(Fraction(tenth, 10) for tenth in range(1, 10))
SECURE_LENGTHS = (2, 3, 4, 5, 6, 7, 8)
CANDIDATES = 2**13
"""Room for 303 prefixes, each with 26 letters and an end."""
_SYSTEM = SystemEntropy()
Plan = TypeVar("Plan", bound=RoundsPlan)


def heavy_hitters(
    asks: str,
    *,
    share: Number,
    people: int,
    epsilon: Number,
    delta: Number = "1e-6",
    items: int = 1,
    lengths: Sequence[int] = (2, 4),
    neighbours: Neighbours = "add-remove",
    insiders: int = INSIDERS,
    sites_per_person: int | None = None,
    entropy: Entropy = _SYSTEM,
) -> HeavyHittersPlan:
    """Plan to find the items that at least a share of `people` people have, prefix by prefix.

    lengths: number of characters of the prefixes of each round but the last, which asks for whole items.
    items: the most reports of one person in one round.
    insiders: the number of people who answered, and so know their own coins, who may read the results together. Each
        raises the threshold. With 0, the promise is for readers who did not answer.
    sites_per_person: the largest number of sites that report for the same person, if sites may answer. If it is 1, a
        person at two sites is two people.

    >>> plan = heavy_hitters("Which word?", share="0.01", people=20_000, epsilon=1)
    >>> plan.rounds, round(float(plan.rate), 3), plan.threshold
    (3, 0.232, 16)
    """
    Whole(1, MAX_ITEMS).check("items", items)
    long = tuple(listed("lengths", lengths, MAX_ROUNDS - 1, of="lengths", fix="lengths=[2, 4]"))
    cost = _cost(epsilon, delta)
    readers = Readers(insiders, sites_per_person)
    event = readers.best(cost, items * (len(long) + 1), neighbours)
    part = rational("share", share, fix="share=0.01")
    return _kept(
        HeavyHittersPlan(**_terms(entropy, asks, event, items, cost, readers), lengths=long, share=part, people=people)
    )


def secure_heavy_hitters(
    asks: str,
    *,
    share: Number,
    people: int,
    epsilon: Number,
    delta: Number = "1e-6",
    items: int = 1,
    alphabet: str = ascii_lowercase,
    lengths: Sequence[int] = SECURE_LENGTHS,
    candidates: int = CANDIDATES,
    neighbours: Neighbours = "add-remove",
    minimum: int | None = None,
    honest: Number = HONEST_SHARE,
    entropy: Entropy = _SYSTEM,
) -> SecureHeavyHittersPlan:
    """Plan to find the items that at least a share of `people` people have by secure sums, prefix by prefix: no server
    sees anybody's items.

    items: the most prefixes of one person in one round.
    alphabet: the characters that items consist of. Items with others take no part.
    lengths: number of characters of the prefixes of each round. Items longer than the last take no part.
    candidates: the most counts of one round, each with its noise: what a person sends grows with them.
    minimum, honest: as for `SecureAnalyst.publish`, in each round.

    >>> plan = secure_heavy_hitters("Which word?", share="0.1", people=1000, lengths=[2, 3, 4], epsilon=1)
    >>> plan.rounds, plan.first.noise, round(plan.first.deviation, 1), plan.visible_from
    (3, 'laplace', 4.7, 113)
    """
    long = tuple(listed("lengths", lengths, MAX_ROUNDS, of="lengths", fix="lengths=[2, 3, 4]"))
    part = rational("share", share, fix="share=0.01")
    first = secure_round(
        entropy,
        asks,
        keys=("",),
        people=people,
        epsilon=epsilon,
        delta=delta,
        items=items,
        neighbours=neighbours,
        minimum=minimum,
        honest=honest,
        step=Extension(0, long, alphabet, candidates),
    )
    return SecureHeavyHittersPlan(first, part)


def quantiles(
    asks: str,
    *,
    range: tuple[Number, Number],  # noqa: A002
    epsilon: Number,
    delta: Number = "1e-6",
    q: Sequence[Number] = DECILES,
    cells: int = CELLS,
    spacing: Spacing = "auto",
    method: Method = "tree",
    neighbours: Neighbours = "add-remove",
    insiders: int = INSIDERS,
    sites_per_person: int | None = None,
    entropy: Entropy = _SYSTEM,
) -> QuantilesPlan:
    """Plan to estimate quantiles of a number that each person has: by a tree of counts, or by a binary search.

    insiders, sites_per_person: as for `heavy_hitters`.

    >>> plan = quantiles("How many minutes?", range=(0, 60), q=[0.5], epsilon=1)
    >>> plan.rounds, round(float(plan.rate), 3), plan.threshold
    (4, 0.469, 51)
    """
    parts = tuple(
        rational("q", each, fix="q=[0.1, 0.5, 0.9]") for each in listed("q", q, MAX_CUTS, of="fractions", fix="q=[0.5]")
    )
    axis, cost = spaced(range, cells, spacing), _cost(epsilon, delta)
    searching = method == "search"
    items = len(parts) if searching else 1
    rounds = binary_search.rounds(axis.cells) if searching else Shape(axis.cells, SAMPLED_FAN_OUT).levels
    readers = Readers(insiders, sites_per_person)
    event = readers.at_threshold(cost, TREE_THETA, items * rounds, neighbours)
    scale = Scale(axis.edges, axis.cells, axis.clamped)
    return _kept(
        QuantilesPlan(**_terms(entropy, asks, event, items, cost, readers), scale=scale, q=parts, method=method)
    )


def ranges(
    asks: str,
    *,
    ranges: Sequence[tuple[Number, Number]],
    epsilon: Number,
    delta: Number = "1e-6",
    neighbours: Neighbours = "add-remove",
    insiders: int = INSIDERS,
    sites_per_person: int | None = None,
    entropy: Entropy = _SYSTEM,
) -> RangesPlan:
    """Plan to count the people whose number is in each range: from its lower end on, and below its upper end.

    insiders, sites_per_person: as for `heavy_hitters`.

    >>> plan = ranges("How many minutes?", ranges=[(0, 30), (30, 60)], epsilon=1)
    >>> plan.rounds, round(float(plan.rate), 3), plan.threshold
    (1, 0.595, 51)
    """
    fix = "ranges=[(0, 10), (10, 100)]"
    pairs = listed("ranges", ranges, MAX_CUTS, of="pairs", fix=fix)
    if not pairs or any(not isinstance(each, tuple | list) or len(each) != 2 for each in pairs):
        raise BadParameter(f"ranges={pairs!r:.60}: pairs of numbers.", fix=fix)
    spans = tuple(
        (float(rational("ranges", low, fix=fix)), float(rational("ranges", high, fix=fix))) for low, high in pairs
    )
    edges, cost = tuple(sorted({end for each in spans for end in each})), _cost(epsilon, delta)
    readers = Readers(insiders, sites_per_person)
    event = readers.at_threshold(cost, TREE_THETA, Shape(len(edges) - 1, SAMPLED_FAN_OUT).levels, neighbours)
    scale = Scale(edges, len(edges) - 1, False)
    return _kept(RangesPlan(**_terms(entropy, asks, event, 1, cost, readers), scale=scale, ranges=spans))


def _cost(epsilon: Number, delta: Number) -> tuple[Fraction, Fraction]:
    return positive("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=1e-6")


def _terms(
    entropy: Entropy, asks: str, event: SampleThreshold, items: int, cost: tuple[Fraction, Fraction], readers: Readers
) -> dict[str, Any]:
    """The fields that all plans have."""
    promise = {"neighbours": event.neighbours, "epsilon": cost[0], "delta": cost[1]}
    sample = {"rate": event.rate, "threshold": event.threshold, "items": items}
    return {"id": entropy.secret()[:16].hex(), "asks": asks, **sample, **promise, **readers.terms}


def _kept(plan: Plan) -> Plan:
    if not plan.holds:
        raise BadParameter("epsilon, delta: no rate and threshold keep this promise.", fix="epsilon=1, delta=1e-6")
    return plan
