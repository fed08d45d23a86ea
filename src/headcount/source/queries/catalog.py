"""What the name of a table stands for on DuckDB: a table of its own, files, or a view, which is read like any query."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

import duckdb

from headcount.source.queries.constants import misplaced
from headcount.source.queries.duckdb_sql import Name, steps_of
from headcount.source.queries.step import GUESSED, Step

IDENTIFIER = r'(?:\w+|"(?:[^"]|"")*")'
VIEW = re.compile(rf"CREATE (?:TEMP )?VIEW (?:{IDENTIFIER}\.)*{IDENTIFIER} AS (.*);", re.S)
FILES, GUESSES = (".parquet",), (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".csv.gz", ".tsv.gz")
"""Names that DuckDB takes for files, if no table has them; by guesses from rows, the second ones."""
SYSTEM = "system.main."
"""Where DuckDB's own functions are: a macro of the user's cannot stand in for them."""
LOWER = f"{SYSTEM}lower"
SIGNATURE = (
    f"{{'name': {LOWER}(function_name), 'kind': function_type, 'sql': macro_definition, 'internal': internal, "
    "'types': CAST({'given': parameter_types, 'more': varargs, 'result': return_type} AS VARCHAR)}"
)
"""A function by its name, its kind and the types that it takes and returns; a macro with its SQL."""
OPAQUE = "the frame itself, if it was registered under this name"
CACHED = Step("a table that .cache() made of a query", instead="the expression before .cache()")
MAX_NESTED = 20
"""Views inside views that are looked into."""

Ask = Callable[[str], Any]
"""Evaluates one SQL expression on the user's connection. No row of the data is read."""


class Catalog:
    """The tables, views and functions of a connection."""

    def __init__(self, ask: Ask, nested: int = 0) -> None:
        self._ask = ask
        self._nested = nested

    def table(self, name: Name) -> Iterator[Step]:
        """Yield what is not row by row in the table or view of this name."""
        tables, views = self._listed("table", name), self._listed("view", name)
        if name[2].casefold().startswith("ibis_cached_"):
            yield CACHED
        if tables and not views:
            yield from (Step(_reason(table)) for table in tables if not _is_plain(table))
        elif len(views) == 1 and not tables:
            yield from self._of_view(name[2], views[0]["sql"])
        elif not (tables or views or any(name[:2])) and name[2].casefold().endswith(GUESSES):
            yield GUESSED
        elif tables or views or any(name[:2]) or not name[2].casefold().endswith(FILES):
            yield Step(f"the name {name[2]!r:.60}, which is not that of one table")

    def stored(self, name: Name) -> Name | None:
        """Return the full name of a table of DuckDB; None unless the name stands for exactly one, whose columns are
        stored."""
        found = [*self._listed("table", name), *self._listed("view", name)]
        if len(found) != 1 or found[0]["view"] or not _is_plain(found[0]):
            return None
        return found[0]["database"], found[0]["schema"], found[0]["name"]

    def is_view(self, name: Name) -> bool:
        """True if the name stands for a view alone."""
        return bool(self._listed("view", name)) and not self._listed("table", name)

    def collates(self, name: Name) -> bool:
        """True if a column of the table may compare text in another way than byte by byte. DuckDB writes the collation
        of every column into the table's SQL; a type cannot have one."""
        return any("COLLATE" in each["sql"].upper() for each in self._listed("table", name))

    def _of_view(self, name: str, text: str) -> Iterator[Step]:
        query = VIEW.fullmatch(text)
        if query is None or self._nested == MAX_NESTED:
            yield Step(f"the view {name!r:.60}, which headcount cannot look into", instead=OPAQUE)
            return
        for step in self.text(query[1]):
            yield replace(step, name=f"the view {name!r:.60}, which holds {step.name}")

    def text(self, query: str) -> list[Step]:
        """Return the steps of SQL text that are not row by row; if there are none, constants unfit for their place."""
        return [*steps_of(query, Catalog(self._ask, self._nested + 1))] or [*misplaced(query, self._ask)]

    def _listed(self, kind: str, name: Name) -> list[dict[str, Any]]:
        """All tables, or views, that the name may stand for."""
        keys = zip(("database_name", "schema_name", f"{kind}_name"), name, strict=True)
        same = " AND ".join(f"{LOWER}({key}) = {LOWER}({_text(value)})" for key, value in keys if value)
        full = f"'database': database_name, 'schema': schema_name, 'name': {kind}_name, 'view': {kind == 'view'}"
        return list(
            self._ask(
                f"(SELECT {SYSTEM}list({{'sql': coalesce(sql, ''), 'type': type, {full}}}) "
                f"FROM {SYSTEM}duckdb_{kind}s() JOIN {SYSTEM}duckdb_databases() USING (database_name) WHERE {same})"
            )
            or ()
        )

    def function(self, name: str) -> Iterator[Step]:
        """Yield a step if the user defined a function or macro of this name: it stands in for DuckDB's."""
        if name.casefold() in self._own_functions:
            yield Step(f"a function of your own in place of {name}()")
            yield from self.macro(name)

    def macro(self, name: str) -> Iterator[Step]:
        """Yield what no promise covers in the user's macros of this name: chance, time, the order of rows."""
        for text in self._own_functions.get(name.casefold(), ()) if self._nested < MAX_NESTED else ():
            for step in steps_of(text, Catalog(self._ask, self._nested + 1)):
                if step.fix:
                    yield replace(step, name=f"the macro {name}(), which holds {step.name}")

    def functions(self) -> Iterator[Step]:
        """Yield a step for each function of DuckDB that the user's stand in for."""
        for name in sorted(self._own_functions.keys() & {name for name, *_ in _built_in()}):
            yield from self.function(name)

    @cached_property
    def _own_functions(self) -> dict[str, list[str]]:
        """The user's functions, with the SQL of those that are macros. One written in Python is listed as if it were
        DuckDB's own, also if it is for other types: so those count that a new connection does not have."""
        own: dict[str, list[str]] = {}
        for each in self._ask(f"(SELECT {SYSTEM}list({SIGNATURE}) FROM {SYSTEM}duckdb_functions())"):
            if not each["internal"] or (each["name"], each["kind"], each["types"]) not in _built_in():
                select = "" if each["kind"] == "table_macro" else "SELECT "
                own.setdefault(each["name"], []).extend([f"{select}{each['sql']}"] if each["sql"] else [])
        return own


@cache
def _built_in() -> frozenset[tuple[str, str, str]]:
    """Name, kind and types of DuckDB's own functions."""
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT {SIGNATURE} FROM duckdb_functions()").fetchall()
    return frozenset((each["name"], each["kind"], each["types"]) for (each,) in found)


def _is_plain(table: dict[str, Any]) -> bool:
    """True for a table of DuckDB whose columns are stored."""
    return table["type"] == "duckdb" and "GENERATED ALWAYS" not in table["sql"].upper()


def _reason(table: dict[str, Any]) -> str:
    return "a generated column" if table["type"] == "duckdb" else f"a table of another database ({table['type']})"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
