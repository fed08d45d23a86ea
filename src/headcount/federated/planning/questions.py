"""Plans of collections from what an analyst types: the same parameters as those of the analysts' own methods, with the
number of people and how many of them may be missing."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from string import ascii_lowercase

from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.errors import BadParameter, shown
from headcount.exact import Number, positive, rational
from headcount.federated.analyst import Analyst
from headcount.federated.listed import SecureAnalyst
from headcount.federated.listed.round import MAX_KEYS
from headcount.federated.planning.collection import Collection
from headcount.federated.planning.extended import ExtendedCollection
from headcount.federated.planning.listed import SecureCollection
from headcount.federated.planning.people import names
from headcount.federated.planning.sampled import SampledCollection
from headcount.federated.planning.series import NumbersCollection, PrefixesCollection
from headcount.federated.planning.shaped import ShapeCollection
from headcount.federated.planning.traffic import NO_ID
from headcount.federated.rounds import questions as rounds
from headcount.federated.rounds.numbers import Method
from headcount.federated.schema import Whole
from headcount.federated.shape import ShapeAnalyst
from headcount.federated.shape.messages import Way
from headcount.federated.terms import INSIDERS, MAX_PEOPLE
from headcount.source.scales.axis import CELLS, Spacing

FEWEST_ANSWERS = 2
"""Fewest people who answer."""


def histogram(
    *,
    people: int,
    epsilon: Number,
    delta: Number = "1e-6",
    dropouts: Number = 0,
    keys: int | Sequence[str] | None = None,
    items: int = 1,
    honest: Number = "0.9",
    neighbours: Neighbours = "add-remove",
    insiders: int = INSIDERS,
    sites: int | None = None,
    sites_per_person: int | None = None,
    asks: str = "Which item?",
) -> Collection:
    """Plan people per item: of a public list by a secure sum; without a list, by sample and threshold behind a trusted
    aggregator.

    people: the number of people who take part.
    epsilon: the privacy budget of this collection; smaller is more private.
    delta: the chance that the result reveals more.
    dropouts: the largest share of people, or sites, who may be missing.
    keys: the public list, or how many items it has; without it, items are found.
    items: the most items of one person.
    honest: for a secure sum, the smallest share of those who answer who add their noise and tell nobody.
    neighbours: what is hidden: add-remove, whether a person has items; replace, which.
    insiders: behind a trusted aggregator, the number of people who answered who may read the result together.
    sites: for a secure sum, the number of sites that answer for all people; dropouts are then sites.
    sites_per_person: the largest number of sites that have the same person, if sites may answer.
    asks: the question, in words.

    >>> plan = histogram(people=1000, dropouts="5%", keys=1000, epsilon=1)
    >>> plan.answers, plan.round.minimum, plan.errors(950)[-1].here
    (950, 950, 3.0)
    """
    cost = _cost(epsilon, delta)
    missing = _missing(people, dropouts) if sites is None else _missing(sites, dropouts, "sites")
    if keys is None:
        if sites is not None:
            raise BadParameter("sites: for the items of a public list.", fix="keys=1000, or only sites_per_person=1")
        found = Analyst().publish(
            asks,
            epsilon=epsilon,
            delta=delta,
            items=items,
            neighbours=neighbours,
            insiders=insiders,
            sites_per_person=sites_per_person,
        )
        return SampledCollection(round=replace(found, id=NO_ID), people=people, missing=missing, cost=cost)
    secure = SecureAnalyst().publish(
        asks,
        keys=_keys(keys),
        people=people,
        epsilon=epsilon,
        delta=delta,
        items=items,
        neighbours=neighbours,
        minimum=(sites or people) - missing,
        honest=honest,
        sites=sites,
        sites_per_person=1 if sites_per_person is None else sites_per_person,
    )
    return SecureCollection(round=replace(secure, id=NO_ID), people=people, missing=missing, cost=cost)


def shape(
    *,
    people: int,
    epsilon: Number,
    delta: Number = "1e-6",
    dropouts: Number = 0,
    way: Way = "shuffle",
    buckets: int | None = None,
    messages: int | None = None,
    honest: Number = "0.9",
    neighbours: Neighbours = "add-remove",
    asks: str = "Which item?",
) -> ShapeCollection:
    """Plan the shape of people per item, by hashed items among noise.

    people: the number of people who take part.
    epsilon: the privacy budget of this collection; smaller is more private.
    delta: the chance that the result reveals more; a secure sum needs none.
    dropouts: the largest share of people who may be missing.
    way: shuffle or secure-sum.
    buckets: the number of buckets that items are hashed into; by default two for each person.
    messages: with a shuffler, the limit of one person's messages on average.
    honest: the smallest share of those who answer who add their noise and tell nobody.
    neighbours: what is hidden: add-remove, whether a person has an item; replace, which.
    asks: the question, in words.

    >>> shape(people=1000, dropouts="5%", epsilon=1, way="secure-sum").round.needed
    855
    """
    missing, cost = _missing(people, dropouts), _cost(epsilon, delta)
    part = rational("honest", honest, fix="honest=0.9")
    if not 0 < part <= 1:
        raise BadParameter(f"honest={honest!r}: a part above 0, and at most 1.", fix="honest=0.9")
    found = ShapeAnalyst().publish(
        asks,
        people=people,
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        honest=Fraction(ceil(part * (people - missing)), people),
        buckets=buckets,
        messages=messages,
        way=way,
    )
    return ShapeCollection(round=replace(found, id=NO_ID, key=NO_ID), people=people, missing=missing, cost=cost)


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
    missing, cost = _missing(people, dropouts), _cost(epsilon, delta)
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
    missing, cost = _missing(people, dropouts), _cost(epsilon, delta)
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
    missing, cost = _missing(people, dropouts), _cost(epsilon, delta)
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
    missing, cost = _missing(people, dropouts), _cost(epsilon, delta)
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


def part_of(name: str, value: Number, *, fix: str) -> Fraction:
    """A share, also as a percentage.

    >>> part_of("dropouts", "5%", fix="")
    Fraction(1, 20)
    """
    if isinstance(value, str) and value.strip().endswith("%"):
        return rational(name, value.strip()[:-1], fix=fix) / 100
    return rational(name, value, fix=fix)


def _missing(parties: int, dropouts: Number, who: str = "people") -> int:
    """The number of people, or sites, who may be missing."""
    Whole(3, MAX_PEOPLE).check(who, parties)
    part = part_of("dropouts", dropouts, fix='dropouts="5%"')
    if not 0 <= part < 1:
        raise BadParameter(
            f"dropouts={shown(dropouts)}: a share of people, from 0 on and below 1.", fix='dropouts="5%"'
        )
    missing = ceil(part * parties)
    if parties - missing < FEWEST_ANSWERS:
        raise BadParameter(f"dropouts={shown(dropouts)}: at least {FEWEST_ANSWERS} must answer.", fix='dropouts="5%"')
    return missing


def _cost(epsilon: Number, delta: Number) -> Cost:
    return Cost(positive("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=1e-6"))


def _keys(keys: int | Sequence[str]) -> Sequence[str]:
    """The list, or one of made-up items of this number."""
    if not isinstance(keys, int):
        return keys
    Whole(1, MAX_KEYS).check("keys", keys)
    return names(keys)
