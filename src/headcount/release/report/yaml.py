"""The text of a record as YAML, with marked gaps. Strings are quoted or literal blocks, so that nothing in them is
anything but text."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from headcount.errors import visible
from headcount.wording import counted_noun, visible_json

GAP = "TO FILL IN"
"""Stands wherever a person has to write something."""
HEADER = (
    "# A draft: {gaps} below are marked {GAP}. Where such a mark follows a value (NOT A FACT), the value only keeps",
    "# the file valid until you put the right one. Fill in a copy: only this file can be verified against a ledger.",
)
LONGEST = 80
"""Characters of a string on one line; a longer one is a block."""


@dataclass(frozen=True)
class Gap:
    """A text that a person has to write."""

    what: str


@dataclass(frozen=True)
class Placeholder:
    """A value that keeps the record valid until a person puts the right one."""

    value: Any
    what: str


def to_yaml(record: Mapping[str, Any]) -> str:
    """The record as YAML, below what its reader has to know."""
    lines = list(_lines(record, ""))
    gaps = counted_noun(sum(GAP in line for line in lines), "line")
    return "\n".join([*(line.format(gaps=gaps, GAP=GAP) for line in HEADER), *lines]) + "\n"


def _lines(record: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, value in record.items():
        match value:
            case Mapping():
                yield f"{indent}{name}:"
                yield from _lines(value, indent + "  ")
            case list():
                yield f"{indent}{name}:"
                for each in value:
                    yield from _item(each, indent + "  ")
            case _:
                yield from _scalar(f"{indent}{name}: ", value, indent + "  ")


def _item(value: Any, indent: str) -> Iterator[str]:
    """One element of a list."""
    if not isinstance(value, Mapping):
        yield from _scalar(f"{indent}- ", value, indent + "  ")
        return
    first, *others = _lines(value, indent + "  ")
    yield f"{indent}- {first.lstrip()}"
    yield from others


def _scalar(start: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Gap):
        value = f"{GAP}: {value.what}"
    if isinstance(value, Placeholder):
        yield f"{start}{_quoted(value.value)}  # {GAP}, NOT A FACT: {value.what}"
    elif isinstance(value, str) and len(value) > LONGEST:
        yield f"{start}|-"
        yield from (f"{indent}{line}" for line in wrap(visible(value).strip(), 110 - len(indent)))
    else:
        yield f"{start}{_quoted(value)}"


def _quoted(value: Any) -> str:
    """A string in double quotes, a number as it is."""
    if isinstance(value, float):  # 1e-06 would be a string
        return repr(value) if "." in repr(value) else repr(value).replace("e", ".0e")
    return visible_json(json.dumps(value, ensure_ascii=False))
