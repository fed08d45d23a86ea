"""SQL text of DuckDB, read by DuckDB's own parser (`json_serialize_sql`), by the class of each part of the tree.

A part is allowed if its kind is listed, and holds nothing but what is listed for that kind. DuckDB 2 writes other trees
than DuckDB 1: arguments for children, types and constants as expressions of their own, and names a second time, as a
path.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import duckdb

from headcount.source.queries.patterns import is_length, is_simple
from headcount.source.queries.step import (
    ALL_ROWS,
    CAST,
    CHANCE,
    GUESSED,
    LIMIT,
    NOW,
    SAMPLE,
    UNORDERED,
    Step,
    fallible,
)

Name = tuple[str, str, str]
"""Catalog, schema and name of a table; parts that are not given are empty."""
POSITION = {"type", "class", "alias", "query_location", "query_location_length", "qualified_name"}
PARTS: dict[str, set[str]] = {
    "SELECT_NODE": {"select_list", "from_table", "where_clause", "cte_map", "aggregate_handling"},
    "BASE_TABLE": {"catalog_name", "schema_name", "table_name", "column_name_alias"},
    "SUBQUERY": {"subquery", "column_name_alias"},
    "TABLE_FUNCTION": {"function", "column_name_alias"},
}
"""What a part of a query may hold."""
EXPRESSIONS: dict[str, set[str]] = {
    "COLUMN_REF": {"column_names"},
    "CONSTANT": {"value", "literal"},
    "COMPARISON": {"left", "right"},
    "CONJUNCTION": {"children"},
    "BETWEEN": {"input", "lower", "upper"},
    "CASE": {"case_checks", "else_expr"},
    "CAST": {"child", "cast_type", "type_expr", "try_cast"},
    "TYPE": {"type_name", "children"},
    "OPERATOR": {"children"},
    "STAR": {"relation_name", "exclude_list", "qualified_exclude_list", "rename_list"},
    "FUNCTION": {"function_name", "schema", "children", "arguments", "order_bys", "is_operator", "distinct", "filter"},
}
"""What an expression may hold."""
PATH = ("catalog_name", "catalog", "schema_name", "schema", "table_name", "function_name", "type_name")
"""Parts of a name, in the order of its path."""
SCANS = frozenset({"parquet_scan", "read_parquet", "pandas_scan"})
"""Table functions that read files or a frame, row by row."""
GUESSES = frozenset({"read_csv", "read_csv_auto", "read_json", "read_json_auto", "read_ndjson", "read_ndjson_auto"})
"""Table functions that guess from rows how values are written."""
SCAN_OPTIONS = frozenset({"binary_as_string", "filename", "hive_partitioning", "union_by_name"})
"""Options of a scan that add no column by the order of rows."""
FUNCTIONS = frozenset(
    {
        *("/", "||", "ceil", "ceiling", "floor", "round", "sign", "exp", "pow", "power", "isnan", "isinf", "isfinite"),
        *("lower", "upper", "lcase", "ucase", "trim", "ltrim", "rtrim", "length", "len", "strlen", "replace", "concat"),
        *("concat_ws", "contains", "starts_with", "prefix", "suffix", "ends_with", "md5", "epoch"),
        *("year", "month", "day", "hour", "minute", "second", "quarter", "dayofweek", "isodow", "dayofyear"),
    }
)
"""Functions of one row, the same each time, that no row makes fail."""
LENGTHS = frozenset({"left", "right", "substr", "substring", "split_part"})
"""Functions of a text and of lengths, or places in it: DuckDB fails by ones that no text has."""
TYPED = frozenset(
    {
        *("~~", "!~~", "~~*", "!~~*", "regexp_matches", "regexp_extract", "regexp_replace", "strftime", "try_strptime"),
        *LENGTHS,
    }
)
"""The same, if all arguments but the first are constants: a column may hold a pattern, a format or a length that
fails."""
PATTERNS = frozenset({"regexp_matches", "regexp_extract", "regexp_replace"})
"""Those with a regular expression."""
FALLIBLE = frozenset(
    {
        *("+", "-", "*", "//", "%", "abs", "greatest", "least", "nullif", "ifnull", "list_value", "struct_pack"),
        *("sqrt", "ln", "log", "log10", "log2", "lpad", "rpad", "week", "isoyear", "date_part", "datepart"),
        *("date_trunc", "datetrunc", "date_diff", "datediff", "make_date", "make_timestamp", "strptime", "epoch_ms"),
        *("to_timestamp", *TYPED),
    }
)
"""Functions of one row that fail on some values, or that bring their arguments to one type, by a cast that can fail."""
UNLIKE = fallible("a comparison in SQL text, of what may be of different types")
"""The types of columns are not in the text. A constant in quotes takes the type of what it is compared with."""
NULL_CHECKS = ("OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_TRY")
CONDITIONS = frozenset({"COMPARISON", "CONJUNCTION", "BETWEEN", "OPERATOR", "FUNCTION", "SUBQUERY"})
"""Expressions that are true or false by themselves: anything else is cast."""
VARYING = {
    **dict.fromkeys(("random", "setseed", "uuid", "uuidv4", "uuidv7", "gen_random_uuid", "nextval", "currval"), CHANCE),
    **dict.fromkeys(("now", "today", "current_date", "current_time", "current_timestamp", "get_current_time"), NOW),
    **dict.fromkeys(("get_current_timestamp", "transaction_timestamp", "localtime", "localtimestamp"), NOW),
    **dict.fromkeys(("current_localtime", "current_localtimestamp", "age"), NOW),
    **dict.fromkeys(("rowid", "file_row_number", "file_index"), UNORDERED),
}
"""Functions, and columns that DuckDB makes, which no promise covers."""
NAMES = {
    "JOIN": "a join",
    "SET_OPERATION_NODE": "a union",
    "WINDOW": "a window",
    "DISTINCT_MODIFIER": "distinct rows",
    "ORDER_MODIFIER": "an order of rows",
    "PIVOT": "a pivot",
}
REFUSED = {"LIMIT_MODIFIER": LIMIT, "LIMIT_PERCENT_MODIFIER": LIMIT}
FIELDS = {
    "group_expressions": Step("a group-by"),
    "group_sets": Step("a group-by"),
    "having": Step("a group-by"),
    "qualify": Step("a window"),
    "sample": SAMPLE,
}
"""Parts of a query that are steps by themselves."""
ORDERED = {f"WINDOW_{name}" for name in ("ROW_NUMBER", "NTILE", "LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE")}
ADDRESS = re.compile(r"\b(pandas_scan|arrow_scan)\((?:0x[0-9a-fA-F]+(?:, )?)+\)")
"""A frame in memory, which DuckDB writes in a form that it cannot read."""
UNKNOWN = Step("SQL text that headcount cannot read")


class Names(Protocol):
    """What names in a text stand for, on the connection that runs it."""

    def table(self, name: Name) -> Iterator[Step]:
        """Yield what is not row by row in the table or view of this name."""

    def function(self, name: str) -> Iterator[Step]:
        """Yield a step if the user defined a function of this name."""

    def macro(self, name: str) -> Iterator[Step]:
        """Yield what no promise covers in the user's macros of this name."""


