"""The registry of engines: which there are, what is required of them, and how another package adds one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from inspect import isabstract
from typing import Any, ClassVar

import ibis
import pyarrow as pa
import pytest
from ibis.expr import types as ir
from tests.conformance.engines import COMPARED

from headcount.bound.pairs.pairs import pairs_of
from headcount.errors import BadParameter, NotATable
from headcount.source import contributions, open_events
from headcount.source.contributions.contributions import ReadPlan
from headcount.source.engines import registry
from headcount.source.engines.duckdb import DuckDB
from headcount.source.engines.duckdb_connection import connect
from headcount.source.engines.engine import Engine


def below(kind: Any) -> set[Any]:
    own = {each for each in kind.__subclasses__() if each.__module__.startswith("headcount.")}
    return {found for each in own for found in (each, *below(each)) if not isabstract(found)}


def test_every_engine_is_registered_and_compared_with_duckdb() -> None:
    names = [engine.name for engine in registry.built_in()]
    assert names == ["duckdb", *COMPARED]
    assert below(Engine) == {type(engine) for engine in registry.built_in()}


def test_names_are_unique_and_text_is_byte_exact() -> None:
    for attribute in ("name", "ibis_name", "title"):
        assert len({getattr(engine, attribute) for engine in registry.built_in()}) == len([*registry.built_in()])
    assert all(engine.byte_exact for engine in registry.built_in())


class Rows:
    """A frame of a library of its own."""

    def __init__(self, table: pa.Table) -> None:
        self.content, self.columns = table, table.column_names


class Other(DuckDB):
    """An engine of another package: it owns `Rows`, does not get events as integers, and keeps pairs in lists."""

    name, title = "other", "Other"
    in_process = False
    groups_pairs = True
    wide_row_number = False
    options: ClassVar[tuple[str, ...]] = ("cluster",)

    def owns(self, data: object) -> bool:
        return isinstance(data, Rows)

    def check(self, data: Any) -> None:
        pass

    def query(self, data: Any) -> None:
        return None

    def types(self, data: Any, columns: Sequence[str]) -> dict[str, Any]:
        return {column: self.table(data, [column]).schema().types[0] for column in columns}

    def table(self, data: Any, columns: Sequence[str]) -> ir.Table:
        connection = connect().backend
        connection.con.register("rows", data.content.select(list(columns)))
        found: ir.Table = connection.table("rows")
        return found


class Entry:
    """An entry point."""

    def __init__(self, kind: type[Engine]) -> None:
        self.load = lambda: kind


@contextmanager
def installed(monkeypatch: pytest.MonkeyPatch, kind: type[Engine]) -> Iterator[None]:
    monkeypatch.setattr(registry, "entry_points", lambda group: [Entry(kind)] if group == "headcount.engines" else [])
    registry._installed.cache_clear()
    yield
    registry._installed.cache_clear()


TABLE = pa.table({"user": [1, 1, 1, 2, 3, None], "item": ["a", "b", "a", "a", "c", "c"]})


def counted(data: Any, *, encoded: bool) -> list[Any]:
    done = contributions(open_events(data, ["user", "item"]).table(), [None], events=True, keys=None)
    with done.read(ReadPlan(encoded=True)) as read:
        assert (read.encoded is not None) == encoded
        people = replace(read, encoded=None).persons
        found = registry.to_arrow(people.order_by("user").select("user", "items", "total"))
        return [found.to_pylist(), sorted(pairs_of(read).listed(["item0"])["item0"].to_pylist())]


def test_another_package_adds_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    with installed(monkeypatch, Other):
        assert counted(Rows(TABLE), encoded=True) == counted(TABLE, encoded=True)
        assert registry.engine_named("other", {"memory": None, "cluster": "here"}).title == "Other"
        with pytest.raises(BadParameter, match=r"^cluster=here: only Other has it\. Fix: no cluster, or engine=other"):
            registry.engine_named("duckdb", {"cluster": "here"})
        with pytest.raises(BadParameter, match=r"Fix: engine=duckdb, or engine=spark, or engine=other"):
            registry.engine_named("flink", {})


def test_capabilities_change_the_way_and_not_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = counted(TABLE, encoded=True)
    monkeypatch.setattr(registry, "built_in", lambda: [Other()])
    assert counted(Rows(TABLE), encoded=False) == expected


def test_an_engine_that_is_not_byte_exact_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Loose(Other):
        byte_exact = False

    with installed(monkeypatch, Loose), pytest.raises(NotATable, match="data=Rows: not a table"):
        open_events(Rows(TABLE), ["user", "item"])


def test_a_backend_without_an_engine_is_refused() -> None:
    table = ibis.sqlite.connect().create_table("events", schema=ibis.schema({"user": "int64", "item": "string"}))
    with pytest.raises(
        NotATable, match=r"^an Ibis table on sqlite: not supported yet\. Fix: one on DuckDB or Spark or Postgres"
    ):
        open_events(table, ["user", "item"])
