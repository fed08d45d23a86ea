"""Values of a row as SQL of DuckDB, with as many operations of Ibis's columns, by the same names, as amounts and public
scales are computed by: a formula is written once, and spelled by Ibis on every engine, or here where no Ibis is needed.

Invariant: the SQL is what Ibis makes of the same operations, but for names, parentheses and layout
(tests/source/test_sql_values.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from headcount.source.engines.kinds import kind_named
from headcount.source.expressions import dt, ibis

BOOLEAN, INTEGER, FLOATING, STRING = "boolean", "int64", "float64", "string"
NAMES = {INTEGER: "BIGINT", FLOATING: "DOUBLE"}
"""DuckDB's names of types that values are cast to."""
Operand: TypeAlias = "SqlValue | float | None"


def quoted(text: str) -> str:
    """Return a text as a SQL literal."""
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True)
class SqlValue:
    """A value of each row."""

    sql: str
    """Its SQL, which stands by itself: a name, a call, a CASE, or in parentheses."""
    kind: str
    """Its type, by Ibis's name."""

    def type(self) -> dt.DataType:
        """Its type."""
        return kind_named(self.kind)

    def try_cast(self, kind: str) -> SqlValue:
        """Its values as another type; NULL where they have none."""
        return self if kind == self.kind else SqlValue(f"TRY_CAST({self.sql} AS {NAMES[kind]})", kind)

    def cast(self, kind: str) -> SqlValue:
        """Its values as another type."""
        return self if kind == self.kind else SqlValue(f"CAST({self.sql} AS {NAMES[kind]})", kind)

    def re_extract(self, pattern: str, group: int) -> SqlValue:
        """The part of a text that the parentheses of a pattern match; empty without a match."""
        return SqlValue(f"REGEXP_EXTRACT({self.sql}, {quoted(pattern)}, {group})", STRING)

    def isnull(self) -> SqlValue:
        """True for NULL."""
        return SqlValue(f"({self.sql} IS NULL)", BOOLEAN)

    def isnan(self) -> SqlValue:
        """True for NaN."""
        return SqlValue(f"ISNAN({self.sql})", BOOLEAN)

    def floor(self) -> SqlValue:
        """The largest whole number that is not larger."""
        return SqlValue(f"CAST(FLOOR({self.sql}) AS BIGINT)", INTEGER)

    def ifelse(self, then: Operand, otherwise: Operand) -> SqlValue:
        """One value where the condition is true, else the other."""
        kinds = {_kind(each) for each in (then, otherwise) if each is not None}
        kind = FLOATING if FLOATING in kinds else kinds.pop()
        return SqlValue(f"CASE WHEN {self.sql} THEN {_sql(then)} ELSE {_sql(otherwise)} END", kind)

    def __or__(self, other: SqlValue) -> SqlValue:
        return self._with("OR", other, BOOLEAN)

    def __lt__(self, other: float) -> SqlValue:
        return self._with("<", other, BOOLEAN)

    def __gt__(self, other: float) -> SqlValue:
        return self._with(">", other, BOOLEAN)

    def __ge__(self, other: float) -> SqlValue:
        return self._with(">=", other, BOOLEAN)

    def __add__(self, other: float) -> SqlValue:
        return self._with("+", other, FLOATING)

    def __sub__(self, other: float) -> SqlValue:
        return self._with("-", other, FLOATING)

    def __mul__(self, other: float) -> SqlValue:
        return self._with("*", other, FLOATING)

    def __truediv__(self, other: float) -> SqlValue:
        return self._with("/", other, FLOATING)

    def _with(self, sign: str, other: Operand, kind: str) -> SqlValue:
        return SqlValue(f"({self.sql} {sign} {_sql(other)})", kind)


def text_constant(text: str, beside: Any) -> Any:
    """The same text in each row, beside another value: one of Ibis's, or SQL."""
    return SqlValue(quoted(text), STRING) if isinstance(beside, SqlValue) else ibis.literal(text)


def least(value: Any, limit: float) -> Any:
    """The smaller one of a value, one of Ibis's or SQL, and a limit; the limit for NULL."""
    return _either("LEAST", value, limit) if isinstance(value, SqlValue) else ibis.least(value, limit)


def greatest(value: Any, limit: float) -> Any:
    """The larger one of a value, one of Ibis's or SQL, and a limit; the limit for NULL."""
    return _either("GREATEST", value, limit) if isinstance(value, SqlValue) else ibis.greatest(value, limit)


def _either(function: str, value: SqlValue, limit: float) -> SqlValue:
    kind = FLOATING if FLOATING in (value.kind, _kind(limit)) else INTEGER
    return SqlValue(f"{function}({value.sql}, {_sql(limit)})", kind)


def _kind(value: SqlValue | float) -> str:
    """The type of a value, or of a constant."""
    if isinstance(value, SqlValue):
        return value.kind
    return INTEGER if isinstance(value, int) else FLOATING


def _sql(value: Operand) -> str:
    """A value, or a constant, as Ibis writes it."""
    if isinstance(value, SqlValue):
        return value.sql
    return "NULL" if value is None else str(value)
