"""Sums per month, weekday or age band, of amounts that are cut: half of the noise, and what is cut is said."""

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.cli.test_commands import headcount
from tests.golden.tables import TABLES

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.errors import BadParameter
from headcount.mechanism.known.correlated_sums import CorrelatedSums
from headcount.planner import Plan

PEOPLE, MONTHS, CUT = 200, 12, 50
ASKED: dict[str, Any] = {
    "user": "user",
    "by": "at",
    "per": "month",
    "dates": ("2024-01-01", "2024-12-31"),
    "sum": "price",
    "mechanism": "correlated",
}


def orders() -> pa.Table:
    """Everybody spends 10 in every month, in two orders; the first person 1,000, and the last one gets 30 back."""
    months = [date(2024, month, 5) for month in range(1, MONTHS + 1)]
    users, days = np.repeat(np.arange(PEOPLE), 2 * MONTHS), [*months, *months] * PEOPLE
    price = np.where(users == 0, 500.0, np.where(users == PEOPLE - 1, -15.0, 5.0))
    return pa.table({"user": users, "at": days, "price": price})


def planned(**more: Any) -> Plan:
    plan: Plan = hc.plan("histogram", orders(), **{**ASKED, "epsilon": 1, "bound": CUT, **more})
    return plan


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_each_amount_is_cut_to_the_bound(delta: float) -> None:
    release = planned(delta=delta).release(entropy=Fixed(0))
    assert release.table.column_names == ["at", "sum", "low", "high"]
    assert release.table["sum"].to_pylist() == [10.0 * (PEOPLE - 2) + CUT] * MONTHS
    assert release.about.bound == CUT


def test_intervals_are_for_cut_sums() -> None:
    """Also if the bound is more than the number of months: it is one of amounts."""
    release = planned().release(entropy=Fixed(0))
    assert release.about.estimand == "bounded"
    assert release.about.interval == (
        "low and high are for the sums after each person was held to between 0 and 50 price for each month; the truth "
        "is higher wherever people have more, and lower wherever they have less."
    )


def test_everything_is_said() -> None:
    said = " ".join(planned().release(entropy=Fixed(0)).explain().split())
    assert "For each month of the list, a person's amount counts as at least 0 and at most 50" in said
    assert "a negative amount counts as 0" in said
    assert "one common number that is the same for all months" in said
    assert "It cancels in the difference of two sums" in said
    assert "A row that lacks a number in price counts for everything else" in said


def test_the_plan_knows_the_error() -> None:
    """That of people, times the cut: the standard deviation is (sqrt(12) + 1)/2 times that of one count."""
    plan = planned()
    assert isinstance(plan.mechanism, CorrelatedSums)
    assert plan.mechanism.deviation == pytest.approx(9.43 * CUT, rel=1e-3)
    assert "Expected error (95%, noise only): 924 price." in str(plan)
    table = plan.release(entropy=Fixed(0)).table
    for end, sign in (("low", -1), ("high", 1)):
        assert np.allclose(np.array(table[end]), np.array(table["sum"]) + sign * plan.error)


def test_a_wanted_error_finds_its_epsilon() -> None:
    wanted = planned(epsilon=None, target_error=400)
    assert wanted.error <= 400 < planned(epsilon=wanted.cost.epsilon * 9 / 10).error


def test_values_have_the_error_that_the_plan_tells() -> None:
    """In 480 sums the mean square of the error is within a quarter of its expectation: 5.6 deviations of independent
    ones, and the common part is a fifth of the variance."""
    plan, truth = planned(), 10.0 * (PEOPLE - 2) + CUT
    errors = np.array([plan.release().table["sum"].to_pylist() for _ in range(40)]) - truth
    assert 0.5 < float(np.mean(errors**2)) ** 0.5 / (9.43 * CUT) < 1.5


def test_bins_and_keys_and_any_length() -> None:
    """Also a list that is not short; and the noise is for one item if there is one."""
    table = TABLES["visits"]()
    asked = {"user": "person", "sum": "minutes", "mechanism": "correlated", "bound": 9, "epsilon": 1}
    for more in (
        {"by": "item", "keys": [f"item {n}" for n in range(100)]},
        {"by": "day", "bins": ["2024-01-01", "2024-02-01", "2024-03-01"]},
    ):
        made = hc.plan("histogram", table, **asked, **more)
        assert isinstance(made.mechanism, CorrelatedSums)
        assert len(made.release(entropy=Fixed(0))) == (100 if "keys" in more else 2)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"bound": "auto"}, "cut at a number"),
        ({"bound": "profile"}, "cut at a number"),
        ({"neighbours": "replace"}, "hides nobody who is replaced"),
        ({"debias": None}, "no debias"),
        ({"bound": 2 * 10**12}, "at most 1,000,000,000,000"),
        ({"count": "events"}, "only one of them"),
    ],
)
def test_what_it_does_not_go_with(more: dict[str, Any], message: str) -> None:
    with pytest.raises(BadParameter, match=message):
        planned(**more)


def test_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "orders.csv"
    file.write_text("user,day,price\n" + "".join(f"{user},{day},5\n" for user in range(50) for day in "ab"))
    asked = ["histogram", str(file), "--user", "user", "--by", "day", "--keys", "a,b", "--epsilon", "1"]
    shown = headcount(*asked, "--sum", "price", "--mechanism", "correlated", "--bound", "9", "--dry-run", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "at least 0 and at most 9" in " ".join(shown.stdout.split())
