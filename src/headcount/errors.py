"""Exception classes, one per kind of mistake. Every message says what was given, what is allowed, and ends with the
line to write instead. Control characters in names that others chose are made visible, and long ones are cut."""

from importlib import import_module
from typing import Any

PLACEHOLDER = "·"
"""Shown in place of an unprintable character."""
LONGEST = 400
"""Most characters of what is said, and of what to write instead: either may repeat what a user typed."""
KEPT = 120
"""Characters that are kept at the beginning of a longer text; the rest at its end, which says what is wrong."""

REPORT = "report it, with the text of the plan: print(plan.to_json())"
"""What to do about a defect."""


def visible(text: str) -> str:
    """Replace every unprintable character, so that the text is one line.

    >>> visible("user\\x1b[2J")
    'user·[2J'
    """
    return text if text.isprintable() else "".join(char if char.isprintable() else PLACEHOLDER for char in text)


def shown(value: object, maximum: int = 60) -> str:
    """The text of what a user typed, cut; Python writes no integer of more than 4,300 digits.

    >>> shown("word"), shown(10**5000)
    ("'word'", '...')
    """
    try:
        return repr(value)[:maximum]
    except Exception:  # whatever the object may raise
        return "..."


def brief(text: str) -> str:
    """Cut the middle out of a long text.

    >>> brief("by=" + 9999 * "x" + ": no column")[-13:]
    'xx: no column'
    """
    return text if len(text) <= LONGEST else f"{text[:KEPT]}…{text[KEPT + 1 - LONGEST :]}"


class HeadcountError(Exception):
    """Base class of every error that headcount raises."""

    exit_code = 2
    """Exit code of the command line: 2 for wrong arguments, 3 if the budget is exceeded, 4 if the data changed since
    the request was charged, 5 if its release is not finished; 1 if a ledger was tampered with, if rows could not be
    read, or if headcount has a defect."""

    def __init__(self, message: str, *, fix: str) -> None:
        self._given = (message, fix)
        self.fix = visible(brief(fix))
        super().__init__(f"{visible(brief(message))} Fix: {self.fix}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep class and message where an error crosses processes."""
        return _made_again, (type(self), *self._given)


def _made_again(kind: type[HeadcountError], message: str, fix: str) -> HeadcountError:
    return kind(message, fix=fix)


class BadParameter(HeadcountError, ValueError):
    """A parameter has an invalid value: a scale of 0, a size that is not a count, a negative budget."""


class WrongCall(BadParameter, TypeError):
    """A function was called with arguments that it does not have, without names, or without those that it needs."""


class UnknownName(HeadcountError, AttributeError):
    """There is no function or method of this name."""


class UnknownColumn(HeadcountError, KeyError):
    """A column is not in the table, or its type cannot be that of a person or an item."""

    __str__ = Exception.__str__  # KeyError would put the message into quotes


class NotATable(HeadcountError):
    """The data are missing, or cannot be read as a table."""


class ReleaseTooNew(NotATable):
    """A newer version of headcount made the release: nothing is wrong with it, and this version cannot read it."""


class MissingPackage(HeadcountError, ImportError):
    """A package is needed that headcount does not install by itself."""


def optional_package(name: str, *, user: str, install: str) -> Any:
    """Import a package that is installed only on request; `user` is what needs it."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingPackage(f"{user} needs {name.partition('.')[0]}.", fix=f"pip install {install}") from None


class ReadingFailed(HeadcountError):
    """The engine failed while reading the rows. Its message is not repeated: it may quote them."""

    exit_code = 1


class FileChanged(ReadingFailed):
    """A file or a table changed while it was read. Nothing was released."""


class TableChanged(ReadingFailed):
    """A table on an engine of the user's is not the one that was planned: another table, or a query. Nothing was
    released. The message follows from the catalog, never from rows."""


class Defect(HeadcountError):
    """headcount contradicts itself: a mistake in its own code, never one of the caller. Nothing was released."""

    exit_code = 1

    def __init__(self, message: str, *, fix: str = REPORT) -> None:
        super().__init__(f"{message} This is a defect of headcount. Nothing was released.", fix=fix)
        self._given = (message, fix)


class BudgetExceeded(HeadcountError):
    """The ledger has less left than the release costs. Nothing was read, nothing was spent."""

    exit_code = 3


class LedgerError(HeadcountError):
    """The ledger file cannot be used: it is something else, cannot be written, or its disk is full."""


class LedgerTampered(LedgerError):
    """The ledger's rows do not follow from one another: someone edited, deleted, reordered or rolled back."""

    exit_code = 1


class LedgerTooNew(LedgerError):
    """A newer version of headcount wrote the ledger. Nothing is wrong with it: this version must not write to it."""


class DataChanged(LedgerError):
    """The request was charged before, and not for these data, as far as the ledger can tell. Only whoever holds the
    data may see this error: that data changed is something about them. A ledger that serves others never raises it."""

    exit_code = 4


class NotFinished(LedgerError):
    """The request was charged, and its release is not finished; a ledger that serves others raises this, whatever the
    data are now."""

    exit_code = 5


class NotSealed(LedgerError):
    """The file was not sealed by this ledger, which is itself intact."""

    exit_code = 1
