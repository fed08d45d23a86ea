"""Neighbouring relation of a ledger's charges: epsilons add up for one relation only.

Epsilon 1 for one person added or removed is epsilon 2 for one person replaced; and where the number of samples of each
person is public, adding or removing a person has no meaning at all. So a ledger is for one relation.
"""

import json
from collections.abc import Iterable
from typing import Literal, get_args

from headcount.account.events import Event, neighbours_of
from headcount.errors import BadParameter, LedgerError

Relation = Literal["add-remove", "replace", "replace-same-size"]
"""One person is added or removed; replaced by any other; replaced by one with as many samples."""
RELATIONS: tuple[Relation, ...] = get_args(Relation)
UNKNOWN = "unknown"
"""Relation of a charge of version 0.8 whose events contradict each other."""


def check_known(neighbours: str) -> str:
    """Return the relation if it is a known one, else raise."""
    if neighbours not in RELATIONS:
        raise BadParameter(f"neighbours={neighbours!r:.60}: unknown.", fix=_choices())
    return neighbours


def relation_for(neighbours: str, events: Iterable[Event]) -> str:
    """Resolve the typed relation; by default that of the events, else add-remove. Raise if the events contradict it."""
    stated = neighbours_of(events)
    typed = check_known(neighbours or stated or "add-remove")
    if stated is not None and not typed.startswith(stated):
        raise BadParameter(f"neighbours={typed!r}: one of the events is for {stated!r}.", fix=f"neighbours={stated!r}")
    return typed


def relation_of(fields: dict[str, str]) -> str:
    """Relation of a charge's row. Rows of version 0.8 do not record it: then that of the plan in their request, else
    that of their events, else add-remove, which was the default."""
    if "neighbours" in fields:
        return fields["neighbours"]
    found = _of_plan(fields["request"]) or _of_events(fields["events"])
    return found.pop() if len(found) == 1 else UNKNOWN if found else "add-remove"


def _of_plan(request: str) -> set[str]:
    try:
        question = json.loads(request)["question"]
        public = question.get("sizes", "private") == "public"
        return {"replace-same-size" if public else question["neighbours"]} & {*RELATIONS}
    except (ValueError, KeyError, TypeError, AttributeError):  # a request that is not a plan
        return set()


def _of_events(events: str) -> set[str]:
    try:
        return {each["neighbours"] for each in json.loads(events) if "neighbours" in each} & {*RELATIONS}
    except (ValueError, KeyError, TypeError):  # events of a newer version
        return set()


def check_relation(neighbours: str, relation: str | None, ledger: str) -> None:
    """Raise if a charge is for other neighbours than those of the ledger."""
    if relation is not None and relation not in RELATIONS:
        raise LedgerError(
            f"{ledger} has charges for several kinds of neighbours ({relation}), which do not add up. "
            "Nothing was spent.",
            fix="a new ledger, with a budget that leaves out what was spent here",
        )
    if relation is not None and neighbours != relation:
        raise LedgerError(
            f"{ledger} adds up charges for neighbours={relation!r}, and this one is for {neighbours!r}. Nothing was "
            "spent.",
            fix=f"{_arguments_for(relation)}, or a ledger of its own: headcount ledger new other.db --neighbours "
            f"{neighbours!r} ...",
        )


def check_same(neighbours: str | None, relation: str | None, ledger: str) -> None:
    """Raise if a ledger is opened for other neighbours than its own."""
    if neighbours is not None and neighbours != relation:
        kind = f"for neighbours={relation!r}" if relation else "for the neighbours of its first charge"
        raise LedgerError(
            f"{ledger}: this ledger is {kind}, not for {neighbours!r}.",
            fix=f'Ledger("{ledger}") opens it as it is; other neighbours need another file',
        )


def _arguments_for(relation: str) -> str:
    """Arguments that request this relation."""
    return 'neighbours="replace", sizes="public"' if relation == "replace-same-size" else f'neighbours="{relation}"'


def _choices() -> str:
    return " or ".join(f'neighbours="{each}"' for each in RELATIONS)
