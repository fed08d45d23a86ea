"""Arguments of a wrong type, as newcomers type them: the whole message, and nothing is spent."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import headcount as hc
from headcount.errors import BadParameter, HeadcountError

PEOPLE = 600
TABLE = pa.table(
    {
        "user": range(PEOPLE),
        "word": [["a", "b", "c"][index % 3] for index in range(PEOPLE)],
        "people": [index % 7 + 1 for index in range(PEOPLE)],
    }
)
ITEM: dict[str, Any] = {"user": "user", "by": "word", "epsilon": 1}
NO_PATH = 'not a path. Fix: ledger="visits.db", or ledger=hc.Ledger("visits.db")'
EVENT_FIX = 'Fix: count="users" or count="events"'


@pytest.fixture
def ledger(tmp_path: Path) -> hc.Ledger:
    return hc.Ledger(tmp_path / "visits.db", epsilon=10, delta=1e-3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ledger": False}, f"ledger=False: {NO_PATH}"),
        ({"ledger": 0}, f"ledger=0: {NO_PATH}"),
        ({"ledger": b"l.db"}, f"ledger=b'l.db': {NO_PATH}"),
        ({"count": pd.NA}, f"count=<NA>: unknown. {EVENT_FIX}"),
        ({"count": np.array(["a", "b"])}, f"count=array(['a', 'b'], dtype='<U1'): unknown. {EVENT_FIX}"),
        ({"sum": pd.NA}, 'sum=<NA>: the name of a column. Fix: sum="price"'),
        ({"keys": np.array(1)}, 'keys: a list of items. Fix: keys=["apple", "pear"]'),
        ({"bins": range(10**9)}, "bins: more than 10,000 edges. Fix: bins=[0, 10, 100]"),
        ({"epsilon": "0,5"}, "epsilon='0,5': a finite number is needed. Fix: epsilon=0.5, with a decimal point"),
        ({"epsilon": 10**5000}, "epsilon: a value that cannot be written down. Fix: a shorter epsilon"),
        (
            {"mechanism": "laplace"},
            "mechanism='laplace': unknown. Fix: mechanism=\"auto\", or one of clipped, correlated, thresholded, joint, "
            "weighted, rounds, count-release, sample-threshold",
        ),
        ({"by": "x" * 200_000}, f"there is no column '{'x' * 100}…"),
    ],
)
def test_messages_and_nothing_is_spent(arguments: dict[str, Any], message: str, ledger: hc.Ledger) -> None:
    with pytest.raises(HeadcountError) as refused:
        hc.histogram(hc.table(TABLE, name="words"), **{**ITEM, "ledger": ledger, **arguments})
    assert str(refused.value).startswith(message)
    assert len(str(refused.value)) < 900
    assert ledger.spent.epsilon == 0


@pytest.mark.parametrize("again", ["no", "False", float("nan"), 1])
def test_again_is_true_or_false(again: Any, ledger: hc.Ledger) -> None:
    plan = hc.plan("histogram", hc.table(TABLE, name="words"), **ITEM)
    with pytest.raises(BadParameter) as refused:
        plan.release(ledger=ledger, again=again)
    assert str(refused.value) == f"again={again!r}: True or False. Fix: again=True, or no again"
    assert ledger.spent.epsilon == 0


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(HeadcountError, match="a folder"):
        hc.histogram(TABLE, **ITEM, ledger=tmp_path)


@pytest.mark.parametrize("keys", [pa.array(["a", "b"]), pa.chunked_array([["a"], ["b"]]), pd.Series(["a", "b"])])
def test_a_column_is_a_list_of_keys(keys: Any) -> None:
    assert sorted(hc.histogram(TABLE, **ITEM, keys=keys)["word"].to_pylist()) == ["a", "b"]


def test_a_sum_of_people_is_no_number_of_people(tmp_path: Path) -> None:
    release = hc.total(TABLE, user="user", sum="people", epsilon=1)
    page, record = release.report(tmp_path / "r.html"), release.report(tmp_path / "r.yaml")
    assert "the released total, with noise" not in page.read_text() + record.read_text()


def test_a_group_called_people_is_no_number_of_people(tmp_path: Path) -> None:
    named = TABLE.rename_columns(["user", "people", "price"])
    release = hc.aggregate(named, user="user", by="people", metrics=["events", "sum(price)"], epsilon=1)
    assert "groups shown, added up" not in release.report(tmp_path / "r.html").read_text()


def test_groups_that_are_called_like_the_ends_of_intervals() -> None:
    named = TABLE.rename_columns(["user", "x", "x_low"]).append_column("x_high", TABLE["word"])
    release = hc.aggregate(named, user="user", by=["x", "x_low", "x_high"], metrics=["people"], epsilon=5)
    assert "people" in release.summary()
    assert len(release.plot().axes) >= 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (5, 'path=5: not a path. Fix: release.save("release.parquet")'),
        (b"r.csv", "path=b'r.csv': not a path. Fix: release.save(\"release.parquet\")"),
        (None, 'path=None: not a path. Fix: release.save("release.parquet")'),
    ],
)
def test_what_is_no_path_is_not_written(given: Any, message: str) -> None:
    release = hc.total(TABLE, user="user", epsilon=1)
    with pytest.raises(HeadcountError) as refused:
        release.save(given)
    assert str(refused.value) == message
