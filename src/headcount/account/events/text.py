"""Events as text, which ledgers and releases keep, and back. Every module of this folder is known."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from fractions import Fraction
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from headcount.account.events.event import Event
from headcount.errors import BadParameter
from headcount.exact import rational, written

FOLDER = "headcount.account.events"


@cache
def kinds() -> dict[str, type[Event]]:
    """All classes of events by name, of every file of the folder."""
    for module in iter_modules(import_module(FOLDER).__path__):
        import_module(f"{FOLDER}.{module.name}")
    return {kind.name: kind for kind in _below(Event)}


def _below(kind: type[Event]) -> Iterator[type[Event]]:
    for each in kind.__subclasses__():
        if each.__module__.startswith(FOLDER):
            yield each
        yield from _below(each)


def to_json(events: Iterable[Event]) -> str:
    """Serialise events as canonical text: equal events give equal bytes."""
    return json.dumps([_plain(event) for event in events], sort_keys=True, separators=(",", ":"))


def _plain(event: Event) -> dict[str, Any]:
    values = {field.name: getattr(event, field.name) for field in fields(event)}
    written_values = {key: written(value) if isinstance(value, Fraction) else value for key, value in values.items()}
    return {"event": event.name, **written_values}


def from_json(text: str) -> tuple[Event, ...]:
    """Parse the events that `to_json` wrote."""
    return tuple(_event(plain) for plain in json.loads(text))


def _event(plain: dict[str, Any]) -> Event:
    kind = kinds().get(plain.get("event", ""))
    if kind is None or set(plain) != {"event", *(field.name for field in fields(kind))}:
        raise BadParameter(f"event={plain.get('event')!r}: unknown.", fix=f"one of {', '.join(sorted(kinds()))}")
    return kind(**{field.name: _value(field.type, plain[field.name]) for field in fields(kind)})


def _value(kind: Any, value: Any) -> Any:
    return rational("event", value, fix="a number") if kind is Fraction else value
