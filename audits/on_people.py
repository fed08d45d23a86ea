"""A mechanism as a function of a few people who are within its bound, without an engine: fast enough for many runs."""

from collections import Counter
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pyarrow as pa

from audits.shortcuts import with_joint_coins
from audits.specimen import Pair, People, Run
from headcount.account.events import Neighbours
from headcount.audit.enumerate import Delta, worst_delta
from headcount.audit.neighbours import pairs
from headcount.bound import Bounded
from headcount.mechanism import AnyMechanism
from headcount.noise import Entropy

PERSON = ("a",)
"""A person with one item."""
COUNTED: Pair = ((PERSON,) * 3, (PERSON,) * 2)
"""One of three people is there or not."""
ALONE: Pair = ((PERSON,) * 9 + (("b",),), (PERSON,) * 9)
"""A person with an item of their own is there or not."""
KNOWN = ("a", "b")
"""The items of a public list."""
KINDS = (("a",), ("b",), ("a", "b"))
CROWD: People = (("a", "b"),) * 14


def on_people(mechanism: AnyMechanism, known: tuple[str, ...] = ()) -> Run[People]:
    """Run a mechanism on people who are within its bound; its items are those that people have, or known."""

    @lru_cache(maxsize=64)
    def bounded(people: People) -> Bounded:
        counts = Counter(item for person in people for item in person)
        present = known or tuple(sorted(counts))
        totals = np.array([counts[item] * mechanism.bounding.unit for item in present], dtype=np.int64)
        return Bounded(items(present), totals, mechanism.bounding.sensitivity)

    def run(people: People, entropy: Entropy) -> dict[str, object]:
        noisy = mechanism.run(bounded(people), entropy)
        return dict(zip(noisy.items["item0"].to_pylist(), noisy.values.tolist(), strict=True))

    return run


def items(names: tuple[str, ...]) -> pa.Table:
    """A table of items."""
    return pa.table({"item0": pa.array(names, pa.string())})


def exact_delta(run: Run[People], neighbours: Neighbours, epsilon: Fraction) -> Delta:
    """The largest delta for up to two people with one or two of two items, alone or in a crowd."""
    few = list(pairs(KINDS, 2, neighbours))
    people = few + [(CROWD + one, CROWD + other) for one, other in few]
    return worst_delta(with_joint_coins(run), people, epsilon)
