"""Casts that change nothing."""

from typing import Any

from ibis.expr import operations as ops


def is_so_already(value: Any, kind: Any) -> bool:
    """True for a cast to the type that a value was cast to before, here or in an earlier step."""
    if value.dtype.copy(nullable=True) != kind.copy(nullable=True):
        return False
    if type(value) is ops.TryCast:
        return True
    if type(value) is not ops.Field:
        return False
    if is_stored(value):  # of a type that was looked up in the catalog, any value of which will do
        return bool(kind.is_integer() or kind.is_boolean() or kind.is_uuid())
    rel = value.rel.parent if type(value.rel) in (ops.JoinReference, ops.SelfReference) else value.rel
    before = ops.Field(rel, value.name) if rel is not value.rel else rel.values.get(value.name)
    return before is not None and is_so_already(before, kind)


def is_stored(value: Any) -> bool:
    """True for a column of a table."""
    return type(value) is ops.Field and type(value.rel) is ops.DatabaseTable
