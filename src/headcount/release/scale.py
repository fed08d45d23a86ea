"""The public scale of released quantiles, as their plan tells it."""

from typing import Any


def edges_in(plan: dict[str, Any]) -> list[Any]:
    """The edges, or the lowest and the highest value; of plans before format 7 under `question`."""
    if "question" in plan:
        edges: list[Any] = plan["question"]["axis"]["edges"]
        return edges
    given = plan["parameters"]
    return list(given["edges"] or given["range"])
