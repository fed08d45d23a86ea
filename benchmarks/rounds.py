"""Rounds with people who keep their data, next to releases of the same tables: how far off they are, what is sent.

    python -m benchmarks.rounds [--runs N] [FOLDER]         FOLDER has the real tables

*Heavy hitters*: words of Ubuntu IRC that at least 5% of the people used; 10 words of one person count. Found is the
part of the true heavy hitters that is shown, wrong the part of what is shown that is none, off the mean relative error
of what is shown, all against the counts of all people. The default for tables bounds nobody by a number.

*Secure sums* over prefixes find words of lower-case letters with at most 10 of them; the share is the same. Vectors of
real clients are added without masks, which cancel, and the noise of all people is drawn at once, from the law of its
sum. What is sent and received follows from the schema.

*Quantiles* and *ranges*: what each customer of an online shop spent in all, on cells from 0.01 to a million that widen
with the amount; the quantiles 0.1, 0.5 and 0.9, and four ranges. Off is the mean error in percent of the people (ranks
of quantiles, counts of ranges), held the part of the intervals that hold the truth.

Epsilon 1, delta 1e-6, one person added or removed; means over the runs. `rule="paper"` has the rate and the threshold
of Bharadwaj and Cormode's Theorem 1, where levels share epsilon and delta evenly. Sent and received are the bytes of
one person's messages as text, in all rounds.
"""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import headcount as hc
from benchmarks.truth import folder
from headcount.exact import Floats
from headcount.federated import Client, Invitation, Round, SecureClient, Total
from headcount.federated.planning import secure_heavy_hitters as planned
from headcount.federated.planning.traffic import Traffic
from headcount.federated.rounds import (
    RoundsAnalyst,
    SecureHeavyHittersPlan,
    collect_rounds,
    heavy_hitters,
    quantiles,
    ranges,
)
from headcount.federated.rounds.plan import RoundsPlan
from headcount.federated.transport import MemoryTransport
from headcount.noise import SystemEntropy
from headcount.release import Release

SHARE, ITEMS = 0.05, 10
Q = [0.1, 0.5, 0.9]
SPENT = (0.01, 1e6)
RANGES = [(0.01, 300.0), (300.0, 1000.0), (1000.0, 3000.0), (3000.0, 1e6)]
WORDS_HEADS = ["heavy hitters", "rounds", "found", "wrong", "off", "sent", "received"]
NUMBERS_HEADS = ["amounts", "rounds", "off", "held", "sent", "received"]
PAPER = hc.SampleThreshold(rule="paper")
BUDGET: dict[str, Any] = {"epsilon": 1, "delta": 1e-6}

Measured = Callable[[Release], list[float]]
"""Errors of a release."""


class Counting(MemoryTransport):
    """Clients in memory, with a count of bytes."""

    def __init__(self, people: Sequence[Sequence[str]]) -> None:
        super().__init__([Client(items) for items in people])
        self.sent = self.received = 0

    def answers(self, round_: Round, invitations: Sequence[Invitation]) -> Iterator[str]:
        """The answers, counted."""
        self.received += len(round_.to_json())
        for text in super().answers(round_, invitations):
            self.sent += len(text)
            yield text


def federated(plan: Callable[[], RoundsPlan], people: Sequence[Sequence[str]], measured: Measured, runs: int) -> str:
    """A line of a plan."""
    found, sent, received, rounds = [], [], [], 0
    for _ in range(runs):
        analyst, transport = RoundsAnalyst(plan()), Counting(people)
        found.append(measured(collect_rounds(analyst, transport)))
        sent.append(transport.sent / len(people))
        received.append(transport.received)
        rounds = analyst.plan.rounds
    return _line(str(rounds), found, [f"{np.mean(sent):,.0f}", f"{np.mean(received):,.0f}"])


def secured(people: Sequence[Sequence[str]], measured: Measured, runs: int, **asked: Any) -> str:
    """A line of secure sums over prefixes."""
    collection = planned(people=len(people), items=ITEMS, lengths=range(2, 11), **asked)
    clients = [SecureClient(items) for items in people]
    found = [measured(_of_sums(collection.plan, clients)) for _ in range(runs)]
    sizes = [sum(_middle(each) for each in collection.traffic if each.way == way) for way in ("sends", "receives")]
    return _line(str(collection.plan.rounds), found, [f"{size:,.0f}" for size in sizes])


def _of_sums(plan: SecureHeavyHittersPlan, clients: Sequence[SecureClient]) -> Release:
    """The release of rounds whose masks cancelled."""
    analyst = RoundsAnalyst(plan)
    round_ = plan.next_round(())
    while round_ is not None:
        counts = sum(client._counts(round_) for client in clients) * round_.unit
        summed = replace(round_.shares, spread=round_.shares.spread * len(clients))  # Gaussian: variances add up
        noisy = counts + summed.draw(round_.places, SystemEntropy())
        round_ = analyst.next(Total(round_.digest, len(clients), tuple(noisy.tolist())))
    return analyst.read()


def _middle(traffic: Traffic) -> float:
    """The size of a message, halfway between the least and the most if it varies."""
    return traffic.mean if traffic.mean is not None else (traffic.least + (traffic.most or traffic.least)) / 2


def central(release: Callable[[], Release], measured: Measured, runs: int) -> str:
    """A line of a table."""
    return _line("", [measured(release()) for _ in range(runs)], ["", ""])


