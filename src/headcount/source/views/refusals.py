"""What is said of an expression that has no proof. The sentences depend on the expression and the schema alone."""

import re
from typing import Any, NoReturn


class Refused(Exception):
    """An operation without a proof."""

    def __init__(self, what: str, fix: str) -> None:
        super().__init__(what)
        self.what, self.fix = what, fix
        self.node: Any = None


def refuse(what: str, fix: str) -> NoReturn:
    """Refuse an operation, with the line to write instead."""
    raise Refused(what, fix)


def spelled(operation: str) -> str:
    """What users call an operation: an_operation instead of AnOperation."""
    found = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", operation).lower()
    return f"{found}()"


def per_user(user: str) -> str:
    """The window that stays within one person."""
    return f'.over(group_by="{user}")'


def deferred(column: str) -> str:
    """A column as users write it inside an operation."""
    return f"_.{column}" if column.isidentifier() else f'_["{column}"]'


def limit(count: object, user: str) -> NoReturn:
    refuse(
        f"limit({count}): whether a row stays depends on other people's rows.",
        f'rows per user: .mutate(n=ibis.row_number().over(group_by="{user}", order_by="start")).filter(_.n < 2)',
    )


def sample() -> NoReturn:
    refuse("sample(): which rows are drawn is left to chance.", "the table without it; jobs of headcount have sample=")


def one_number(name: str, column: str, function: str, user: str) -> NoReturn:
    refuse(
        f"{name}: one number computed from many people's rows.",
        f"a number you know ({deferred(column)} > 3), or a {function} per user: .{function}(){per_user(user)}",
    )


def totals(functions: str, user: str) -> NoReturn:
    refuse(
        f"{functions} of all rows: one number computed from many people's rows.",
        f'a number you know, or one per user: group_by("{user}")',
    )


def public_number() -> NoReturn:
    refuse("a subquery of a public table as one value.", "cross_join(public.agg(...)), then the column")


def all_rows(function: str, user: str) -> NoReturn:
    refuse(f"{function}() over all rows.", per_user(user))


def window_of_many(function: str, user: str) -> NoReturn:
    refuse(f"{function}() over a window that mixes the rows of several people.", per_user(user))


def strangers(how: str, left: tuple[str, str], right: tuple[str, str]) -> NoReturn:
    """Each side is a table and its user column."""
    (table, user), (other, key) = left, right
    same = f"other = {table}.view(), and {table}.{user} == other.{key}"
    refuse(
        f"{how} join of {table} and {other} without their users being equal: one person's rows would meet another's.",
        f"also join on {same if table == other else f'{table}.{user} == {other}.{key}'}",
    )


def other_ids(left: tuple[str, object], right: tuple[str, object]) -> NoReturn:
    """Each side is a user column and its type."""
    refuse(
        f"users {left[0]} and {right[0]} hold {left[1]} and {right[1]}: not the same ids.",
        f'.mutate({left[0]}=_.{left[0]}.cast("string")) on both sides before the join',
    )


def kept_by_a_key(how: str, lines: str, orders: str) -> NoReturn:
    refuse(
        f"{how} join of {lines} with {orders}: whether a row stays depends on everybody who has its key.",
        f"{lines}.join({orders}, ...), or {orders}.{how}_join({lines}, ...)",
    )


def undeclared(name: str) -> NoReturn:
    refuse(
        f"table {name!r}: about people, or public?",
        f'hc.view(..., public=["{name}"]), or user={{"{name}": "its user column"}}',
    )


def mixed_groups(groups: list[str], user: str) -> NoReturn:
    keys = ", ".join(f'"{each}"' for each in groups)
    fix = f'group_by("{user}"{", " if keys else ""}{keys})'
    rest = f"; or no group_by, and by={keys}: headcount does the grouping" if len(groups) == 1 else ""
    refuse(f"group_by({keys}): a group mixes the rows of several people.", fix + rest)


def user_lost(operation: str, user: str) -> NoReturn:
    refuse(f"{operation}: the user column is dropped.", f"keep {user}")


def not_the_user(user: str, others: list[str]) -> NoReturn:
    refuse(
        f"user={user!r}: headcount cannot prove that each row with this user depends on that person's rows only.",
        f"user={others[0]!r}" if others else "keep the user column of a private table, as it is",
    )


def public_user(user: str, table: str, others: list[str]) -> NoReturn:
    instead = f"user={others[0]!r}, or " if others else ""
    refuse(
        f"user={user!r} comes from the public table {table!r}: a person without private rows would have a row.",
        f"{instead}start from the private table",
    )


def inexact_sum(function: str, column: str, kind: object) -> NoReturn:
    refuse(
        f"{function}() of {kind}: the last digits depend on the order in which the engine adds.",
        f'{deferred(column)}.try_cast("decimal(18, 2)").{function}()',
    )


def wide_sum(function: str, kind: object) -> NoReturn:
    refuse(
        f"{function}() of {kind}: a few rows can overflow it, and one person's row would make the release fail.",
        f'try_cast("decimal(28, 4)").{function}()',
    )


def sql_text() -> NoReturn:
    refuse("SQL text (con.sql): headcount checks Ibis expressions only.", 'con.table("visits").filter(...)')


