"""How tables and operations are named in messages."""

from typing import Any

from ibis.common.graph import Graph
from ibis.expr import operations as ops

from headcount.source.views.declared import LEAVES


def parents_of(node: Any) -> list[Any]:
    """Return the relations that an operation is applied to."""
    return [each for each in node.args if isinstance(each, ops.Relation)]


def table_name(node: Any) -> str:
    """What a table is called, as far down as it has one name."""
    while (parents := parents_of(node)) and len(parents) == 1:
        node = parents[0]
    return getattr(node, "name", "the table before")


def operation_title(node: Any) -> str:
    """An operation as users write it."""
    if type(node) is ops.Project:
        listed = ", ".join(f'"{name}"' for name in node.schema)
        return f"select({listed})"
    return {"DropColumns": "drop()", "JoinChain": "a join"}.get(type(node).__name__, type(node).__name__.lower())


def place_of(refused: Any, root: Any) -> str:
    """Where in the expression an operation stands: step 3 of 5."""
    plain = (*LEAVES, ops.JoinReference, ops.SelfReference)
    nodes = [node for node in Graph.from_bfs(root).toposort()[0] if isinstance(node, ops.Relation)]
    steps = [node for node in nodes if type(node) not in plain]
    return f"step {steps.index(refused) + 1} of {len(steps)}" if refused in steps else "its tables"
