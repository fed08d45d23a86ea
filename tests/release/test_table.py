"""A release behaves like a table, and what notebooks show is short and honest."""

from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.browser import measured

import headcount as hc
from headcount.errors import UnknownColumn

PLAYS = pa.table({"user": range(3000), "song": [f"song {user % 20}" for user in range(3000)]})
OVERFLOW = "return {width: innerWidth, content: document.documentElement.scrollWidth};"


@pytest.fixture
def release() -> hc.Release:
    return hc.histogram(PLAYS, user="user", by="song", epsilon=1, bound=1)


@pytest.fixture
def nothing() -> hc.Release:
    return hc.histogram(PLAYS.slice(0, 3), user="user", by="song", epsilon=1, bound=1)


def test_rows_and_columns(release: hc.Release) -> None:
    assert len(release) == release.table.num_rows > 0
    assert list(release) == release.table.to_pylist()
    assert release["song"].equals(release.table["song"])


def test_an_unknown_column(release: hc.Release) -> None:
    with pytest.raises(UnknownColumn, match=r"'sing': no column of this release\. Fix: one of 'song', 'count'"):
        release["sing"]


def test_other_tables_can_be_made_from_it(release: hc.Release, nothing: hc.Release) -> None:
    assert pd.DataFrame(release).equals(release.to_pandas())
    assert pl.DataFrame(release).equals(release.to_polars())
    assert pa.table(release).equals(release.table)
    assert len(pd.DataFrame(nothing)) == len(nothing) == 0
    assert pl.DataFrame(nothing).columns == pa.table(nothing).column_names == ["song", "count", "low", "high"]


def test_a_shape_is_a_table_too() -> None:
    shape = hc.shape(PLAYS, user="user", by="song", epsilon=1)
    assert len(shape) == len(list(shape)) == shape.table.num_rows


def test_notebooks_show_a_plan(release: hc.Release) -> None:
    plan = hc.plan("histogram", hc.table(PLAYS, name="<plays>"), user="user", by="song", epsilon=1)
    view = plan._repr_html_()
    for part in ("Plan: people per song", "&lt;plays&gt;", "epsilon 1, delta 1e-06", "<details>", "spent nothing"):
        assert part in view


def test_notebooks_show_a_ledger(tmp_path: Path) -> None:
    ledger = hc.Ledger(tmp_path / "plays.db", epsilon=3, delta=1e-5)
    assert "0 charges" in ledger._repr_html_()
    for number in range(7):
        hc.total(hc.table(PLAYS, name=f"<plays> {number}"), user="user", epsilon=0.25, count="users", ledger=ledger)
    view = ledger._repr_html_()
    for part in (
        "Ledger plays.db",
        "7 charges",
        "1.75",
        "1.25",
        "&lt;plays&gt; 6",
        "... and 2 earlier charges",
        ledger.head,
    ):
        assert part in view
    assert "&lt;plays&gt; 1" not in view


def test_views_fit_a_narrow_notebook(release: hc.Release, nothing: hc.Release, tmp_path: Path) -> None:
    ledger = hc.Ledger(tmp_path / "plays.db", epsilon=3, delta=1e-5)
    hc.total(hc.table(PLAYS, name="plays"), user="user", epsilon=0.25, count="users", ledger=ledger)
    plan = hc.plan("histogram", PLAYS, user="user", by="song", epsilon=1)
    for number, shown in enumerate((release, nothing, plan, ledger)):
        page = tmp_path / f"{number}.html"
        page.write_text(f"<!DOCTYPE html><html><body>{shown._repr_html_()}</body></html>")  # type: ignore[attr-defined]
        found = measured(page, OVERFLOW, width=500)
        assert found["content"] <= found["width"], shown
