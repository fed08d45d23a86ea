"""What the way of a release does not import, and what stands in its place."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headcount as hc
from headcount.source.frames.arrow_columns import arrow, arrow_table, filled, hexadecimal

RELEASES = """
import sys
import headcount as hc
said = {{"user": "user", "by": "item", "epsilon": 8, **{said}}}
assert len(hc.histogram({data}, **said)) == 2
assert not (found := {heavy!r} & {{*sys.modules}}), found
"""
HEAVY = {
    *("pandas", "polars", "pyspark", "psycopg", "matplotlib", "altair", "typer", "rich.console"),
    *("scipy.special", "scipy.stats", "scipy.optimize", "scipy.linalg", "numpy.f2py"),
    *("sqlglot.dialects.trino", "sqlglot.dialects.snowflake", "ibis.backends.sql.compilers.postgres"),
    *("ibis", "sqlglot", "headcount.source.engines.spark", "headcount.source.views.view"),
    *("headcount.federated", "headcount.audit", "headcount.simulation", "headcount.cli", "headcount.release.report"),
}
"""Modules that a default release does not need; some take as long to import as a small release."""
DIALECTS = """
import sys
import headcount.source.engines.dialects as dialects
dialects.backend()
import ibis, ibis.backends.sql.compilers as compilers
assert "sqlglot.dialects.trino" not in sys.modules
{use}
"""


@pytest.mark.parametrize("data", ["{path!r}", "__import__('pyarrow.parquet').parquet.ParquetFile({path!r}).read()"])
@pytest.mark.parametrize(
    "said",
    [
        {},
        {"mechanism": "weighted"},
        {"mechanism": "thresholded", "bound": 1},
        {"count": "events"},
        {"keys": ["a", "b"]},
    ],
    ids=str,
)
def test_a_release_does_not_import_what_it_does_not_need(tmp_path: Path, said: dict[str, Any], data: str) -> None:
    """In a fresh process, with all of it installed."""
    assert all(find_spec(each.partition(".")[0]) for each in HEAVY)
    path = tmp_path / "events.parquet"
    pq.write_table(pa.table({"user": [*range(300)] * 2, "item": ["a"] * 300 + ["b"] * 300}), path)
    code = RELEASES.format(data=data.format(path=str(path)), said=said, heavy=HEAVY)
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "call",
    [
        "aggregate({data}, user='user', by='item', metrics=['sum(amount)', 'median(amount)'], range=(0, 9), epsilon=8)",
        "histogram({data}, user='user', by='item', sum='amount', keys=['a', 'b'], epsilon=8)",
        "total({data}, user='user', sum='amount', epsilon=8)",
        "quantiles({data}, user='user', value='amount', range=(0, 9), epsilon=8)",
        "ranges({data}, user='user', value='amount', ranges=[(0, 5), (2, 9)], epsilon=8)",
    ],
)
@pytest.mark.parametrize("kind", ["int64", "float32", "float64", "decimal128(22, 2)"])
def test_amounts_are_read_without_ibis_and_pandas(tmp_path: Path, call: str, kind: str) -> None:
    """Of a file and of a frame; an amount is missing."""
    path = tmp_path / "events.parquet"
    amounts = pa.array([*range(99), None] * 6).cast(eval(f"pa.{kind}" if "(" in kind else f"pa.{kind}()"))
    pq.write_table(pa.table({"user": [*range(300)] * 2, "item": ["a"] * 300 + ["b"] * 300, "amount": amounts}), path)
    code = ["import sys, headcount as hc, pyarrow.parquet as pq"]
    code += [f"hc.{call.format(data=data.format(str(path)))}" for data in ("{!r}", "pq.ParquetFile({!r}).read()")]
    code.append("assert not (found := {'ibis', 'sqlglot', 'pandas'} & {*sys.modules}), found")
    subprocess.run([sys.executable, "-c", "\n".join(code)], check=True)


def test_a_ledger_looks_at_rows_without_ibis(tmp_path: Path) -> None:
    path = tmp_path / "events.parquet"
    pq.write_table(pa.table({"user": [*range(300)] * 2, "item": ["a"] * 300 + ["b"] * 300}), path)
    charged = {"ledger": str(tmp_path / "visits.db")}
    hc.Ledger(charged["ledger"], epsilon=9, delta=1e-5)
    code = RELEASES.format(data=repr(str(path)), said=charged, heavy={"ibis", "sqlglot"})
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_import_leaves_the_garbage_collector_as_it_was() -> None:
    code = "import gc, headcount; gc.{}(); headcount.{}; assert gc.isenabled() is {}"
    for switch, name, expected in [("enable", "histogram", True), ("disable", "Plan", False)]:
        subprocess.run([sys.executable, "-c", code.format(switch, name, expected)], check=True)


@pytest.mark.parametrize(
    "use",
    [
        "assert compilers.trino.compiler.dialect is compilers.TrinoCompiler.dialect",
        "from ibis.backends.sql.compilers import *; assert PostgresCompiler is compilers.postgres.PostgresCompiler",
        "import ibis.backends.sql.compilers.risingwave as found; assert found.compiler",
        "assert 'AS' in ibis.to_sql(ibis.table({'a': 'int64'}, name='t').select(b=ibis._.a), dialect='snowflake')",
        "assert not hasattr(compilers, 'nothing') and len(compilers.__all__) > 15",
    ],
)
def test_other_dialects_of_ibis_are_there_when_they_are_used(use: str) -> None:
    """In a fresh process, which imports headcount first."""
    subprocess.run([sys.executable, "-c", DIALECTS.format(use=use)], check=True)


@pytest.mark.parametrize(
    "values",
    [
        np.arange(5),
        np.arange(0),
        np.arange(10, dtype=np.int32)[::2],
        np.array([0.5, np.nan, -0.0]),
        np.broadcast_to(np.int64(1), 4),
        np.arange(19) % 3 == 0,
        np.zeros(0, dtype=bool),
        (np.arange(20) % 3 == 0)[::2],
    ],
    ids=str,
)
def test_arrow_as_pyarrow_makes_it(values: Any) -> None:
    found = arrow(values)
    found.validate(full=True)
    assert found.type == pa.array(values).type
    assert repr(found.to_pylist()) == repr(pa.array(values).to_pylist())
    assert arrow_table({"values": values, "others": pa.array(values)}).column_names == ["values", "others"]


def test_dates_are_refused() -> None:
    with pytest.raises(AssertionError, match="other widths"):
        arrow(np.arange(3).astype("datetime64[D]"))


def test_nulls_are_filled() -> None:
    assert filled(pa.chunked_array([[1, None], [3]]), 7).to_pylist() == [1, 7, 3]
    assert filled(pa.chunked_array([[1, 2]]), 7).to_pylist() == [1, 2]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_hexadecimal_digits(kind: pa.DataType) -> None:
    words = [f"{number * 2654435761 % 2**32:08x}" for number in range(100)]
    column = pa.chunked_array([pa.array(words[:30], kind), pa.array(words, kind)[30:]])
    assert hexadecimal(column).tolist() == [int(word, 16) for word in words]
    assert hexadecimal(column[40:43]).tolist() == [int(word, 16) for word in words[40:43]]
    assert hexadecimal(column[:0]).tolist() == []
