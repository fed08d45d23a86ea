"""Former parameters of jobs: what each belongs to now, with the line to write instead."""

from collections.abc import Mapping
from typing import Any

from headcount.errors import BadParameter, shown
from headcount.job import Job
from headcount.wording.options import moved

OF_DATA = {"dataset": "name", "name": "name", "promise": "promise", "memory": "memory", "spill": "spill"}
"""What is declared once about the data, and what `hc.table` calls it."""


def check_moved(kind: type[Job], known: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse former parameters, with what they belong to now."""
    for name, value in given.items():
        if name not in known and (found := _found(kind, name, value, given)):
            raise BadParameter(found[0], fix=found[1])


def _found(kind: type[Job], name: str, value: Any, given: Mapping[str, Any]) -> tuple[str, str] | None:
    """What a former parameter belongs to, and the line to write; None if it never was one."""
    if name in (*OF_DATA, "again") and value in (None, False):
        return f"{name}={_typed(value)}: it is no parameter any more.", f"no {name}"
    if name in OF_DATA:
        return f"{name}={_typed(value)}: it belongs to the data.", f"hc.table(data, {_of_data(given)})"
    if name == "again":
        fix = f'hc.plan("{kind.name}", ...).release(ledger=ledger, again={_typed(value)})'
        return f"again={_typed(value)}: it belongs to the release.", fix
    return moved(name, value, kind.options)


def _of_data(given: Mapping[str, Any]) -> str:
    """All that was given of the data, as `hc.table` takes it."""
    return ", ".join(f"{OF_DATA[name]}={_typed(value)}" for name, value in given.items() if name in OF_DATA)


def _typed(value: Any) -> str:
    """A value as it would be typed, cut."""
    return f'"{value:.60}"' if isinstance(value, str) else shown(value)