def _line(rounds: str, found: list[list[float]], sizes: list[str]) -> str:
    errors = [f"{100 * each:.1f}%" for each in np.mean(found, axis=0)]
    return " | ".join([rounds, *errors, *sizes])


def words(where: Path, runs: int) -> Iterator[tuple[str, str]]:
    """Lines of heavy hitters."""
    said = duckdb.sql(
        f"SELECT DISTINCT user_id AS person, item FROM '{where / 'ubuntu_irc_words.parquet'}'"
    ).to_arrow_table()
    people = [row[0] for row in duckdb.sql("SELECT list(item) FROM said GROUP BY person").fetchall()]
    truth = dict(duckdb.sql("SELECT item, count(*) FROM said GROUP BY item").fetchall())
    measured = partial(word_errors, truth=truth, heavy={item for item in truth if truth[item] >= SHARE * len(people)})
    asked: dict[str, Any] = {"share": SHARE, "people": len(people), **BUDGET}
    for lengths in ([3], [2, 4]):
        plan = partial(heavy_hitters, "Which words?", **asked, items=ITEMS, lengths=lengths)
        yield f"federated, prefixes of {' and '.join(map(str, lengths))}", federated(plan, people, measured, runs)
    yield "federated, secure sums", secured(people, measured, runs, share=SHARE, **BUDGET)
    release = partial(hc.heavy_hitters, said, user="person", by="item", **asked)
    for mechanism in (hc.SampleThreshold(), PAPER):
        line = central(partial(release, bound=ITEMS, mechanism=mechanism), measured, runs)
        yield f"table, {_named(mechanism)}", line
    yield "table, the default", central(release, measured, runs)


def word_errors(release: Release, truth: dict[str, int], heavy: set[str]) -> list[float]:
    """Found, wrong and off."""
    shown = dict(zip(release["item"].to_pylist(), release["count"].to_pylist(), strict=True))
    off = [abs(count / truth[item] - 1) for item, count in shown.items()]
    return [
        len(shown.keys() & heavy) / len(heavy),
        len(shown.keys() - heavy) / max(1, len(shown)),
        float(np.mean(off)) if off else 1.0,
    ]


def amounts(where: Path, runs: int) -> Iterator[tuple[str, str]]:
    """Lines of quantiles and ranges."""
    path = where / "online_retail_orders.parquet"
    table = duckdb.sql(f"SELECT user_id AS person, sum(amount) AS spent FROM '{path}' GROUP BY person").to_arrow_table()
    spent = np.sort(table["spent"].to_numpy().astype(float))
    people, held = [[repr(float(each))] for each in spent], {"user": "person", "value": "spent", "bound": 1, **BUDGET}
    ranked, counted = partial(rank_errors, ranked=spent), partial(range_errors, ranked=spent)
    for method in ("tree", "search"):
        plan = partial(quantiles, "How much?", range=SPENT, q=Q, method=method, **BUDGET)
        yield f"quantiles, federated {method}", federated(plan, people, ranked, runs)
    release = partial(hc.quantiles, table, range=SPENT, q=Q, **held)
    for mechanism in ("sample-threshold", PAPER, "tree"):
        yield f"quantiles, table, {_named(mechanism)}", central(partial(release, mechanism=mechanism), ranked, runs)
    in_ranges = partial(ranges, "How much?", ranges=RANGES, **BUDGET)
    yield "ranges, federated", federated(in_ranges, people, counted, runs)
    release = partial(hc.ranges, table, ranges=RANGES, **held)
    for mechanism in ("sample-threshold", PAPER, "tree"):
        yield f"ranges, table, {_named(mechanism)}", central(partial(release, mechanism=mechanism), counted, runs)


def rank_errors(release: Release, ranked: Floats) -> list[float]:
    """Off and held, of quantiles."""
    values, low, high = (np.array(release[name].to_pylist()) for name in ("value", "low", "high"))
    true = np.quantile(ranked, Q)
    off = np.abs(np.searchsorted(ranked, values) / len(ranked) - Q)
    return [float(off.mean()), float(((low <= true) & (true <= high)).mean())]


def range_errors(release: Release, ranked: Floats) -> list[float]:
    """Off and held, of ranges."""
    counts, low, high = (np.array(release[name].to_pylist()) for name in ("count", "low", "high"))
    first, last = (np.searchsorted(ranked, release[name].to_pylist()) for name in ("from", "to"))
    true = last - first
    return [float(np.abs(counts - true).mean() / len(ranked)), float(((low <= true) & (true <= high)).mean())]


def _named(mechanism: Any) -> str:
    return 'sample-threshold, rule="paper"' if mechanism is PAPER else str(getattr(mechanism, "name", mechanism))


def show(heads: Sequence[str], lines: Iterator[tuple[str, str]]) -> None:
    """Print a table, a line as soon as it is known."""
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}", flush=True)
    for name, line in lines:
        print(f"| {name} | {line} |", flush=True)


def main() -> None:
    """Print both tables."""
    arguments = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    arguments.add_argument("folder", nargs="*")
    arguments.add_argument("--runs", type=int, default=5)
    given = arguments.parse_args()
    where = folder(given.folder)
    show(WORDS_HEADS, words(where, given.runs))
    print()
    show(NUMBERS_HEADS, amounts(where, given.runs))


if __name__ == "__main__":
    main()
