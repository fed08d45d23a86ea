"""How many times as long as a stored text a text of a view can be.

A text that is put behind itself in each of forty steps would ask for any amount of memory because of one row. So the
factor is limited. A column is as long as the longest column of its relation may be.
"""

from typing import Any

from ibis.common.graph import Graph
from ibis.expr import operations as ops

from headcount.source.queries.ibis import kind_of
from headcount.source.views import refusals
from headcount.source.views.ids import children

LONGEST = 100
"""The largest factor."""


def check_growth(root: Any) -> None:
    """Refuse a view whose texts can be far longer than those that are stored."""
    found: dict[Any, int] = {}
    for node in Graph.from_bfs(root).toposort()[0]:
        if isinstance(node, ops.Relation):
            found[node] = max([1, *_factors(node, found)])
            if found[node] > LONGEST:
                refusals.refuse("texts that grow with every step.", "fewer texts behind each other")


def _factors(node: Any, found: dict[Any, int]) -> list[int]:
    """The factors of the columns of a relation, and of its parents."""
    parents = [found[each] for each in found if each in node.args]
    computed = [*node.values.values(), *(each for link in getattr(node, "rest", ()) for each in link.predicates)]
    predicates = [*computed, *getattr(node, "predicates", ())]
    return [*parents, *(_factor(each, found) for each in predicates)]


def _factor(value: Any, found: dict[Any, int]) -> int:
    if type(value) is ops.Field:
        return found.get(value.rel, 1)
    inside = [_factor(each, found) for each in children(value)]
    if kind_of(value) == "StringReplace":
        return inside[0] * max(1, len(str(value.replacement.value)))
    return sum(inside) if kind_of(value) == "StringConcat" else max([1, *inside])
