"""Shapes from people who keep their data: what an answer takes, and how near the shape is.

    python -m benchmarks.shuffle [--runs N]

First what one person sends and how long that takes, at 100,000 people and as many buckets, for different parts of
epsilon that the noise alone takes. Then the error of the shape, of all counts together, largest first (l1), beside a
trusted curator's: one item each, common like 1, 1/2, 1/3, ... (Zipf). Of a secure sum, messages are the numbers of a
vector that are not 0 (all of them are sent, masked). Epsilon 1, delta 1e-6, 90% of all people are counted on, and all
of them answer; in the second table one person is replaced. Its 10,000 people are clients of their own; of 100,000
people the sums of all buckets are drawn at once, which have the same law. Seconds are of one core.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from statistics import fmean, stdev
from time import process_time

import numpy as np

from experiments.shape.tables import sample_tables
from experiments.shape.ways import EM, noisy_cells, noisy_staircase, sorted_distance
from headcount.account.curves.shuffling import best
from headcount.account.events import Neighbours
from headcount.exact import Integers
from headcount.federated import SecureSum, ShapeAnalyst, ShapeClient, ShapeRound, Shuffler, Total
from headcount.federated.shape.client import bucket_of
from headcount.federated.shape.messages import Way
from headcount.noise import negative_binomial
from headcount.release import Shape

EPSILON, DELTA, HONEST = Fraction(1), Fraction(1, 10**6), Fraction(9, 10)
FEW, MANY = 10_000, 100_000
CLIENTS = 500
SHARES = ("0.5", "0.7", "0.8", "0.9", "0.95")


def telling(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)
    print()


# What an answer takes


def published(neighbours: Neighbours, share: str) -> ShapeRound:
    """A round in which the noise alone takes this part of epsilon."""
    event = best(EPSILON, DELTA, neighbours=neighbours, share=share)
    asked = ShapeAnalyst().publish("Which?", people=MANY, epsilon=EPSILON, neighbours=neighbours, buckets=MANY)
    noise = event.scale, event.shape, event.spread
    return ShapeRound(asked.id, "Which?", MANY, HONEST, MANY, asked.key, *noise, neighbours, EPSILON, DELTA, "shuffle")


def answer(name: str, asked: ShapeRound) -> list[str]:
    """A line of the first table."""
    telling(f"clients: {name}")
    ShapeClient("a").answer(asked)  # makes the tables, which clients share
    start = process_time()
    sent = [ShapeClient(f"song {number}").answer(asked) for number in range(CLIENTS)]
    seconds = (process_time() - start) / CLIENTS
    mean, size = (fmean(each) for each in zip(*((len(one.messages), len(one.to_json())) for one in sent), strict=True))
    numbers = [f"{asked.deviation:.2f}", *(f"{each:,.0f}" for each in (asked.messages, mean, size))]
    return [name, *numbers, f"{1e3 * seconds:.2f}"]


def answers() -> Iterator[list[str]]:
    """The first table."""
    kinds: dict[str, Neighbours] = {"added or removed": "add-remove", "replaced": "replace"}
    for told, kind in kinds.items():
        for share in SHARES:
            yield answer(f"shuffler, {told}, {float(share):.0%} of epsilon", published(kind, share))
        asked = ShapeAnalyst().publish(
            "Which?", people=MANY, epsilon=EPSILON, neighbours=kind, buckets=MANY, way="secure-sum"
        )
        yield answer(f"secure sum, {told}", asked)


# How near the shape is


def found(totals: Integers, way: Way, times: int) -> Shape:
    """The shape of people with one item each."""
    people, analyst = int(totals.sum()), ShapeAnalyst()
    asked = analyst.publish(
        "Which?", people=people, epsilon=EPSILON, neighbours="replace", buckets=times * people, way=way
    )
    if people > FEW:
        return analyst.read(Total(asked.digest, people, tuple(sums(asked, totals).tolist())))
    middle = Shuffler(asked) if way == "shuffle" else SecureSum(asked)
    for item in np.repeat(np.arange(len(totals)), totals).tolist():
        middle.add(ShapeClient(str(item)).answer(asked))
    return analyst.read(middle.close())


def sums(asked: ShapeRound, totals: Integers) -> Integers:
    """What the messages of each bucket add up to, drawn at once."""
    counts = np.zeros(asked.buckets, dtype=np.int64)
    some = np.flatnonzero(totals)
    np.add.at(counts, [bucket_of(str(item), asked) for item in some.tolist()], totals[some])
    up, down = (negative_binomial(Fraction(asked.people, asked.needed), asked.scale, asked.buckets) for _ in range(2))
    return counts + up - down


def federated(way: Way, times: int) -> Callable[[Integers], float]:
    """How far off a round is."""
    return lambda totals: sorted_distance(found(totals, way, times).prevalences, totals)


WAYS: dict[str, Callable[[Integers], float]] = {
    "trusted curator, staircase": lambda totals: sorted_distance(noisy_staircase(totals).estimate(), totals),
    "trusted curator, 4 buckets a person": lambda totals: sorted_distance(
        noisy_cells(totals, many=4 * int(totals.sum())).estimate(EM), totals
    ),
    "trusted curator, 2 buckets a person": lambda totals: sorted_distance(
        noisy_cells(totals, many=2 * int(totals.sum())).estimate(EM), totals
    ),
    "secure sum, 4 buckets a person": federated("secure-sum", 4),
    "secure sum, 2 buckets a person": federated("secure-sum", 2),
    "shuffler, 4 buckets a person": federated("shuffle", 4),
    "shuffler, 2 buckets a person": federated("shuffle", 2),
    "shuffler, 1 bucket a person": federated("shuffle", 1),
}


def near(name: str, runs: int) -> list[str]:
    """A line of the second table."""
    cells = []
    for people in (FEW, MANY):
        telling(f"{name}: {people:,} people")
        each = [WAYS[name](totals) for totals in sample_tables("zipf 1", people, people, 1, runs)]
        cells.append(f"{fmean(each):,.0f} ± {stdev(each):,.0f}")
    return [name, *cells]


def main() -> None:
    """Print both tables."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--runs", type=int, default=5)
    runs = arguments.parse_args().runs
    heads = ["way", "deviation of a bucket", "messages a person", "as sent", "characters of JSON", "ms a client"]
    table(heads, answers())
    table(
        ["way", f"{FEW:,} people, each a client", f"{MANY:,} people, sums drawn at once"],
        (near(name, runs) for name in WAYS),
    )


if __name__ == "__main__":
    main()