def negated_list(user: str) -> NoReturn:
    refuse(
        "isin(...) under ~: a missing id in the list would drop everybody.",
        f'.anti_join(other, "{user}")',
    )


def list_of_others(user: str) -> NoReturn:
    refuse(
        "isin(...) of a column: not a condition of its own in a filter, or not of users in a list of users.",
        f'.semi_join(other, "{user}"), or .anti_join(other, "{user}")',
    )


def another_value(function: str) -> NoReturn:
    refuse(f"{function}: another value each time.", 'a literal, ibis.date("2026-01-01")')


def tied(function: str, user: str) -> NoReturn:
    refuse(
        f"{function}(): ties are decided by the order of rows.",
        f'min(), max(); or one row per user: .mutate(n=ibis.row_number().over(group_by="{user}", order_by="start"))'
        ".filter(_.n == 0)",
    )


def inexact(function: str) -> NoReturn:
    refuse(
        f"{function}(): nothing says that its last digits do not depend on the order of rows.",
        "count, nunique, min, max, median, quantile, or sum and mean of whole numbers",
    )


def own_function() -> NoReturn:
    refuse("a function of your own: headcount cannot look into it.", "Ibis's own functions, such as ibis.cases")


def view_of_database(name: str) -> NoReturn:
    refuse(
        f"table {name!r} is a view of your database, which headcount cannot look into.",
        f"its definition as an Ibis expression; for a file or a frame, con.create_table({name!r}, ...)",
    )


def not_stored(name: str, engine: str) -> NoReturn:
    refuse(
        f"table {name!r} is not one stored table of {engine}.",
        "for a file or a frame, "
        f"con.create_table({name!r}, ...); for one of several tables of this name, "
        f'con.table({name!r}, database=("catalog", "schema"))',
    )


def reserved(name: str) -> NoReturn:
    refuse(
        f"table {name!r} has a name that Ibis or headcount gives to tables and parts of queries.",
        'for a file, con.create_table("visits", con.read_parquet(...)); after .cache(), the expression before; else '
        "another name",
    )


INSTEAD = {
    "Capitalize": ".lower() or .upper()",
    **dict.fromkeys(("StringFind", "RegexSearch", "RegexExtract", "RegexReplace"), '.contains("x"), or .like("x%")'),
    **dict.fromkeys(("RegexSplit", "StringSplit"), '.contains("x"), or .like("x%")'),
    "Bucket": 'ibis.cases((_.x < 10, "low"), else_="high"), or bins= of the job',
    "Strftime": '.truncate("M"), or .year() and .month()',
    "ExtractWeekOfYear": '.truncate("W")',
    "DayOfWeekName": ".day_of_week.index()",
    "ExtractEpochSeconds": '.delta(ibis.date("2026-01-01"), unit="day")',
    **dict.fromkeys(("DateDiff", "TimestampDiff"), '_.end.delta(_.start, unit="day") instead of _.end - _.start'),
    **dict.fromkeys(("StringToDate", "StringToTimestamp"), '.try_cast("date"), or .try_cast("timestamp")'),
    "Xor": "a != b",
    "Clip": "ibis.greatest(0, ibis.least(9, _.x))",
    "Power": "_.x * _.x",
    **dict.fromkeys(("Log", "Log2", "Log10"), ".ln()"),
    "Difference": "anti_join on the user",
    "Intersection": "semi_join on the user",
    "Unnest": "a stored table with one row for each",
}
"""What to write instead of operations that have no proof."""
OPERATIONS = (
    "select, mutate, filter, join, union, distinct, group_by(user), windows over the user; of values, arithmetic, "
    "comparisons, ibis.cases, casts, parts of dates and of text"
)


def no_proof(operation: str) -> NoReturn:
    refuse(
        f"{spelled(operation)}: headcount has no proof for this operation.",
        INSTEAD.get(operation, OPERATIONS),
    )


def no_proof_of_sql(function: str) -> NoReturn:
    refuse(
        f"an operation that DuckDB computes with {function.lower()}() and others: headcount has no proof for it.",
        "simpler functions, each in a step of its own",
    )


def not_comparable(operation: str, column: str, kind: object) -> NoReturn:
    refuse(
        f"{operation} of {column!r}, which holds {kind}: unlike values can be equal.",
        'try_cast("decimal(18, 4)"), or without this column',
    )


def joined_by(column: str, kind: object) -> NoReturn:
    refuse(
        f"a join by {column!r}, which holds {kind}: unlike values can be equal.",
        'try_cast("decimal(18, 4)") in a step before, or a filter after the join',
    )


def not_a_constant(operation: str) -> NoReturn:
    refuse(f"{operation} by a column: one row could make the whole release fail.", "a number or a text that you type")


def moved(operation: str, place: str) -> NoReturn:
    refuse(f"{operation} in {place}.", "a step of its own before: .mutate(new=...)")


def odd_type(column: str, kind: object) -> NoReturn:
    refuse(
        f"column {column!r} holds {kind}, which views cannot have.",
        "select the columns that you need first, of numbers, text, dates, timestamps and UUIDs",
    )


def unordered_frame(function: str, user: str) -> NoReturn:
    refuse(
        f"{function}() over some rows of a window without an order.",
        f'.over(group_by="{user}", order_by="start", ...)',
    )
