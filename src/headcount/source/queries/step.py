"""A step of a query that is not row by row, and the promise that a query with such a step needs."""

from collections.abc import Iterable
from dataclasses import dataclass

from headcount.errors import BadParameter, HeadcountError, NotATable
from headcount.wording import sentence

PROMISE = "each row belongs to one person"
"""The promise, as it is typed. It stands in plans, releases, reports and ledgers."""
UNCHECKED = "a query that headcount did not check"
"""What a table is called that was accepted by the promise."""
TYPED = f'hc.table(data, promise="{PROMISE}")'


@dataclass(frozen=True)
class Step:
    """A step by which one person's data may reach other people's rows."""

    name: str
    """The step with its article, as a message names it: a join."""
    fix: str = ""
    """What to write instead, if no promise covers the step: it depends on the order of rows, on chance or on time."""
    instead: str = "the table itself, with row-by-row columns and filters only"
    """What to write instead of the promise."""
    why: str = "one person's data may be in other people's rows"
    """What may go wrong."""


FAILS = "one person's row may make the whole release fail"
ALL_ROWS = Step("a value computed from all rows")
CAST = Step("a cast that can fail", instead="try_cast", why=FAILS)
GUESSED = Step(
    "CSV or JSON that the engine parses",
    instead="the path itself as data, which headcount reads cell by cell; or a Parquet file",
    why="how all values are read may depend on one person's row",
)
LIMIT = Step("a limit", "the table without it, or a condition on its columns")
SAMPLE = Step("a sample", "the table without it")
CHANCE = Step("a random value", "a column of the table")
NOW = Step("the time of reading", 'a date that you type: "2026-01-01"')
UNORDERED = Step("row numbers without an order", "an order by columns of the table, or no row numbers")


def fallible(function: str) -> Step:
    """Return the step of a function that fails on some values."""
    return Step(f"{function}, which can fail", instead="a column that the table has", why=FAILS)


def promise_sentence(promise: str) -> str:
    """What is said of a query wherever its release is shown; empty for a table."""
    return f"The table is {UNCHECKED}. The analyst promised: {promise}." if promise else ""


def worst(steps: Iterable[Step]) -> Step | None:
    """Return the first step that no promise covers, else the first step; None if there is none."""
    found = list(steps)
    return next((step for step in found if step.fix), found[0] if found else None)


def check_promise(typed: object) -> None:
    """Refuse any other sentence than the promise."""
    if typed is not None and (not isinstance(typed, str) or typed.strip().casefold() != PROMISE):
        raise BadParameter(f"promise={typed!r:.80}: not the sentence that is needed.", fix=TYPED)


def promise_for(step: Step | None, typed: object) -> str:
    """Return the promise that covers a query, empty for a table; refuse a query that none covers."""
    check_promise(typed)
    if step is None:
        return ""
    if step.fix:
        raise NotATable(
            f"the data are a query with {step.name}: which rows or values it gives depends on the order of rows, on "
            "chance or on time. No promise covers that.",
            fix=step.fix,
        )
    if typed is None:
        raise NotATable(
            f"the data are a query with {step.name}: {step.why}, and headcount cannot check that.",
            fix=f"{step.instead}; or, if you know that it is so, {TYPED}",
        )
    return PROMISE


def unproved(step: Step, refused: HeadcountError) -> NotATable:
    """Return the refusal of a query that headcount tried to prove."""
    what = str(refused).partition(" Fix: ")[0]
    return NotATable(
        f"the data are a query with {step.name}: {step.why}. headcount found no proof. {sentence(what)}",
        fix=f"{refused.fix}; or, if you know that it is so, {TYPED}",
    )