def steps_of(text: str, names: Names) -> Iterator[Step]:
    """Yield what in a SELECT is not row by row."""
    statements = _tree(ADDRESS.sub(r"\1(0)", text)).get("statements", [])
    if len(statements) != 1:
        yield UNKNOWN
        return
    yield from _walk(statements[0]["node"], names, frozenset())


def _tree(text: str) -> dict[str, Any]:
    """The syntax tree; empty parts are left out."""
    options = "skip_null := true, skip_empty := true, skip_default := true"
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT json_serialize_sql(?::VARCHAR, {options})", [text]).fetchall()
    tree: dict[str, Any] = json.loads(found[0][0])
    return tree


def _walk(part: Any, names: Names, ctes: frozenset[str]) -> Iterator[Step]:
    """Yield the steps of a part and of all that it holds. `ctes` are the names that WITH defined so far."""
    if isinstance(part, list):
        for each in part:
            yield from _walk(each, names, ctes)
    if not isinstance(part, dict):
        return
    for each in part.get("cte_map", {}).get("map", ()):
        yield from _walk(each["value"], names, ctes)
        ctes |= {each["key"].casefold()}
    yield from _own_steps(part, names, ctes)
    if part.get("type") != "TABLE_FUNCTION" and part.get("class") != "CONSTANT":
        for name, each in part.items():
            if name not in ("cte_map", "cast_type", "order_bys"):
                yield from _walk(each, names, ctes)


