"""Carriers: columns that tell whose row it is.

Rows of a private table are about units of one kind: people (PERSON), or keys of another private table, such as orders.
D|k holds the rows of unit k, and what is linked to the keys in them (docs/proofs/views.md). A column c of a relation E
carries units of a kind if for every database D and every k that is not NULL:
    (P) the rows of E with c = k are the same multiset whether E is computed on D or on D|k;
    (Z) if k has no row in the tables of that kind, there are none.
Rows in which all carriers are NULL are nobody's. They may depend on everybody, and are dropped at the end.
All carriers of one relation are of one kind.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ibis.expr import datatypes as dt
from ibis.expr import operations as ops

PERSON = "person"
"""The kind of unit that is a person. Other kinds are keys: "orders.o_orderkey"."""


@dataclass(frozen=True)
class Owners:
    """What is known about the rows of a relation."""

    private: bool
    """True if it depends on a private table."""
    carriers: Mapping[str, str]
    """The columns that carry units, and of which kind."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """The columns that hold, in a row of unit k, nothing but keys in the rows of k; and of which kind."""


PUBLIC = Owners(private=False, carriers={})
Kinds = Mapping[Any, str | None]
"""Fields that a value may use, with the kind of unit that each carries, if any."""


def is_id(kind: dt.DataType) -> bool:
    """True for types whose equal values are identical on every engine, and which have text or a width to compare."""
    return bool(kind.is_integer() or kind.is_string() or kind.is_uuid())


def comparable(left: dt.DataType, right: dt.DataType) -> bool:
    """True for ids of one family: equality neither converts nor fails."""
    pairs = ("is_signed_integer", "is_unsigned_integer", "is_string", "is_uuid")
    return any(getattr(left, each)() and getattr(right, each)() for each in pairs)


def is_column(kind: dt.DataType) -> bool:
    """True for types that columns of a view may have: others fail, or are compared, in ways that nobody has tested."""
    plain = is_id(kind) or kind.is_floating() or kind.is_boolean() or kind.is_date() or kind.is_decimal()
    return bool(plain or (kind.is_timestamp() and kind.timezone in (None, "UTC") and kind.scale in (None, 6)))


def identical_if_equal(kind: dt.DataType) -> bool:
    """True for types whose equal values are identical: not 0.0 and -0.0, not 30 days and a month."""
    return is_id(kind) or bool(kind.is_boolean() or kind.is_date() or kind.is_decimal() or kind.is_timestamp())


def kind_carried(value: Any, kinds: Kinds) -> str | None:
    """Return the kind of id that a value carries: of a carrier, of several by coalesce, or cast one to one."""
    if type(value) is ops.Field:
        return kinds.get(value)
    if type(value) is ops.Coalesce:
        found = {kind_carried(each, kinds) for each in value.arg}
        same = all(comparable(value.arg[0].dtype, each.dtype) for each in value.arg)
        return found.pop() if len(found) == 1 and same else None
    if type(value) in (ops.Cast, ops.TryCast) and _one_to_one(value.arg.dtype, value.to):
        return kind_carried(value.arg, kinds)
    return None


def _one_to_one(old: dt.DataType, new: dt.DataType) -> bool:
    """True for a cast of whole numbers to text, or to whole numbers that hold them all."""
    wider = new.is_integer() and old.is_integer() and new.nbytes >= old.nbytes
    signed = old.is_signed_integer() == new.is_signed_integer()
    return bool(old.is_integer() and (new.is_string() or (wider and signed)))


def children(value: Any) -> Iterator[Any]:
    """Yield the values that a value is made of."""
    for given in value.args:
        for each in given if isinstance(given, tuple) else (given,):
            if isinstance(each, ops.Value):
                yield each


def parts(value: Any) -> Iterator[Any]:
    """Yield a value and all values inside it, not those of its relations."""
    yield value
    if type(value) is not ops.Field:
        for each in children(value):
            yield from parts(each)


def conjuncts(predicates: Any) -> Iterator[Any]:
    """Yield the conditions that must all hold."""
    for each in predicates:
        if type(each) is ops.And:
            yield from conjuncts((each.left, each.right))
        else:
            yield each
