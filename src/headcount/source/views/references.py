"""What names in the SQL as run refer to: nothing but stored tables, parts of the query, and columns of these.

A table stands there by its full name, a part of the query by one word: so no part can be taken for a table, whatever
either is called. A column stands behind the alias of a table of its own SELECT (or is left out of a *), and each
alias is there once. A SELECT has at most one window by the place of rows: identical rows have different places, and two
sorts could pair them in any way.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from headcount.source.views import refusals

RANKS = ("Rank", "DenseRank", "PercentRank", "CumeDist")
"""Windows with an order of which rows that tie share the value."""
Name = tuple[str, str, str]


def check_references(tree: Any, tables: Collection[Name]) -> None:
    """Refuse SQL in which a name could stand for something else than it should."""
    from sqlglot import exp  # it takes long to import

    parts = [each.alias for each in tree.find_all(exp.CTE)]
    _check_once(parts)
    for each in tree.find_all(exp.Table):
        _check_table(each, tables, parts)
    for each in tree.find_all(exp.Select):
        _check_select(each, exp)


def _check_table(table: Any, tables: Collection[Name], parts: Collection[str]) -> None:
    name = (table.catalog, table.db, table.name)
    plain = type(table.this).__name__ == "Identifier"
    if not plain or (name not in tables and (any(name[:2]) or table.name not in parts)):
        refusals.refuse(f"{table.name!r:.60}, which is no table of the view.", "tables of one connection")


def _check_select(select: Any, exp: Any) -> None:
    aliases = _aliases(select, exp)
    _check_once(aliases)
    for column in _own(select, exp.Column):
        if type(column.parent).__name__ != "Star" and (column.table not in aliases or column.db or column.catalog):
            refusals.refuse(f"column {column.name!r:.60}, which could be of another table.", "another name")
    if any(star.args.get(each) for star in _own(select, exp.Star) for each in ("replace", "rename")):
        refusals.refuse("columns that take the place of others.", "a simpler view")
    placed = [each for each in _own(select, exp.Window) if each.args.get("order") and not _is_rank(each)]
    if len(placed) > 1:
        refusals.moved("a window with another order", "a step with a window")


def _aliases(select: Any, exp: Any) -> list[str]:
    """The tables that columns of a SELECT can be of: its own, and, where it asks whether there is a row, those around
    it."""
    own = [each.alias for each in _own(select, (exp.Table, exp.Subquery, exp.Unnest)) if each.alias]
    return [*own, *(_aliases(select.parent_select, exp) if type(select.parent) is exp.Exists else [])]


def _own(select: Any, kinds: Any) -> Iterable[Any]:
    """The parts of a SELECT that are not in another one inside it."""
    return [each for each in select.find_all(kinds) if each is not select and each.parent_select is select]


def _is_rank(window: Any) -> bool:
    return type(window.this).__name__ in RANKS


def _check_once(names: Iterable[str]) -> None:
    """Refuse a name that is given twice, also in other capitals."""
    for name, count in Counter(each.casefold() for each in names).items():
        if count > 1:
            refusals.refuse(f"the name {name!r:.60} for two parts of the query.", "a simpler view")
