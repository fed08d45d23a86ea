"""Validation of a release from bytes that anybody may have written: everything is checked before anything is used.

What passes can be shown, drawn, exported and loaded again. That it is what a curator released is another matter: for
that a ledger keeps a digest (`headcount ledger verify --release`).
"""

import re
from collections.abc import Sequence
from dataclasses import MISSING, fields
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from headcount.account.events import Event, from_json
from headcount.errors import ReleaseTooNew
from headcount.exact import rational
from headcount.release.about import ESTIMANDS, KEY, About
from headcount.release.earlier import KINDS
from headcount.release.plain import is_number, is_positive, parse_object, refuse
from headcount.release.views import view_of
from headcount.source.queries.step import PROMISE
from headcount.wording.typed import is_text

AMOUNT = re.compile(r"[0-9]{1,400}([./][0-9]{1,400})?")
HEAD = re.compile(r"([0-9]{1,18}:[0-9a-f]{64})?")


def about_in(text: bytes) -> About:
    """Parse the metadata of a release and check every field's type and form."""
    about = _fields_in(text)
    _check_request(about)
    _check_outcome(about)
    return about


def check_request(content: bytes) -> None:
    """Refuse a release that could not be loaded by what is known before anything is charged: its request."""
    _check_request(_fields_in(pq.read_schema(pa.BufferReader(content)).metadata[KEY]))


def _fields_in(text: bytes) -> About:
    """The fields, each of its type."""
    plain = parse_object(text.decode(), "about")
    known = {field.name: field for field in fields(About)}
    missing = [name for name, field in known.items() if field.default is MISSING and name not in plain]
    if unknown := [name for name in plain if name not in known]:
        raise _too_new(unknown[0], plain.get("version"))
    if missing:
        refuse(f"the field {missing[0]!r:.40}, which is missing")
    return About(**{name: _typed(name, known[name].type, value) for name, value in plain.items()})


def _too_new(field: str, version: Any) -> ReleaseTooNew:
    by = f"headcount {version:.20}" if isinstance(version, str) and version else "a newer headcount"
    return ReleaseTooNew(
        f"this release was made by {by}: this version does not know its field {field!r:.40}.",
        fix="pip install --upgrade headcount",
    )


def _typed(name: str, kind: Any, value: Any) -> Any:
    """A field's value; refused unless it has the field's type."""
    if kind is int:
        right = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
        return value if right else refuse(name)
    if kind is str:
        return value if is_text(value) else refuse(name)
    return tuple(value) if isinstance(value, list) and all(map(is_text, value)) else refuse(name)


def _check_request(about: About) -> None:
    """Check fields that follow from the request."""
    for name in ("epsilon", "delta"):
        _amount(name, getattr(about, name))
    view = view_of(about)
    if not view.layout.allows_value(about):
        refuse("value")
    if about.plan:
        view.check_plan(parse_object(about.plan, "plan"))


def _check_outcome(about: About) -> None:
    """Check fields that are known once the release is made: they follow from mechanisms and from the ledger."""
    if about.estimand not in ESTIMANDS:
        refuse("estimand")
    if about.tail and not all(
        is_number(part) and is_positive(abs(part)) for part in parse_object(about.tail, "tail").values()
    ):
        refuse("tail")
    if about.kinds and (len(about.kinds) != len(about.steps) or not set(about.kinds) <= set(KINDS)):
        refuse("kinds")
    if about.promise not in ("", PROMISE):
        refuse("promise")
    if not HEAD.fullmatch(about.head):
        refuse("head")
    view_of(about).check_about(about, _events(about))


def _amount(name: str, text: str) -> Fraction:
    """Parse a number as `exact.written` writes it."""
    value = rational(name, text, fix="1") if AMOUNT.fullmatch(text) else refuse(name)
    return value if name != "delta" or value <= 1 else refuse(name)


def _events(about: About) -> Sequence[Event]:
    try:
        return from_json(about.events)
    except Exception:  # whatever the text may hold
        refuse("events")


def check_table(table: pa.Table, about: About) -> None:
    """Refuse rows that a release with this description cannot have."""
    view = view_of(about)
    view.layout.check(table, about)
    view.check_rows(table, about)
