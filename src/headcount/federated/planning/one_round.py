"""Plans of collections of one round from what an analyst types: the same parameters as those of the analysts' own
methods, with the number of people and how many of them may be missing."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil

from headcount.account.events import Neighbours
from headcount.errors import BadParameter
from headcount.exact import Number, rational
from headcount.federated.analyst import Analyst
from headcount.federated.listed import SecureAnalyst
from headcount.federated.listed.round import MAX_KEYS
from headcount.federated.planning.collection import Collection
from headcount.federated.planning.listed import SecureCollection
from headcount.federated.planning.people import names
from headcount.federated.planning.sampled import SampledCollection
from headcount.federated.planning.shaped import ShapeCollection
from headcount.federated.planning.traffic import NO_ID
from headcount.federated.planning.typed import cost_of, missing_parties
from headcount.federated.schema import Whole
from headcount.federated.shape import ShapeAnalyst
from headcount.federated.shape.messages import Way
from headcount.federated.terms import INSIDERS


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
    cost = cost_of(epsilon, delta)
    missing = missing_parties(people, dropouts) if sites is None else missing_parties(sites, dropouts, "sites")
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
    missing, cost = missing_parties(people, dropouts), cost_of(epsilon, delta)
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


def _keys(keys: int | Sequence[str]) -> Sequence[str]:
    """The list, or one of made-up items of this number."""
    if not isinstance(keys, int):
        return keys
    Whole(1, MAX_KEYS).check("keys", keys)
    return names(keys)
