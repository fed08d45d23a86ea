"""Which columns tell the rows of a view apart, by construction.

A set of columns is *unique* in a relation if no two of its rows agree in all of them, NULL aside: the keys of a
group-by, the columns of `distinct`, or a partition with the place of a row in it. It is a fact about the expression,
whatever the tables hold. If the user column is unique, each person has at most one row. Privacy does not rest on it:
bounding is done as for any table, and a wrong answer here would cost accuracy (docs/proofs/views.md).
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from math import prod
from typing import Any

from ibis.common.graph import Graph
from ibis.expr import operations as ops

from headcount.source.views.ids import comparable, conjuncts
from headcount.source.views.relations import FILTERS, equal_fields

Uniques = frozenset[frozenset[str]]
"""Sets of columns, each of which is unique."""
NONE: Uniques = frozenset()
Found = Mapping[Any, Uniques]
"""What is known about the relations before."""
MOST_NAMES = 64
"""Sets under which copies of one set are known; of more, under one name for each column."""


def uniques(root: Any) -> Uniques:
    """Return sets of columns that tell the rows of a relation apart; none where nothing is known. Each relation is
    looked at once, however many use it."""
    found: dict[Any, Uniques] = {}
    for node in Graph.from_bfs(root).toposort()[0]:
        rule = RULES.get(type(node))
        found[node] = frozenset(each for each in rule(node, found) if each) if rule else NONE
    return found[root]


def _same(node: Any, found: Found) -> Uniques:
    return found[node.parent]


def _groups(node: Any, found: Found) -> Uniques:
    return frozenset({frozenset(node.groups)})


def _all_columns(node: Any, found: Found) -> Uniques:
    return frozenset({frozenset(node.schema), *found[node.parent]})


def _drop_columns(node: Any, found: Found) -> Uniques:
    return frozenset(each for each in found[node.parent] if each <= node.schema.keys())


def _fill_null(node: Any, found: Found) -> Uniques:
    return frozenset(each for each in found[node.parent] if not each & node.replacements.keys())


def _project(node: Any, found: Found) -> Uniques:
    """Columns that are copied stay what they are; the place of a row in a partition tells its rows apart."""
    known = {frozenset(ops.Field(node.parent, name) for name in each) for each in found[node.parent]}
    placed = {partition | {value} for value in node.values.values() if (partition := _partition(value))}
    return _named(known | placed, node.values)


def _named(found: Iterable[frozenset[Any]], values: Mapping[str, Any]) -> Uniques:
    """Sets of values by the names of columns that copy them, if all of them are copied; under every name, unless there
    are too many."""
    names: dict[Any, list[str]] = {}
    for name, value in values.items():
        names.setdefault(value, []).append(name)
    copied = (some for some in found if some <= names.keys())
    return frozenset(frozenset(each) for some in copied for each in _combined([names[value] for value in some]))


def _combined(names: list[list[str]]) -> Iterable[tuple[str, ...]]:
    few = prod(map(len, names)) <= MOST_NAMES
    return product(*names) if few else [tuple(each[0] for each in names)]


def _partition(value: Any) -> frozenset[Any] | None:
    """The columns of a partition whose rows are numbered; None for any other value."""
    if type(value) is not ops.WindowFunction or type(value.func) is not ops.RowNumber:
        return None
    fields = frozenset(each for each in value.group_by if type(each) is ops.Field)
    return fields if len(fields) == len(value.group_by) else None


def _filter(node: Any, found: Found) -> Uniques:
    """Columns that are equal to a typed value tell nothing apart: the others do."""
    constant = {each for value in conjuncts(node.predicates) if (each := _constant(value)) is not None}
    names = {each.name for each in constant if type(each) is ops.Field}
    numbered = {partition for each in constant if (partition := _partition(each))}
    by_name = {frozenset(field.name for field in partition) for partition in numbered}
    return frozenset(each - names for each in found[node.parent] | by_name)


def _constant(value: Any) -> Any:
    """What a condition makes equal to a typed value of its type; None for any other condition."""
    if type(value) is not ops.Equals or not comparable(value.left.dtype, value.right.dtype):
        return None
    sides = {type(value.left): value.right, type(value.right): value.left}
    return sides.get(ops.Literal)


def _join(node: Any, found: Found) -> Uniques:
    """A row that matches at most one row of the other side stays one row."""
    kept = _fields(node.first, found)
    for link in node.rest:
        if link.how not in FILTERS:
            kept = _joined(kept, _fields(link.table, found), link)
    return _named(kept, node.values)


def _joined(left: set[frozenset[Any]], right: set[frozenset[Any]], link: Any) -> set[frozenset[Any]]:
    equated = [pair for each in conjuncts(link.predicates) if (pair := equal_fields(each, link.table))]
    equal = [pair for pair in equated if comparable(pair[0].dtype, pair[1].dtype)]
    one_right = any(each <= {other for _, other in equal} for each in right)
    one_left = any(each <= {own for own, _ in equal} for each in left)
    return (left if one_right else set()) | (right if one_left else set())


def _fields(table: Any, found: Found) -> set[frozenset[Any]]:
    return {frozenset(ops.Field(table, name) for name in each) for each in found[table]}


RULES: dict[type, Callable[[Any, Found], Uniques]] = {
    **dict.fromkeys((ops.SelfReference, ops.JoinReference, ops.Sort, ops.DropNull), _same),
    ops.Aggregate: _groups,
    ops.Distinct: _all_columns,
    ops.DropColumns: _drop_columns,
    ops.FillNull: _fill_null,
    ops.Project: _project,
    ops.Filter: _filter,
    ops.JoinChain: _join,
}
"""Relations of which anything is known, by exact class."""
