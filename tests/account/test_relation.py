"""A ledger adds up what is spent for one relation of neighbours, and says which."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import headcount as hc
from headcount.account import Charge, Cost, Ledger, ZcdpFilter
from headcount.account.composition import compose, cost
from headcount.account.events import Laplace, LaplaceThreshold, Neighbours
from headcount.errors import BadParameter, LedgerError

ONE = Cost(Fraction(1), Fraction(0))
VISITS = pa.table({"user": list(range(300)), "item": [number % 3 for number in range(300)]})
ITEMS: dict[str, Any] = {"by": "item", "bound": 1}
NUMBERS: dict[str, Any] = {"value": "item", "bound": 1}
JOBS: dict[str, dict[str, Any]] = {
    "histogram": ITEMS,
    "heavy_hitters": {**ITEMS, "share": 0.3},
    "top": {"by": "item"},
    "profile": {"by": "item"},
    "total": {"bound": 1},
    "quantiles": {**NUMBERS, "range": (0, 8), "cells": 32},
    "ranges": {**NUMBERS, "ranges": [(0, 1), (1, 9)]},
    "shape": {"by": "item"},
    "distribution": {**ITEMS, "keys": [0, 1, 2]},
}


def ask(job: Any, neighbours: Any, **asked: Any) -> hc.Plan:
    return hc.plan(
        job, hc.table(VISITS, name="visits"), user="user", epsilon=1, neighbours=neighbours, **JOBS[job], **asked
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "visits.db"


@pytest.fixture
def ledger(path: Path) -> Ledger:
    return Ledger(path, epsilon=9, delta=1e-5)


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize(("first", "second"), [("add-remove", "replace"), ("replace", "add-remove")])
def test_two_kinds_of_neighbours_are_not_added_up(ledger: Ledger, job: str, first: str, second: str) -> None:
    ledger.publish(ask("total", first).charge(), lambda head, secret: b"")
    assert ledger.neighbours == first
    with pytest.raises(LedgerError) as refused:
        ask(job, second).release(ledger=ledger)
    assert str(refused.value) == (
        f"visits.db adds up charges for neighbours='{first}', and this one is for '{second}'. Nothing was spent. "
        f'Fix: neighbours="{first}", or a ledger of its own: headcount ledger new other.db '
        f"--neighbours '{second}' ..."
    )
    assert ledger.spent == ONE


def test_public_sizes_are_a_relation_of_their_own(ledger: Ledger) -> None:
    public = ask("distribution", "replace", sizes="public")
    assert public.release(ledger=ledger).fresh
    assert ledger.neighbours == "replace-same-size"
    for neighbours in ("add-remove", "replace"):
        with pytest.raises(LedgerError, match=r'Fix: neighbours="replace", sizes="public", or a ledger of its own'):
            ask("total", neighbours).release(ledger=ledger)


def test_a_ledger_can_be_made_for_its_neighbours(path: Path) -> None:
    ledger = Ledger(path, epsilon=3, neighbours="replace")
    assert Ledger(path).neighbours == Ledger(path, neighbours="replace").neighbours == "replace"
    assert repr(ledger).endswith("neighbours='replace'>")
    served = Ledger(ledger.path, serves=True)
    assert repr(served).endswith("neighbours='replace', serves=True>")
    assert "serves others" in served._repr_html_()
    assert "serves others" not in ledger._repr_html_()
    with pytest.raises(LedgerError, match="this one is for 'add-remove'"):
        ledger.publish(Charge("count", ONE), lambda head, secret: b"")
    ledger.publish(Charge("count", ONE, neighbours="replace"), lambda head, secret: b"")
    with pytest.raises(LedgerError, match="this ledger is for neighbours='replace', not for 'add-remove'"):
        Ledger(path, neighbours="add-remove")


def test_neighbours_that_are_not_said_yet(ledger: Ledger, path: Path) -> None:
    assert ledger.neighbours is None
    with pytest.raises(LedgerError, match="this ledger is for the neighbours of its first charge, not for 'replace'"):
        Ledger(path, neighbours="replace")
    with pytest.raises(BadParameter, match=r"neighbours='odd': unknown\. Fix: neighbours=\"add-remove\" or"):
        Ledger(path, neighbours="odd")  # type: ignore[arg-type]


def test_the_same_question_for_other_neighbours_is_another(ledger: Ledger) -> None:
    ledger.publish(Charge("count", ONE), lambda head, secret: b"")
    with pytest.raises(LedgerError, match="adds up charges for"):
        ledger.publish(Charge("count", ONE, neighbours="replace"), lambda head, secret: b"")


def threshold(neighbours: Neighbours) -> LaplaceThreshold:
    return LaplaceThreshold(Fraction(2), 1, 1, 60, neighbours)


def test_events_say_the_neighbours_of_a_charge() -> None:
    price = Cost(Fraction(1), Fraction("1e-6"))
    assert Charge("count", price, (threshold("replace"),)).neighbours == "replace"
    assert Charge("count", price).neighbours == "add-remove"
    for events, neighbours in [
        ((threshold("replace"),), "add-remove"),
        ((threshold("add-remove"),), "replace-same-size"),
        ((threshold("replace"), threshold("add-remove")), ""),
    ]:
        with pytest.raises(BadParameter, match=r"one of the events is for|events for add-remove and for replace"):
            Charge("count", price, events, neighbours=neighbours)  # type: ignore[arg-type]


def test_events_of_two_kinds_of_neighbours_have_no_price_together() -> None:
    mixed = (threshold("replace"), Laplace(Fraction(9), Fraction(1)), threshold("add-remove"))
    delta = Fraction("1e-3")
    for price in (cost.zcdp, cost.split, lambda events: compose.tightest(events, delta)):
        with pytest.raises(BadParameter, match="events for add-remove and for replace"):
            price(mixed)
    with pytest.raises(BadParameter, match="events for add-remove and for replace"):
        compose.covers(Cost(Fraction(9), delta), mixed)


def test_a_filter_admits_one_kind_of_neighbours() -> None:
    budget = ZcdpFilter(rho=9, delta="0.1")
    budget.charge(threshold("replace"))
    budget.charge(Laplace(Fraction(9), Fraction(1)))
    with pytest.raises(BadParameter, match="events for add-remove and for replace"):
        budget.charge(threshold("add-remove"))
    with pytest.raises(BadParameter, match="events for add-remove and for replace"):
        budget.admits(threshold("add-remove"))
