"""Every engine beside DuckDB, and what the tests put on it."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headcount.noise import KeyedEntropy
from headcount.source import Contributions, contributions, open_events
from headcount.source.contributions.contributions import ReadPlan

Put = Callable[[pa.Table], Any]
"""Puts a table on an engine."""
SETTINGS = {  # Java: compiling well takes longer than all that is run here
    "spark.driver.memory": "2g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.speculation": "true",
    "spark.speculation.interval": "10ms",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
}
SMALL = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.headcount.fetchBytes": "0",
}
"""Settings of a session for small tables: compiling a query takes longer than running it. They stay on Spark, as large
ones do (test_spark_fetched.py has those that come to the driver)."""


class Seeded(KeyedEntropy):
    """The same chance every time."""

    def __init__(self) -> None:
        super().__init__(bytes(range(32)))


def spark_session(log: Path) -> Any:
    """A Spark in this process, which tries a task that fails again, and writes down what it does."""
    from headcount.source.engines import spark_session

    sessions = spark_session.session_class()
    if there := sessions.getActiveSession():  # a page of the documentation has started one
        there.stop()
    builder = sessions.builder.master("local[2,4]").config("spark.eventLog.dir", log.as_uri())
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    with spark_session.silent():
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
    for name, value in SMALL.items():
        session.conf.set(name, value)
    return session


def on_spark(session: Any, folder: Path) -> Put:
    """Puts tables on Spark, by way of Parquet."""

    def put(table: pa.Table) -> Any:
        path = folder / f"{token_hex(8)}.parquet"
        pq.write_table(table, path, row_group_size=max(1, len(table) // 3))
        return session.read.option("datetimeRebaseMode", "CORRECTED").parquet(str(path))

    return put


POSTGRES = {  # of every table here, whatever a session says
    pa.types.is_boolean: "boolean",
    pa.types.is_int16: "smallint",
    pa.types.is_int32: "integer",
    pa.types.is_int64: "bigint",
    pa.types.is_float32: "real",
    pa.types.is_float64: "double precision",
    pa.types.is_string: "text",
    pa.types.is_date: "date",
}


def postgres_type(kind: pa.DataType) -> str:
    """The type on Postgres that holds the same values."""
    if pa.types.is_timestamp(kind):
        return "timestamptz" if kind.tz else "timestamp"
    if pa.types.is_decimal(kind):
        return f"numeric({kind.precision}, {kind.scale})"
    found = next((name for fits, name in POSTGRES.items() if fits(kind)), None)
    return found or pytest.skip(f"Postgres has no {kind}")


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column without a dictionary, and with moments in UTC: in another zone Python cannot hold the first and last."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type)
    return column.cast(pa.timestamp("us", "UTC")) if pa.types.is_timestamp(kind) and kind.tz else column


def on_postgres(backend: Any) -> Put:
    """Puts tables on Postgres; an Ibis table comes back."""

    def put(table: pa.Table) -> Any:
        plain = [_plain(column) for column in table.columns]
        kinds = [postgres_type(column.type) for column in plain]
        if any(
            "\0" in each for column in plain if pa.types.is_string(column.type) for each in column.to_pylist() if each
        ):
            pytest.skip("Postgres has no text with a zero byte")
        name, columns = f"t{token_hex(8)}", zip(table.column_names, kinds, strict=True)
        listed = ", ".join(f'"{column}" {kind}' for column, kind in columns)
        with backend.con.transaction(), backend.con.cursor() as cursor:
            cursor.execute(f"CREATE TABLE {name} ({listed})")
            with cursor.copy(f"COPY {name} FROM STDIN") as copy:
                for row in zip(*(column.to_pylist() for column in plain), strict=True):
                    copy.write_row(row)
        return backend.table(name)

    return put


COMPARED: dict[str, Callable[[pytest.FixtureRequest, Path], Put]] = {
    "spark": lambda request, folder: on_spark(request.getfixturevalue("spark"), folder),
    "postgres": lambda request, folder: on_postgres(request.getfixturevalue("postgres")),
}
"""Every engine of the registry beside DuckDB, with which it is compared, and how tables are put on it."""


@cache
def people(many: int = 400) -> pa.Table:
    """A table with everything in it: common and rare items, people with few rows and with many, odd values."""
    chance = np.random.default_rng(3)
    rows = np.repeat(np.arange(many), np.minimum(chance.zipf(1.6, many), 60))
    size = len(rows)
    items = [f"item {number}" for number in np.minimum(chance.zipf(1.4, size), 300)]
    amounts = np.round(chance.normal(40, 30, size), 2).tolist()
    for index in range(0, size, 97):
        items[index], amounts[index] = ["", "é", "e\u0301", "item 1 ", "ITEM 1"][index % 5], None
    amounts[5:9] = [float("nan"), float("inf"), -1e300, 1e300]
    days = np.datetime64("2024-01-01") + chance.integers(0, 50, size).astype("timedelta64[D]")
    return pa.table(
        {
            "user": pa.array([None if row % 50 == 7 else int(row) for row in rows]),
            "item": pa.array([None if index % 71 == 3 else item for index, item in enumerate(items)]),
            "amount": pa.array(amounts),
            "day": pa.array(days),
            "city": pa.array(chance.choice(["Rome", "Oslo", "Lima"], size).tolist()),
        }
    )


def kept(stack: ExitStack, data: Any, **how: Any) -> Contributions:
    """What each person did, kept by the engine."""
    columns = ["user", "item", *(["amount"] if "amounts" in how or "scales" in how else [])]
    done = contributions(open_events(data, columns).table(), [None], keys=None, **{"events": False, **how})
    return stack.enter_context(done.read(ReadPlan(people=True)))
