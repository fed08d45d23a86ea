"""Sample and threshold: reports of a sample of people, without noise; and the classic mistakes with samples."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from audits.on_people import exact_delta, on_people
from audits.specimen import ONE, Cases, Deltas, Pair, People, Plans, Run
from headcount.account.composition.cost import native
from headcount.account.events import Neighbours, SampleThreshold
from headcount.bound import SampledItems
from headcount.exact import Integers
from headcount.mechanism import Sampled
from headcount.noise import Entropy
from headcount.noise.finite import Uniform

PLANS: Plans = [
    ("sample-threshold", "histogram", {"by": "item", "mechanism": "sample-threshold", "bound": 1}),
]
"""Plans at epsilon 1 whose forecasts stand on the proof's page."""


def honest() -> Cases:
    """One item of each person."""
    coins = SampleThreshold(ONE / 4, threshold=4, items=1, neighbours="add-remove", epsilon=ONE)
    five: Pair = ((("a",),) * 5, (("a",),) * 4)
    yield "sample-threshold", on_people(Sampled(SampledItems(1), coins)), native(coins).delta, five, 4


def wrong() -> Cases:
    """One coin for all items of a person, a sample of a fixed size, and the number of people below the threshold."""
    event = SampleThreshold(ONE / 4, 4, 1, "add-remove", ONE)
    many = SampleThreshold(ONE / 16, 7, 200, "add-remove", ONE)
    mine = tuple(f"item {number:03}" for number in range(many.items))
    others = tuple((item,) for item in mine for _ in range(90))
    alone: Pair = ((("a",),) * 30 + (("b",),), (("a",),) * 30)
    swapped: Pair = ((("a",),) * 9 + (("b",),), (("a",),) * 10)
    all_items = one_coin(many)

    def how_many(people: People, entropy: Entropy) -> int:
        return len(all_items(people, entropy))

    yield "one coin for all items", how_many, native(many).delta, ((*others, mine), others), 4
    yield "a sample of a fixed size", fixed_size(event, 5), native(event).delta, swapped, 20
    yield "the sum of hidden counts released", release_hidden_sum(event), native(event).delta, alone, 20


def enumerations(neighbours: Neighbours) -> Deltas:
    """Two items of each person."""
    reported = SampleThreshold(ONE / 4, threshold=2, items=2, neighbours=neighbours, epsilon=ONE)
    exact = exact_delta(on_people(Sampled(SampledItems(2), reported)), neighbours, ONE)
    yield "sample-threshold", ONE, native(reported).delta, exact


def one_coin(event: SampleThreshold) -> Run[People]:
    """A mistake: one coin for each person, so that all of their items are in the sample, or none."""
    known: dict[int, Kinds] = {}

    def kinds(people: People) -> Kinds:
        if id(people) not in known:  # faster than hashing all people
            known[id(people)] = Kinds.of(people)
        return known[id(people)]

    def run(people: People, entropy: Entropy) -> dict[str, int]:
        there = kinds(people)
        counts = dict(zip(there.items, (entropy.thin(there.many, event.rate) @ there.has).tolist(), strict=True))
        return {item: count for item, count in counts.items() if count >= event.threshold}

    return run


@dataclass(frozen=True)
class Kinds:
    """People grouped by their items."""

    people: People
    items: list[str]
    many: Integers
    """Number of people of each kind."""
    has: Integers
    """1 if a kind has an item. Shape: (kinds, items)."""

    @classmethod
    def of(cls, people: People) -> "Kinds":
        """Group people by their items."""
        groups = Counter(people)
        items = sorted({item for person in groups for item in person})
        has = [[item in person for item in items] for person in groups]
        return cls(people, items, np.array(list(groups.values()), dtype=np.int64), np.array(has, dtype=np.int64))


def fixed_size(event: SampleThreshold, size: int) -> Run[People]:
    """A mistake: a sample of exactly `size` people, so that hidden counts are what is missing in the sum."""

    def run(people: People, entropy: Entropy) -> dict[str, int]:
        left = sorted(people)
        taken = [left.pop(int(entropy.draw(Uniform(len(left)), 1)[0])) for _ in range(size)]
        counts = Counter(item for person in taken for item in person)
        return {item: counts[item] for item in sorted(counts) if counts[item] >= event.threshold}

    return run


def release_hidden_sum(event: SampleThreshold) -> Run[People]:
    """A mistake: the sum of hidden counts is released."""

    def run(people: People, entropy: Entropy) -> dict[str, int]:
        counts = Counter(item for person in people for item in person)
        kept = entropy.thin(np.array([counts[item] for item in sorted(counts)], dtype=np.int64), event.rate)
        visible = {
            item: many for item, many in zip(sorted(counts), kept.tolist(), strict=True) if many >= event.threshold
        }
        return {**visible, "hidden": int(kept.sum()) - sum(visible.values())}

    return run
