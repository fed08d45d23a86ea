"""Constants of SQL text that do not fit where they stand: `CASE WHEN hiv = '1' THEN 'x' ELSE a_number END` fails at the
first row that reaches the constant, which tells that there is one.

DuckDB binds the text, on no rows, and says what each constant is cast to.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import duckdb

from headcount.source.queries.duckdb_sql import ADDRESS
from headcount.source.queries.step import FAILS, Step, fallible

CONSTANT = re.compile(r"'|::|\b(?:try_)?cast\s*\(", re.IGNORECASE)
"""Where there is none of these, no constant is cast."""
ON_A_FRAME = Step(
    "a constant in quotes in SQL text on a data frame, whose types DuckDB does not name",
    instead='the frame itself with where={"country": "FR"}, or a stored table: con.sql("CREATE TABLE t AS FROM df")',
    why=FAILS,
)
MISPLACED = fallible("a constant in SQL text that may not fit where it stands")
NUMBERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"})
FLOATS = frozenset({"FLOAT", "DOUBLE", "VARCHAR"})
"""Types that hold every typed decimal."""
MOMENTS = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"})
TYPES = NUMBERS | FLOATS | MOMENTS | {"BOOLEAN", "UUID", "HUGEINT"}
"""Types to which a constant is cast to see if it fits."""
Part = Mapping[str, Any]


def misplaced(query: str, ask: Callable[[str], Any]) -> Iterator[Step]:
    """Yield a step if a constant of a SELECT cannot be cast to the type of its place; `ask` evaluates SQL on the
    connection of the query."""
    if not CONSTANT.search(query):
        return
    if ADDRESS.search(query):
        yield ON_A_FRAME
        return
    text = "'" + query.replace("'", "''") + "'"
    plan = json.loads(ask(f"system.main.json_serialize_plan({text})"))
    if plan.get("error") is not False or not all(map(_fits, _casts(plan))):
        yield MISPLACED


def _casts(part: Any) -> Iterator[Part]:
    """Yield the casts of constants in a plan, each with the casts inside it."""
    if isinstance(part, Mapping):
        if part.get("expression_class") == "BOUND_CAST" and _constant(part) is not None and not part["try_cast"]:
            yield part
            return
        part = list(part.values())
    for each in part if isinstance(part, list) else ():
        yield from _casts(each)


def _constant(part: Part) -> Part | None:
    """The constant that is cast, perhaps several times; None for a cast of anything else."""
    while part.get("expression_class") == "BOUND_CAST":
        part = part["child"]
    return part["value"] if part.get("expression_class") == "BOUND_CONSTANT" else None


def _fits(cast: Part) -> bool:
    """True if a cast of a constant does not fail."""
    constant, types = _constant(cast), _types(cast)
    if constant is None or constant["is_null"] or (constant["type"]["id"] == "DECIMAL" and FLOATS.issuperset(types)):
        return True
    if not all(types) or _type(constant["type"]) not in NUMBERS | {"VARCHAR", "BOOLEAN"}:
        return False
    value = "$1"
    for each in (_type(constant["type"]), *types):
        value = f"TRY_CAST({value} AS {each})"
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT {value} IS NOT NULL", [str(constant["value"])]).fetchall()
    return bool(found[0][0])


def _types(cast: Part) -> list[str]:
    """The types of casts, the innermost first; empty for one that is not known."""
    inside = _types(cast["child"]) if cast["child"].get("expression_class") == "BOUND_CAST" else []
    return [*inside, _type(cast["return_type"])]


def _type(kind: Part) -> str:
    """A type as SQL; empty if it is not among those that are tried."""
    if kind["id"] == "DECIMAL":
        return f"DECIMAL({int(kind['type_info']['width'])}, {int(kind['type_info']['scale'])})"
    return str(kind["id"]) if kind["id"] in TYPES else ""
