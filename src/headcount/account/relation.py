"""Which neighbours the charges of a ledger are for: epsilons add up for one relation only.

Epsilon 1 for one person added or removed is epsilon 2 for one person replaced; and where the number of samples of each
person is public, adding or removing a person has no meaning at all. So a ledger is for one relation.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, get_args

from headcount.account.events import Event, neighbours_of
from headcount.errors import BadParameter, LedgerError

Relation = Literal["add-remove", "replace", "replace-same-size"]
"""One person is added or removed; replaced by any other; replaced by one with as many samples."""
RELATIONS: tuple[Relation, ...] = get_args(Relation)
UNKNOWN = "unknown"
"""Of a charge of version 0.8 whose events contradict each other."""


def check_known(neighbours: str) -> str:
    """The relation, if it is one."""
    if neighbours not in RELATIONS:
        raise BadParameter(f"neighbours={neighbours!r:.60}: unknown.", fix=_choices())
    return neighbours


def relation_for(neighbours: str, events: Iterable[Event]) -> str:
    """The relation as typed; by default what the events say, else add-remove. They must not contradict it."""
    said = neighbours_of(events)
    typed = check_known(neighbours or said or "add-remove")
    if said is not None and not typed.startswith(said):
        raise BadParameter(f"neighbours={typed!r}: an event of it is for {said!r}.", fix=f"neighbours={said!r}")
    return typed


def relation_of(said: dict[str, str]) -> str:
    """The relation of a charge's row. Those of version 0.8 do not say it: then by the plan in their request, else by
    their events, else add-remove, which was the default."""
    if "neighbours" in said:
        return said["neighbours"]
    found = _of_plan(said["request"]) or _of_events(said["events"])
    return found.pop() if len(found) == 1 else UNKNOWN if found else "add-remove"


def _of_plan(request: str) -> set[str]:
    try:
        question = json.loads(request)["question"]
        public = question.get("sizes", "private") == "public"
        return {"replace-same-size" if public else question["neighbours"]} & {*RELATIONS}
    except (ValueError, KeyError, TypeError, AttributeError):  # somebody's own text
        return set()


def _of_events(events: str) -> set[str]:
    try:
        return {each["neighbours"] for each in json.loads(events) if "neighbours" in each} & {*RELATIONS}
    except (ValueError, KeyError, TypeError):  # of a newer version
        return set()


def check_relation(asked: str, found: str | None, path: Path) -> None:
    """Refuse a charge for other neighbours than those of the ledger."""
    if found is not None and found not in RELATIONS:
        raise LedgerError(
            f"{path.name} has charges for several kinds of neighbours ({found}), which do not add up. Nothing was "
            "spent.",
            fix="a new ledger, with a budget that leaves out what was spent here",
        )
    if found is not None and asked != found:
        raise LedgerError(
            f"{path.name} adds up charges for neighbours={found!r}, and this one is for {asked!r}. Nothing was spent.",
            fix=f"{_typed(found)}, or a ledger of its own: headcount ledger new other.db --neighbours {asked!r} ...",
        )


def check_same(asked: str | None, found: str | None, path: Path) -> None:
    """Refuse to open a ledger as one for other neighbours than it is for."""
    if asked is not None and asked != found:
        kind = f"for neighbours={found!r}" if found else "for the neighbours of its first charge"
        raise LedgerError(
            f"{path}: this ledger is {kind}, not for {asked!r}.",
            fix=f'Ledger("{path}") opens it as it is; other neighbours need another file',
        )


def _typed(relation: str) -> str:
    """What to write to ask for this relation."""
    return 'neighbours="replace", sizes="public"' if relation == "replace-same-size" else f'neighbours="{relation}"'


def _choices() -> str:
    return " or ".join(f'neighbours="{each}"' for each in RELATIONS)
