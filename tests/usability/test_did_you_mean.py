"""Names of other tools, and arguments in other places: the whole message, with what was probably meant."""

import copy
import inspect
import pickle
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import headcount as hc
from headcount.errors import HeadcountError

TABLE = pa.table({"user_id": [1, 2], "word": ["a", "b"], "price": [1.0, 2.0]})
GOOD: dict[str, Any] = {"user": "user_id", "by": "word", "epsilon": 1}
METRICS = (
    "one of people, events, share, people(x), events(x), sum(x), mean(x), mean(x) per person, median(x), "
    "quantile(x, 0.9), with a column of numbers for x"
)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("name", "args", "arguments", "message"),
    [
        ("histogram", [TABLE], {"eps": 1}, "eps: histogram has no such parameter. Fix: did you mean epsilon=1?"),
        ("top", [TABLE], {"n": 5}, "n: top has no such parameter. Fix: did you mean k=5?"),
        (
            "histogram",
            [TABLE],
            {"user_col": "user_id"},
            "user_col: histogram has no such parameter. Fix: did you mean user='user_id'?",
        ),
        ("histogram", [TABLE], {**GOOD, "zzz": 1}, "zzz: histogram has no such parameter. Fix: no zzz"),
        (
            "histogram",
            [TABLE, "user_id", "word"],
            {"epsilon": 1},
            "histogram: arguments after data have names. Fix: user='user_id', by='word'",
        ),
        (
            "histogram",
            [],
            GOOD,
            "histogram: data is missing. Fix: histogram(table, ...), with a frame or the path of a file",
        ),
        (
            "total",
            [TABLE],
            {"epsilon": 1},
            'total: user is missing. Fix: user="user_id", the column that tells people apart',
        ),
        (
            "plan",
            ["histogram", TABLE],
            {"eps": 1},
            "eps: histogram has no such parameter. Fix: did you mean epsilon=1?",
        ),
        (
            "plan",
            [TABLE, "histogram"],
            GOOD,
            'plan(Table, ...): the name of the job comes first. Fix: plan("histogram", data, ...)',
        ),
        (
            "plan",
            ["histogrm", TABLE],
            GOOD,
            "plan('histogrm', ...): unknown. Fix: did you mean plan(\"histogram\", data, ...)? One of histogram, "
            "aggregate, top, heavy_hitters, quantiles, ranges, shape, distribution, profile, total",
        ),
        (
            "simulate",
            [TABLE, "histogram"],
            GOOD,
            'simulate(Table, ...): the name of the job comes first. Fix: simulate("histogram", data, ...)',
        ),
        ("Ledger", ["x.db"], {"eps": 3}, "eps: Ledger has no such parameter. Fix: did you mean epsilon=3?"),
        ("Ledger", ["x.db", 3], {}, "Ledger: arguments after path have names. Fix: epsilon=3"),
    ],
)
def test_calls(name: str, args: list[Any], arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError if "comes first" not in message and "unknown" not in message else ValueError) as said:
        getattr(hc, name)(*args, **arguments)
    assert isinstance(said.value, HeadcountError)
    assert str(said.value) == message


def test_functions_stay_what_they_are() -> None:
    assert list(inspect.signature(hc.histogram).parameters)[:3] == ["data", "user", "by"]
    assert pickle.loads(pickle.dumps(hc.histogram)) is hc.histogram
    assert next(iter(inspect.signature(hc.Ledger).parameters)) == "path"


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "mean",
            "headcount has no 'mean'. Fix: hc.aggregate(data, user=..., by=..., metrics=[\"mean(x)\"], epsilon=1)",
        ),
        ("count", "headcount has no 'count'. Fix: hc.histogram(data, user=..., by=..., epsilon=1)"),
        ("histogrm", "headcount has no 'histogrm'. Fix: did you mean hc.histogram?"),
    ],
)
def test_functions_of_other_names(name: str, message: str) -> None:
    with pytest.raises(AttributeError) as said:
        getattr(hc, name)
    assert str(said.value) == message
    assert not hasattr(hc, name)


def test_a_release_is_no_frame() -> None:
    release = hc.total(hc.example(people=100), user="user", epsilon=1)
    with pytest.raises(AttributeError) as said:
        release.head()  # type: ignore[attr-defined]
    assert str(said.value) == "a release has no 'head'. Fix: release.to_pandas().head, of its rows as a frame"
    assert not hasattr(release, "columns")
    assert pickle.loads(pickle.dumps(release)).content == copy.deepcopy(release).content == release.content


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("data", "fix"),
    [
        (duckdb.connect(), 'con.table("events"), or con.sql("SELECT ...")'),
        (pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches()), "data.read_all()"),
        (ds.dataset(TABLE), "data.to_table()"),
        ([{"user_id": 1}], "pa.Table.from_pylist(data)"),
        ({"user_id": [1]}, "pa.table(data)"),
        ("SELECT * FROM visits", 'con.sql("SELECT ...") as data, with con = duckdb.connect(...)'),
        (
            "s3://bucket/x.parquet",
            'con.read_parquet("s3://bucket/x.parquet") as data, with DuckDB (httpfs): con = duckdb.connect()',
        ),
        ("https://example.org/x.csv", "download the file, and give its path"),
    ],
)
def test_what_is_no_table(data: Any, fix: str) -> None:
    with pytest.raises(HeadcountError) as said:
        hc.histogram(data, **GOOD)
    assert said.value.fix == fix


def test_files_of_other_kinds(tmp_path: Path) -> None:
    sheet, bars = tmp_path / "small.xlsx", tmp_path / "small.csv"
    sheet.write_text("PK")
    bars.write_text("user_id|word\n1|a\n")
    with pytest.raises(HeadcountError, match=r"a workbook\. Fix: pd\.read_excel\("):
        hc.histogram(sheet, **GOOD)
    with pytest.raises(HeadcountError, match=r"its columns are separated by \|, and not by a comma, semicolon or tab"):
        hc.histogram(bars, **GOOD)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("metric", "meant"),
    [
        ("average(price)", "mean(price)"),
        ("avg(price)", "mean(price)"),
        ("count", "people"),
        ("count(price)", "events(price)"),
        ("users(price)", "people(price)"),
        ("users", "people"),
        ("rows", "events"),
        ("max(price)", "quantile(price, 0.99)"),
        ("sums(price)", "sum(price)"),
    ],
)
def test_metrics_of_other_names(metric: str, meant: str) -> None:
    with pytest.raises(HeadcountError) as said:
        hc.aggregate(TABLE, **GOOD, metrics=[metric])
    assert str(said.value) == f"metrics: {metric!r} is no metric. Fix: did you mean {meant}? It is {METRICS}"
