"""Parameters about time: `per`, the periods that a column of dates is counted by; and `dates`, between which dates they
are, if that is public."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Annotated, Any, get_args

from headcount.errors import BadParameter
from headcount.jobs.parameters import notation
from headcount.source.frames.cells import plain_key, text_of
from headcount.source.scales.periods import Period, Periods, end_of, start_of
from headcount.wording.typed import listed

PERIODS: tuple[Period, ...] = get_args(Period)
MOST_ITEMS = 1_000_000
"""Most public items, if some are periods."""
EXAMPLE = '("2024-01-01", "2024-12-31")'
DATED = re.compile(r"date|time|(^|[_ ])(ts|at|on|hour|day|week|month|year|when|seen)$", re.I)
"""Names that columns of dates have."""
Ends = tuple[str, str]


def parse_per(name: str, per: Any, before: Mapping[str, Any]) -> tuple[tuple[str, Period], ...]:
    """The period of each column of dates."""
    by = before["by"]
    if per is None:
        return ()
    if not isinstance(per, Mapping):
        if len(by) > 1:
            raise BadParameter(f"per={per!r:.40}: of which column?", fix=_example(by, per))
        per = {by[0]: per}
    if strange := [column for column in per if column not in by]:
        raise no_column_of_by("per", strange[0], by, _example(by, per[strange[0]]))
    if not per:
        raise BadParameter("per={}: of which column?", fix=f"{_example(by, 'month')}, or no per")
    return tuple((column, _period(per[column])) for column in by if column in per)


def no_column_of_by(name: str, column: Any, by: Sequence[str], fix: str) -> BadParameter:
    """The error for a column that `by` does not have, or only in a list that was typed as one name."""
    several = next((each.split(",") for each in by if column in each.split(",")), None)
    return BadParameter(f"{name}: {column!r:.40} is not a column of by.", fix=f"by={several}" if several else fix)


def _example(by: Sequence[str], period: Any) -> str:
    """What to write: the column that has the name of a date, if there is one, and the period that was typed."""
    column = next(filter(DATED.search, by), by[0])
    return f'per={{{column!r}: "{period if isinstance(period, str) and period in PERIODS else "month"}"}}'


def _period(period: Any) -> Period:
    if isinstance(period, str) and period in PERIODS:
        return period
    near = get_close_matches(str(period).lower()[:40], PERIODS, n=1)
    meant = f'did you mean per="{near[0]}"? ' if near else ""
    raise BadParameter(f"per={period!r:.40}: unknown.", fix=f"{meant}One of {', '.join(PERIODS)}")


def parse_dates(name: str, dates: Any, before: Mapping[str, Any]) -> tuple[tuple[str, Ends], ...]:
    """The first and the last date of each column of periods that has public ones."""
    columns = [column for column, _ in before["per"]]
    if dates is None:
        return ()
    if not columns:
        raise BadParameter(
            "dates: between them lie periods, and per says of what length.", fix=f'per="month", dates={EXAMPLE}'
        )
    if not isinstance(dates, Mapping):
        if len(columns) > 1:
            raise BadParameter("dates: of which column?", fix=f"dates={{{columns[0]!r}: {EXAMPLE}}}")
        dates = {columns[0]: dates}
    if strange := [column for column in dates if column not in columns]:
        raise BadParameter(f"dates: {strange[0]!r:.40} has no per.", fix=f"dates={{{columns[0]!r}: {EXAMPLE}}}")
    return tuple((column, _ends(dates[column])) for column in columns if column in dates)


def _ends(dates: Any) -> Ends:
    fix = f"dates={EXAMPLE}, both included"
    both = [] if isinstance(dates, str) else listed("dates", dates, 2, of="a first and a last date", fix=fix)
    if len(both) != 2:
        raise BadParameter(f"dates={dates!r:.60}: the first and the last date.", fix=fix)
    first, last = (_date(each, fix) for each in both)
    if end_of(last) < first:
        raise BadParameter(
            f"dates: {_text(first)} is after {_text(last)}.", fix=f"dates=({_text(last)!r}, {_text(first)!r})"
        )
    return _text(first), _text(last)


def _date(value: Any, fix: str) -> datetime:
    try:
        found = datetime.fromisoformat(plain_key(value))
    except (TypeError, ValueError):
        raise BadParameter(f"dates: {value!r:.40} is no date.", fix=fix) from None
    if found.tzinfo is not None:
        raise BadParameter(f"dates: {value!r:.40} has a time zone.", fix=f"{fix}, in UTC if the column has one")
    return found


def _text(value: datetime) -> str:
    """A moment as it is kept: at midnight the date alone."""
    return str(text_of(value))


def periods_of(period: Period, dates: Ends | None) -> Periods:
    """The periods of a column; public ones between dates."""
    if dates is None:
        return Periods(period)
    first, last = map(datetime.fromisoformat, dates)
    return Periods(period, (first, end_of(last)))


def check_start(period: Period, key: Any) -> None:
    """Refuse a key that no period starts with."""
    try:
        found = datetime.fromisoformat(key)
    except (TypeError, ValueError):
        raise BadParameter(f"keys: {key!r:.40} is no date, and items are.", fix='keys=["2024-01-01", ...]') from None
    start = start_of(period, found.replace(tzinfo=None))
    if found.tzinfo is not None or found != start:
        raise BadParameter(f"keys: no {period} starts with {key}.", fix=f"keys=[{_text(start)!r}, ...]")


Per = Annotated[tuple[tuple[str, Period], ...], parse_per, notation.PER]
Dates = Annotated[tuple[tuple[str, Ends], ...], parse_dates, notation.DATES]
