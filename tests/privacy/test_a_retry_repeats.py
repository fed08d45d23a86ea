"""Work that is done again under one charge repeats bit for bit, whatever is different the second time: the order of the
rows, the memory and threads of the engine, the size of what is looked at together, the order of the keys."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import headcount as hc
from headcount import papers
from headcount.bound.boundings import draws
from headcount.bound.selection import loads
from headcount.bound.selection.options import PAPER_BOUNDS
from headcount.bound.selection.profile import Binned, Profile
from headcount.mechanism.distribution import selected
from headcount.mechanism.known.strategy import SELECTIONS as KNOWN
from headcount.noise import KeyedEntropy
from headcount.source.contributions import encoded

KEY = bytes(range(32))
ITEM: dict[str, Any] = {"by": "item"}
LISTED: dict[str, Any] = {**ITEM, "keys": [f"item {number}" for number in (3, 1, 2, 9, 40, 77)]}
NUMBERS: dict[str, Any] = {"value": "amount", "range": (0, 100), "cells": 16}
DRAWN: dict[str, Any] = {**LISTED, "mechanism": "ks"}
MECHANISMS = ("thresholded", "joint", "weighted", "rounds", "count-release")
BASELINES = {"plume": papers.Plume(), "plume-threshold": papers.PlumeThreshold()}
PAPERS = {kind.name: kind() for kind in PAPER_BOUNDS}
JOBS: dict[str, tuple[Any, dict[str, Any]]] = {
    "auto": ("histogram", ITEM),
    "auto, events": ("histogram", {**ITEM, "count": "events"}),
    "two columns": ("histogram", {"by": ["city", "item"]}),
    "bound": ("histogram", {**ITEM, "bound": 2}),
    "bound, events": ("histogram", {**ITEM, "bound": 3, "count": "events"}),
    **{name: ("histogram", {**ITEM, "mechanism": name}) for name in MECHANISMS},
    **{name: ("histogram", {**ITEM, "mechanism": baseline}) for name, baseline in BASELINES.items()},
    "sample-threshold": ("histogram", {**ITEM, "mechanism": "sample-threshold", "bound": 2}),
    "refined": ("histogram", {**ITEM, "mechanism": hc.CountRelease(variant="refined")}),
    "sum": ("histogram", {**ITEM, "mechanism": "count-release", "sum": "amount"}),
    "listed": ("histogram", LISTED),
    **{f"listed, {way}": ("histogram", {**LISTED, "bound": PAPERS.get(way, way)}) for way in ("auto", *KNOWN)},
    "listed, ratio": ("histogram", {**LISTED, "debias": "ratio", "count": "events", "bound": 3}),
    "bins": ("histogram", {"by": "amount", "bins": [0, 10, 50, 100]}),
    "generalized": ("histogram", {**ITEM, "bound": "generalized"}),
    "exponential": ("histogram", {**ITEM, "bound": papers.Exponential(grid=[1, 4, 16])}),
    "heavy hitters": ("heavy_hitters", {**ITEM, "share": 0.1}),
    "top": ("top", {**ITEM, "k": 3}),
    "profile": ("profile", ITEM),
    "total": ("total", {"where": {"city": ["Rome"]}}),
    "quantiles": ("quantiles", NUMBERS),
    "search": ("quantiles", {**NUMBERS, "mechanism": "search", "q": 0.5}),
    "tree of samples": ("quantiles", {**NUMBERS, "mechanism": "sample-threshold", "bound": 1}),
    "search by samples": ("quantiles", {**NUMBERS, "mechanism": "sample-search", "bound": 1, "q": 0.5}),
    "ranges": ("ranges", {"value": "amount", "ranges": [(0, 10), (10, 100)]}),
    "staircase": ("shape", ITEM),
    "buckets": ("shape", {**ITEM, "mechanism": "buckets"}),
    "distribution": ("distribution", LISTED),
    "distribution over rows": ("distribution", {**LISTED, "target": "rows"}),
    "distribution of a source": ("distribution", {**LISTED, "target": "source"}),
    **{
        f"distribution, {name}": ("distribution", {**LISTED, "mechanism": name})
        for name in ("recentred", "ks", "hypothesis-selection", "sparse", "sample-one", "gaussian", "laplace")
    },
    "distribution, public": ("distribution", {**DRAWN, "sizes": "public", "neighbours": "replace"}),
}


@cache
def people() -> pa.Table:
    """Common and rare items, people with few rows and with many."""
    chance = np.random.default_rng(5)
    rows = np.repeat(np.arange(600), np.minimum(chance.zipf(1.6, 600), 60))
    items = [f"item {number}" for number in np.minimum(chance.zipf(1.4, len(rows)), 300)]
    return pa.table(
        {
            "user": pa.array(rows),
            "item": pa.array(items),
            "amount": pa.array(np.round(chance.normal(40, 30, len(rows)), 2)),
            "city": pa.array(chance.choice(["Rome", "Oslo"], len(rows)).tolist()),
        }
    )


def shuffled(table: pa.Table) -> pa.Table:
    return table.take(pa.array(np.random.default_rng(6).permutation(len(table))))


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("job", JOBS)
def test_a_retry_repeats_bit_for_bit(job: str, monkeypatch: pytest.MonkeyPatch) -> None:
    what, asked = JOBS[job]
    asked = {"user": "user", "epsilon": 2, **asked}
    first = hc.plan(what, people(), **asked).release(entropy=KeyedEntropy(KEY))
    for module, name, few in ((encoded, "PAIRS", 1000), (draws, "CHUNK_DRAWS", 200), (loads, "CELLS", 40)):
        monkeypatch.setattr(module, name, few)
    monkeypatch.setattr(selected, "CHUNK_SIZE", 50)
    again = hc.plan(what, hc.table(shuffled(people()), memory="60MB"), **asked).release(entropy=KeyedEntropy(KEY))
    assert again.content == first.content


@pytest.mark.parametrize("asked", [LISTED, {**LISTED, "bound": 3, "count": "events"}], ids=["auto", "bound"])
def test_keys_in_another_order_get_the_same_noise(asked: dict[str, Any]) -> None:
    """It is the same request to a ledger, so a retry may be asked that way."""
    plans = [
        hc.plan("histogram", people(), user="user", epsilon=1, **{**asked, "keys": keys})
        for keys in (asked["keys"], asked["keys"][::-1])
    ]
    assert plans[0].charge() == plans[1].charge()
    first, again = (plan.release(entropy=KeyedEntropy(KEY)) for plan in plans)
    assert again.table == first.table


def test_what_is_looked_at_is_drawn_once_for_a_charge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often a release is stopped after its look: seven looks were paid once in a trial."""
    looks, profile = list[list[int]](), Binned.profile

    def look(self: Binned, *arguments: Any) -> Profile:
        found = profile(self, *arguments)
        looks.append(found.counts.tolist())
        return found

    def stop(step: str) -> None:
        if step == "bounding":
            raise KeyboardInterrupt

    monkeypatch.setattr(Binned, "profile", look)
    ledger = hc.Ledger(tmp_path / "visits.db", epsilon=3, delta=1e-5)
    plan = hc.plan("histogram", hc.table(people(), name="visits"), user="user", by="item", epsilon=1)
    for _ in range(7):
        with pytest.raises(KeyboardInterrupt):
            plan.release(ledger=ledger, progress=stop)
    plan.release(ledger=ledger)
    assert looks == looks[: len(looks) // 8] * 8
    assert ledger.spent.epsilon == 1