def _own_steps(part: Mapping[str, Any], names: Names, ctes: frozenset[str]) -> Iterator[Step]:
    """Yield the steps of a part by itself."""
    kind = part.get("type")
    if "qualified_name" in part and part["qualified_name"].get("path") != [part[key] for key in PATH if key in part]:
        yield UNKNOWN
    if "class" in part:
        yield from _of_expression(part, names)
    elif isinstance(kind, str):
        yield from _of_query(part)
    if kind == "BASE_TABLE":
        yield from _of_table(part, names, ctes)
    if kind == "TABLE_FUNCTION":
        yield from _of_scan(part["function"], names)


def _of_scan(function: Mapping[str, Any], names: Names) -> Iterator[Step]:
    """Yield the steps of a table function: none for one that reads whole files or a frame."""
    name = function["function_name"].casefold()
    if name in GUESSES:
        yield GUESSED
    elif name not in SCANS:
        yield Step(f"the table function {name}()")
    yield from names.function(name)
    for each in (*function.get("children", ()), *function.get("arguments", ())):
        yield from _of_argument(each)


def _of_argument(argument: Mapping[str, Any]) -> Iterator[Step]:
    """Yield a step if an argument of a scan is neither a constant, a list of them, nor a harmless option."""
    inner = argument.get("expression", argument)
    option = inner["left"]["column_names"][-1].casefold() if inner.get("class") == "COMPARISON" else ""
    if option and _is_off(inner["right"]):
        return
    if option in VARYING:
        yield VARYING[option]
    elif not (option in SCAN_OPTIONS if option else _is_constant(inner)):
        yield Step("an option of a scan")


def _is_off(part: Mapping[str, Any]) -> bool:
    """True for the constant false."""
    inner = part["child"] if part.get("class") == "CAST" else part
    value = inner.get("value", inner.get("literal"))
    return str(value.get("value") if isinstance(value, Mapping) else value).casefold() in ("f", "false")


def _is_constant(part: Mapping[str, Any]) -> bool:
    """True for a constant, one of a given type, and a list of constants."""
    inner = part.get("expression", part)  # an argument of DuckDB 2
    if inner.get("class") == "CAST":
        return _is_constant(inner["child"])
    if inner.get("class") == "FUNCTION":
        listed = (*inner.get("children", ()), *inner.get("arguments", ()))
        return bool(inner["function_name"] == "list_value") and all(map(_is_constant, listed))
    return bool(inner.get("class") == "CONSTANT")


def _of_table(part: Mapping[str, Any], names: Names, ctes: frozenset[str]) -> Iterator[Step]:
    catalog, schema, name = (part.get(key, "") for key in ("catalog_name", "schema_name", "table_name"))
    if catalog or schema or name.casefold() not in ctes:
        yield from names.table((catalog, schema, name))


def _of_query(part: Mapping[str, Any]) -> Iterator[Step]:
    kind = part["type"]
    yield from (step for name, step in FIELDS.items() if name in part)
    if "where_clause" in part and not _is_condition(part["where_clause"]):
        yield UNLIKE
    if kind in REFUSED:
        yield REFUSED[kind]
    elif kind not in PARTS:
        yield Step(NAMES.get(kind, f"the part {kind} of SQL"))
    elif kind == "SELECT_NODE" and "from_table" not in part:
        yield Step("rows of no table")
    elif kind == "SELECT_NODE" and part.get("aggregate_handling", "STANDARD_HANDLING") != "STANDARD_HANDLING":
        yield FIELDS["group_sets"]
    elif any(name not in PARTS[kind] | POSITION | {"modifiers", *FIELDS} for name in part):
        yield UNKNOWN


