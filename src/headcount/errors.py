"""One class per mistake. Every message says what was given, what is allowed, and ends with the line to write
instead. Names that others gave are shown without what a terminal would obey."""

HIDDEN = "·"
"""Shown in the place of a character that cannot be seen."""


def visible(text: str) -> str:
    """One line in which every character can be seen.

    >>> visible("user\\x1b[2J")
    'user·[2J'
    """
    return text if text.isprintable() else "".join(char if char.isprintable() else HIDDEN for char in text)


class HeadcountError(Exception):
    """Whatever headcount refuses."""

    exit_code = 2
    """What the command line answers: 2 for wrong arguments, 3 if the budget refuses, 1 for a ledger that lies."""

    def __init__(self, message: str, *, fix: str) -> None:
        super().__init__(visible(f"{message} Fix: {fix}"))
        self.fix = visible(fix)


class BadParameter(HeadcountError, ValueError):
    """A parameter that cannot be meant: a scale of 0, a size that is not a count, a negative budget."""


class UnknownColumn(HeadcountError, KeyError):
    """A column that the table does not have, or whose kind cannot be a person or an item."""

    __str__ = Exception.__str__  # KeyError would put the message into quotes


class NotATable(HeadcountError):
    """Data that is missing, or is nothing that can be read as a table."""


class ReadingFailed(HeadcountError):
    """The engine gave up while it read the rows. What it said is not repeated: it may quote them."""

    exit_code = 1


class BudgetExceeded(HeadcountError):
    """The ledger has less left than was asked for. Nothing was read, nothing was spent."""

    exit_code = 3


class LedgerError(HeadcountError):
    """The ledger file cannot be used: it is something else, cannot be written, or its disk is full."""


class LedgerTampered(LedgerError):
    """The ledger's rows do not follow from one another: somebody edited, deleted, reordered or rolled back."""

    exit_code = 1


class NotSealed(LedgerError):
    """A file that a sound ledger did not seal."""

    exit_code = 1
