"""Rows that are not read as they are meant: whoever gets nothing for the budget is asked why, by released values."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.cli.test_commands import headcount

import headcount as hc
from headcount.audit.choices import Fixed

DATES = "Are the dates in 'day' written as 2024-03-05?"
RATE, PRICE = (f"Are the values in {name!r} plain numbers such as 12.50?" for name in ("rate", "price"))
WHERE = "Does any row meet the conditions on 'country'?"
PERSON = "Is 'user_id' the person"
BY: dict[str, Any] = {"by": "country"}
RIGHT = {"day": "2024-03-{:02}", "rate": "{}", "price": "{}.50"}
WRONG = {"day": "{:02}/03/2024", "rate": "{}%", "price": "${}.50"}
ASKED: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "days": ("histogram", {"by": "day", "per": "day", "dates": ("2024-03-01", "2024-03-09")}, [DATES]),
    "days that are not known": ("histogram", {"by": "day", "per": "day"}, [DATES, PERSON]),
    "bins of dates": ("histogram", {"by": "day", "bins": ["2024-03-01", "2024-03-05", "2024-03-09"]}, [DATES]),
    "bins of numbers": ("histogram", {"by": "rate", "bins": [1, 5, 9]}, [RATE]),
    "means": ("aggregate", {**BY, "metrics": ["people", "mean(rate)"]}, [RATE]),
    "means per person": ("aggregate", {**BY, "metrics": ["events", "mean(rate) per person"]}, [RATE]),
    "people with an amount": ("aggregate", {**BY, "metrics": ["people", "people(rate)"]}, [RATE]),
    "quantiles of groups": (
        "aggregate",
        {**BY, "metrics": ["people", "quantile(rate, 0.25)"], "range": (1, 99)},
        [RATE],
    ),
    "sums of known groups": ("aggregate", {**BY, "keys": ["FR", "DE"], "metrics": ["sum(price)"]}, [PRICE]),
    "a total": ("total", {"sum": "price"}, [PRICE]),
    "sums": ("histogram", {**BY, "sum": "price"}, [PRICE]),
    "quantiles": ("quantiles", {"value": "rate", "range": (1, 99)}, [RATE]),
    "ranges": ("ranges", {"value": "price", "ranges": [(1, 5), (5, 9)]}, [PRICE]),
}


def rows(path: Path, spelling: dict[str, str]) -> Path:
    """A CSV of 3,000 people."""
    lines = [[spelling[name].format(1 + index % 9) for name in ("day", "rate", "price")] for index in range(3000)]
    path.write_text("user_id,country,day,rate,price\n")
    with path.open("a") as file:
        for index, line in enumerate(lines):
            print(index, "FR" if index % 3 else "DE", *line, sep=",", file=file)
    return path


def hints(data: Any, job: str, asked: dict[str, Any]) -> list[str]:
    plan = hc.plan(job, hc.table(data, name="v"), user="user_id", epsilon=1, **asked)
    return plan.release(entropy=Fixed(0)).hints


@pytest.mark.parametrize("case", ASKED)
def test_nothing_for_the_budget_asks_why(tmp_path: Path, case: str) -> None:
    """From a CSV and from a pandas frame of text; of rows in the right spelling nothing is asked."""
    job, asked, expected = ASKED[case]
    wrong = rows(tmp_path / "wrong.csv", WRONG)
    for data in (wrong, pd.read_csv(wrong), pd.read_csv(wrong, dtype=object)):
        found = hints(data, job, asked)
        assert [hint.startswith(start) for hint, start in zip(found, expected, strict=False)] == [True] * len(expected)
    assert hints(rows(tmp_path / "right.csv", RIGHT), job, asked) == []


@pytest.mark.parametrize(
    ("job", "asked"),
    [
        ("histogram", BY),
        ("histogram", {**BY, "keys": ["FR", "DE"]}),
        ("aggregate", {**BY, "metrics": ["people"]}),
        ("total", {}),
        ("top", {**BY, "k": 2}),
        ("shape", BY),
    ],
)
def test_a_condition_is_asked_about_first(tmp_path: Path, job: str, asked: dict[str, Any]) -> None:
    """And not at all if rows meet it."""
    data = rows(tmp_path / "right.csv", RIGHT)
    assert hints(data, job, {**asked, "where": {"country": "fr"}})[0].startswith(WHERE)
    assert not any(hint.startswith(WHERE) for hint in hints(data, job, {**asked, "where": {"country": "FR"}}))


def test_hints_follow_from_the_released_file_alone(tmp_path: Path) -> None:
    """Whoever has the file, and not the data, sees the same."""
    data = rows(tmp_path / "v.csv", WRONG)
    plan = hc.plan("total", data, user="user_id", sum="price", epsilon=1)
    release = plan.release(entropy=Fixed(0))
    data.unlink()
    assert hc.load(release.save(tmp_path / "r.parquet")).hints == release.hints != []


def test_the_question_is_asked_everywhere(tmp_path: Path) -> None:
    data = rows(tmp_path / "v.csv", WRONG)
    release = hc.plan("total", data, user="user_id", sum="price", epsilon=1).release(entropy=Fixed(0))
    for shown in (str(release), release.explain(), release._repr_html_(), release.exported(".html").decode()):
        assert "plain numbers such as 12.50?" in shown
    asked = ("histogram", "v.csv", "--user", "user_id", "--by", "day", "--per", "month", "--epsilon", "1")
    run = headcount(*asked, cwd=tmp_path)
    assert f"Hint: {DATES}" in run.stdout
    run = headcount(*asked, "--json", cwd=tmp_path)
    assert "Hint" not in run.stdout
    assert f"headcount: hint: {DATES}" in run.stderr
