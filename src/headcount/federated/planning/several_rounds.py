"""Plans of collections of several rounds from what an analyst types: the parameters of `headcount.federated.rounds`,
with the number of people and how many of them may be missing."""

from collections.abc import Sequence
from dataclasses import replace
from string import ascii_lowercase

from headcount.account.events import Neighbours
from headcount.exact import Number
from headcount.federated.planning.extended import ExtendedCollection
from headcount.federated.planning.series import NumbersCollection, PrefixesCollection
from headcount.federated.planning.traffic import NO_ID
from headcount.federated.planning.typed import cost_of, missing_parties, part_of
from headcount.federated.rounds import questions as rounds
from headcount.federated.rounds.numbers import Method
from headcount.federated.terms import INSIDERS
from headcount.source.scales.axis import CELLS, Spacing


def quantiles(
    *,
    people: int,
    range: tuple[Number, Number],  # noqa: A002
    epsilon: Number,
    q: Sequence[Number] = rounds.DECILES,
    delta: Number = "1e-6",
    dropouts: Number = 0,
    cells: int = CELLS,
    spacing: Spacing = "auto",
    method: Method = "tree",
    neighbours: Neighbours = "add-remove",
    insiders: int = INSIDERS,
    sites_per_person: int | None = None,
    asks: str = "How much?",
) -> NumbersCollection:
    """Plan quantiles of a number that each person has, in several rounds.

    people: the number of people who take part.
    range: the lowest and the highest number.
    epsilon: the privacy budget of all rounds together; smaller is more private.
    q: the fractions of people below each quantile; by default deciles.
    delta: the chance that the result reveals more.
    dropouts: the largest share of people who may be missing.
    cells: the number of cells of the scale.
    spacing: auto, even or log.
    method: tree or search.
    neighbours: what is hidden: add-remove, whether a person has a number; replace, which.
    insiders: the number of people who answered who may read the results together.
    sites_per_person: the largest number of sites that report for the same person, if sites may answer.
    asks: the question, in words.

    >>> quantiles(people=10_000, range=(0, 60), q=[0.5], epsilon=1).rounds
    4
    """
    missing, cost = missing_parties(people, dropouts), cost_of(epsilon, delta)
    plan = rounds.quantiles(
        asks,
        range=range,
        epsilon=epsilon,
        delta=delta,
        q=q,
        cells=cells,
        spacing=spacing,
        method=method,
        neighbours=neighbours,
        insiders=insiders,
        sites_per_person=sites_per_person,
    )
    return NumbersCollection(plan=replace(plan, id=NO_ID), people=people, missing=missing, cost=cost)


def ranges(
    *,
    people: int,
    ranges: Sequence[tuple[Number, Number]],
    epsilon: Number,
    delta: Number = "1e-6",
    dropouts: Number = 0,
    neighbours: Neighbours = "add-remove",
    insiders: int = INSIDERS,
    sites_per_person: int | None = None,
    asks: str = "How much?",
) -> NumbersCollection:
    """Plan the number of people whose number is in each range, in several rounds.

    people: the number of people who take part.
    ranges: the ends of each range, from its lower end on, and below its upper end.
    epsilon: the privacy budget of all rounds together; smaller is more private.
    delta: the chance that the result reveals more.
    dropouts: the largest share of people who may be missing.
    neighbours: what is hidden: add-remove, whether a person has a number; replace, which.
    insiders: the number of people who answered who may read the results together.
    sites_per_person: the largest number of sites that report for the same person, if sites may answer.
    asks: the question, in words.

    >>> ranges(people=10_000, ranges=[(0, 30), (30, 60)], epsilon=1).rounds
    1
    """
    missing, cost = missing_parties(people, dropouts), cost_of(epsilon, delta)
    plan = rounds.ranges(
        asks,
        ranges=ranges,
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        insiders=insiders,
        sites_per_person=sites_per_person,
    )
    return NumbersCollection(plan=replace(plan, id=NO_ID), people=people, missing=missing, cost=cost)


def heavy_hitters(
    *,
    people: int,
    share: Number,
    epsilon: Number,
    delta: Number = "1e-6",
    dropouts: Number = 0,
    items: int = 1,
    lengths: Sequence[int] = (2, 4),
    neighbours: Neighbours = "add-remove",
    insiders: int = INSIDERS,
    sites_per_person: int | None = None,
    asks: str = "Which item?",
) -> PrefixesCollection:
    """Plan the items that at least a share of all people have, found prefix by prefix in several rounds.

    people: the number of people who take part.
    share: the share of people from which an item counts as common.
    epsilon: the privacy budget of all rounds together; smaller is more private.
    delta: the chance that the result reveals more.
    dropouts: the largest share of people who may be missing.
    items: the most items of one person in a round.
    lengths: the number of characters of the prefixes of each round but the last; by default 2,4.
    neighbours: what is hidden: add-remove, whether a person has items; replace, which.
    insiders: the number of people who answered who may read the results together.
    sites_per_person: the largest number of sites that report for the same person, if sites may answer.
    asks: the question, in words.

    >>> heavy_hitters(people=10_000, share="1%", epsilon=1).plan.minimum
    100
    """
    missing, cost = missing_parties(people, dropouts), cost_of(epsilon, delta)
    plan = rounds.heavy_hitters(
        asks,
        share=part_of("share", share, fix='share="1%"'),
        people=people,
        epsilon=epsilon,
        delta=delta,
        items=items,
        lengths=lengths,
        neighbours=neighbours,
        insiders=insiders,
        sites_per_person=sites_per_person,
    )
    return PrefixesCollection(plan=replace(plan, id=NO_ID), people=people, missing=missing, cost=cost)


def secure_heavy_hitters(
    *,
    people: int,
    share: Number,
    epsilon: Number,
    delta: Number = "1e-6",
    dropouts: Number = 0,
    items: int = 1,
    alphabet: str = ascii_lowercase,
    lengths: Sequence[int] = rounds.SECURE_LENGTHS,
    candidates: int = rounds.CANDIDATES,
    honest: Number = "0.9",
    neighbours: Neighbours = "add-remove",
    asks: str = "Which item?",
) -> ExtendedCollection:
    """Plan the items that at least a share of all people have, on no list, found prefix by prefix by secure sums whose
    server sees nobody's items.

    people: the number of people who take part.
    share: the share of people from which an item counts as common.
    epsilon: the privacy budget of all rounds together; smaller is more private.
    delta: the chance that the result reveals more.
    dropouts: the largest share of people who may be missing from a round.
    items: the most prefixes of one person in a round.
    alphabet: the characters of items; those with others take no part.
    lengths: the number of characters of the prefixes of each round; longer items take no part.
    candidates: the most counts of one round, each with its noise.
    honest: the smallest share of those who answer who add their noise and tell nobody.
    neighbours: what is hidden: add-remove, whether a person has items; replace, which.
    asks: the question, in words.

    >>> secure_heavy_hitters(people=1000, share="5%", epsilon=4).plan.visible_from
    59
    """
    missing, cost = missing_parties(people, dropouts), cost_of(epsilon, delta)
    plan = rounds.secure_heavy_hitters(
        asks,
        share=part_of("share", share, fix='share="1%"'),
        people=people,
        epsilon=epsilon,
        delta=delta,
        items=items,
        alphabet=alphabet,
        lengths=lengths,
        candidates=candidates,
        neighbours=neighbours,
        minimum=people - missing,
        honest=honest,
    )
    unsent = replace(plan, first=replace(plan.first, id=NO_ID))
    return ExtendedCollection(plan=unsent, people=people, missing=missing, cost=cost)