def _of_expression(part: Mapping[str, Any], names: Names) -> Iterator[Step]:
    kind, allowed = part["class"], EXPRESSIONS.get(part["class"])
    if kind == "WINDOW":
        yield _window(part)
    elif kind == "SUBQUERY":
        yield ALL_ROWS
    elif kind == "COLUMN_REF" and part["column_names"][-1].casefold() in VARYING:
        yield VARYING[part["column_names"][-1].casefold()]
    elif allowed is None or any(name not in allowed | POSITION for name in part):
        yield Step(NAMES.get(kind, f"the part {kind} of SQL"))
    elif kind == "CAST" and not (part.get("try_cast") or _is_constant(part["child"]) or _is_to_text(part)):
        yield CAST
    elif kind == "FUNCTION":
        yield from _of_function(part, names)
    elif not _is_of_one_type(part):
        yield UNLIKE


def _is_of_one_type(part: Mapping[str, Any]) -> bool:
    """True if what an expression brings to one type are constants in quotes, but for one; and conditions are such."""
    kind = part["class"]
    if kind == "CASE":
        checks = part["case_checks"]
        results = [*(each["then_expr"] for each in checks), *([part["else_expr"]] if "else_expr" in part else [])]
        return _are_quoted(results) and all(_is_condition(each["when_expr"]) for each in checks)
    if kind == "CONJUNCTION" or part["type"] == "OPERATOR_NOT":
        return all(map(_is_condition, part["children"]))
    if kind == "OPERATOR":
        return part["type"] in NULL_CHECKS or _are_quoted(part["children"])
    compared = {"COMPARISON": ("left", "right"), "BETWEEN": ("input", "lower", "upper")}
    return _are_quoted([part[name] for name in compared.get(kind, ())])


def _are_quoted(parts: Sequence[Mapping[str, Any]]) -> bool:
    """True if all of some expressions are constants in quotes, or NULL, but at most one."""
    return sum(not _is_quoted(part) for part in parts) <= 1


def _is_quoted(part: Mapping[str, Any]) -> bool:
    value = part.get("value", part.get("literal")) if part.get("class") == "CONSTANT" else None
    return isinstance(value, Mapping) and (value.get("type") == {"id": "VARCHAR"} or value.get("is_null") is True)


def _is_condition(part: Mapping[str, Any]) -> bool:
    return part.get("class") in CONDITIONS or _is_constant(part)


def _is_to_text(cast: Mapping[str, Any]) -> bool:
    """True for a cast to text, which any value allows."""
    return "VARCHAR" in (cast.get("cast_type", {}).get("id"), cast.get("type_expr", {}).get("type_name"))


def _of_function(part: Mapping[str, Any], names: Names) -> Iterator[Step]:
    name = part["function_name"].casefold()
    given = (*part.get("children", ()), *part.get("arguments", ()))
    if name in FUNCTIONS or (name in TYPED and _are_typed(name, given[1:])):
        yield from names.function(name)
    elif name in FALLIBLE:
        yield fallible(f"the function {name}()")
    else:
        yield VARYING.get(name, Step(f"the function {name}()"))
        yield from names.macro(name)
    if "orders" in part.get("order_bys", {}):
        yield ALL_ROWS


def _are_typed(name: str, given: Sequence[Mapping[str, Any]]) -> bool:
    """True for constants; of a regular expression, one that is valid; of a length, one that a text can have."""
    typed = all(map(_is_constant, given))
    if name in PATTERNS:
        return typed and bool(given) and is_simple(_constant(given[0]))
    return typed and (name not in LENGTHS or all(map(is_length, map(_constant, given))))


def _constant(part: Mapping[str, Any]) -> Any:
    """The value of a constant; None for one of a given type."""
    inner = part.get("expression", part)
    value = inner.get("value", inner.get("literal"))
    return value.get("value") if isinstance(value, Mapping) else value


def _window(part: Mapping[str, Any]) -> Step:
    if part["type"] in ORDERED and "orders" not in part:
        return UNORDERED
    return Step(NAMES["WINDOW"]) if "partitions" in part or "orders" in part else ALL_ROWS
