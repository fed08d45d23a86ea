"""DuckDB: what has a proof has a template, and what can fail stands in a TRY (`rewriting.py`, `sql.py`)."""

from typing import Any

from headcount.source.views.dialects.dialect import Dialect
from headcount.source.views.ids import is_column
from headcount.source.views.sql import check_sql
from headcount.source.views.writing import AGGREGATES, RELATIONS, TEMPLATES, VALUES


def _check(root: Any) -> None:
    """Every operation that has a proof can be written."""


DUCKDB = Dialect(
    title="DuckDB",
    holds=is_column,
    check=_check,
    check_sql=check_sql,
    templates=TEMPLATES,
    values=VALUES,
    relations=RELATIONS,
    aggregates=AGGREGATES,
    quote='"',
    truth="TRY_CAST({} AS INT)",
    nulls_last="",
    comparisons_of_days=False,
)
