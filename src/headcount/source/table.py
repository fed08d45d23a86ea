"""hc.table: data with what belongs to them: their name, a promise about them, and what reading them may take."""

from dataclasses import dataclass, field
from datetime import date
from numbers import Integral
from os import PathLike
from typing import Any

from headcount.errors import BadParameter
from headcount.source.engines.limits import Limits, limits
from headcount.source.queries.step import PROMISE, check_promise
from headcount.wording.arguments import explained
from headcount.wording.typed import check_showable, one_line


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Data with what is declared about them, to be handed to any job as data."""

    data: Any
    """The data themselves: a frame, a query, or paths."""
    name: str | None = None
    """The name of the dataset in plans, releases and ledgers; None for the one that the data have."""
    promise: str | None = None
    """What is promised of a query; None if nothing is."""
    limits: Limits = field(default=Limits())
    """Memory and disk that reading may use; not part of a request."""

    def __repr__(self) -> str:
        given = {
            "name": self.name,
            "promise": self.promise,
            "memory": self.limits.memory,
            "spill": self.limits.spill,
        }
        listed = [f"{each}={value!r}" for each, value in given.items() if value is not None]
        return f"Table({', '.join([type(self.data).__name__, *listed])})"


@explained
def table(
    data: Any,
    *,
    name: str | None = None,
    promise: str | None = None,
    memory: int | str | None = None,
    spill: str | PathLike[str] | None = None,
) -> Table:
    """Declare what belongs to the data, once for all requests about them, and return them as data for any job.

    data: a path or pattern of parquet, csv, tsv or jsonl files; a pandas, polars, pyarrow, DuckDB, Spark or Ibis table.
    name: the name of the dataset in the release and the ledger; by default the name of the file.
    promise: "each row belongs to one person", of a query that headcount cannot check: joins, windows, group-bys, SQL.
    memory: the most that reading may take: "4GB", "512MB", or bytes. What does not fit is put on disk.
    spill: a folder for that, instead of the system's temporary one. In a private folder there, removed at the end.

    >>> import headcount as hc
    >>> plays = hc.table(hc.example(), name="plays", memory="1GB")
    >>> plays
    Table(Table, name='plays', memory=1000000000)
    >>> hc.plan("total", plays, user="user", count="users", epsilon=1).dataset
    'plays'
    """
    _check_once(data)
    for parameter, value in (("name", name), ("promise", promise), ("memory", memory), ("spill", spill)):
        check_showable(parameter, value)
    if name is not None:
        _check_name(name)
    check_promise(promise)
    return Table(data, name, None if promise is None else PROMISE, limits(memory, spill))


def declared(data: Any) -> Table:
    """Return data with what is declared about them: nothing, unless they are from `hc.table`."""
    return data if isinstance(data, Table) else Table(data)


def check_planned(given: Table, name: str, promise: str) -> None:
    """Refuse another name than that of the plan whose data they are, and a promise that the plan does not make."""
    if given.name not in (None, name):
        raise BadParameter(
            f"name={given.name!r:.60}: the plan is about {name!r:.60}.", fix="make it again: hc.plan(...)"
        )
    if given.promise and not promise:
        raise BadParameter("promise: the plan was made without one.", fix="make it again: hc.plan(...)")


def _check_once(data: Any) -> None:
    """Refuse a table of a table: of two names, which one counts?"""
    if isinstance(data, Table):
        raise BadParameter(f"data={data}: it is from hc.table already.", fix="one hc.table(data, ...), with everything")


def _check_name(name: Any) -> None:
    """Refuse a name that cannot be shown on one line and kept for good; that of a file is shown as it can be."""
    meant = isinstance(name, Integral | date | PathLike) and not isinstance(name, bool)
    one_line("name", name, str(name) if meant else "visits")
