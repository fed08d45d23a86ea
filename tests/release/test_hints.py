"""Hints where budget is lost in silence: from parameters and released values alone, and only where they are due."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import headcount as hc
from headcount.release import Release, pack
from headcount.release.hints.hints import release_hints
from headcount.release.hints.request import request_hints

FEW = pa.table({"user": [1, 2, 3], "word": ["a", "b", "c"], "at": [datetime(2024, 1, day) for day in (1, 2, 3)]})
ASK: dict[str, Any] = {"user": "user", "by": "word", "epsilon": 1}


def plan_hints(**arguments: Any) -> str:
    return "\n".join(hc.plan("histogram", FEW, **{**ASK, **arguments}).hints)


def test_a_usual_request_has_none() -> None:
    assert plan_hints() == ""
    assert plan_hints(bound=20, epsilon=10, delta=1e-5) == ""
    assert plan_hints(by="at", per="day") == ""
    assert hc.histogram(FEW, **ASK, keys=["a", "b"]).hints == []


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ({"epsilon": 10.5}, "Epsilon 10.5 is above 10"),
        ({"delta": 1.1e-5}, "Delta is above 1e-05"),
        ({"user": "word", "by": "user"}, "Are the columns swapped? user='word' is who is protected"),
        ({"by": "at"}, "'at' holds exact times"),
        ({"bound": 100}, "bound=100: noise is made for a person with that much"),
        ({"bound": 5, "keys": ["a", "b"]}, "bound=5 is far more than the 2 items"),
    ],
)
def test_plans_say_where_budget_is_lost(arguments: dict[str, Any], hint: str) -> None:
    plan = hc.plan("histogram", FEW, **{**ASK, **arguments})
    assert hint in "\n".join(plan.hints)
    assert f"beware {hint}" in " ".join(str(plan).split())
    assert "beware" in plan._repr_html_()


def test_other_bounds_are_not_pointed_out() -> None:
    assert plan_hints(keys=["a", "b"], bound=5, count="events") == ""
    assert plan_hints(keys=["a", "b"], bound=4) == ""
    assert hc.plan("total", FEW, user="user", epsilon=1, bound=50).hints == []


def test_a_release_says_it_everywhere() -> None:
    release = hc.histogram(FEW, **{**ASK, "epsilon": 12}, keys=["a", "b"])
    hint = "Epsilon 12 is above 10"
    assert f"\nHint: {hint}" in release.summary()
    assert f"\nHint: {hint}" in release.explain()
    assert hint in release._repr_html_()
    assert hint in release.exported(".html").decode()


def test_nothing_shown_says_what_to_look_at() -> None:
    release = empty(hc.histogram(FEW, user="user", by="at", epsilon=1, bound=1))
    assert "No item had enough people to be shown.\n\nHint: 'at' holds exact times" in release.summary()
    shown = " ".join(release.summary().split())
    assert "Is 'user' the person, and 'at' what many of them share?" in shown
    assert "epsilon=2 halves what an item needs" in shown
    assert "No item had enough people to be shown." in release.exported(".html").decode()
    assert "halves" not in empty(hc.histogram(FEW, **{**ASK, "epsilon": 8}, bound=1)).summary()


def empty(release: Release) -> Release:
    """The same release without rows, as a draw may be."""
    return Release(pack(release.table.slice(0, 0), release.about), fresh=True)


def test_long_lists_of_noise_say_how_to_read_them() -> None:
    keys = [f"{number}" for number in range(2000)]
    release = hc.histogram(FEW, user="user", by="word", keys=keys, epsilon=1, bound=1)
    found = release_hints(noise(release, clear=60), release.about)
    assert "Most of these 2,000 values are noise: 60 intervals lie above 0, and about 50 would" in found[0]
    assert release_hints(noise(release, clear=200), release.about) == []
    assert release_hints(noise(release, clear=60).slice(0, 999), release.about) == []


def noise(release: Release, clear: int) -> pa.Table:
    """Rows of which this many have an interval above 0; half of an interval is 20."""
    count = np.where(np.arange(2000) < clear, 25, 3)
    return pa.table({"word": release["word"], "count": count, "low": np.maximum(count - 20, 0), "high": count + 20})


def test_the_value_above_which_it_is_no_noise_is_right() -> None:
    """Of 2,000 values of noise, none lies above it in most cases: by the tail of the noise that was drawn."""
    keys = [f"{number}" for number in range(2000)]
    for delta in (0, 1e-6):
        release = hc.histogram(FEW, user="user", by="word", keys=keys, epsilon=0.1, delta=delta, bound=1, debias=None)
        hint = next(each for each in release.hints if "noise" in each)
        minimum = float(hint.partition("above about ")[2].split()[0].replace(",", ""))
        width = float(np.median(np.array(release["high"].to_pylist()) - np.array(release["count"].to_pylist())))
        assert 2 * width < minimum < 5 * width
        assert max(release["count"].to_pylist()) < 2 * minimum


def test_hints_are_no_part_of_the_bytes() -> None:
    release = hc.histogram(FEW, **{**ASK, "epsilon": 12}, keys=["a", "b"])
    assert b"is above 10" not in release.content


def test_plans_that_others_wrote_are_read_with_care() -> None:
    release = hc.histogram(FEW, **ASK, keys=["a", "b"])
    for plan in ("", "[]", '{"parameters": 3, "columns": []}', '{"parameters": {"by": 1, "bound": "x", "per": [1]}}'):
        assert release_hints(release.table, replace(release.about, plan=plan)) == []
    assert request_hints({"parameters": {"by": ["user"], "user": 7}}, 1, 0) == []
