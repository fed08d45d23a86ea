"""The front door: one short function for each job."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.errors import BadParameter
from headcount.exact import Number, rational
from headcount.forecast import epsilon_for
from headcount.planning import Plan, budget
from headcount.question import Count, Name, Question, question
from headcount.release import Release
from headcount.source import open_events


def histogram(
    data: Any,
    *,
    user: str,
    by: str | Sequence[str],
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    target_error: Number | None = None,
    count: Count = "users",
    keys: Sequence[Any] | None = None,
    bins: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    bound: int | str = "auto",
    mechanism: Name = "auto",
    neighbours: Neighbours = "add-remove",
    dataset: str | None = None,
    ledger: Ledger | str | Path | None = None,
    again: bool = False,
) -> Release:
    """How many people, or events, there are for each item.

    data: a path or pattern of parquet, csv, tsv or jsonl files; a pandas, polars, pyarrow, DuckDB or Ibis table.
    user: the column that tells people apart.
    by: the column, or columns, that make an item.
    epsilon, delta: the budget of this release, everything included.
    target_error: instead of epsilon: 19 of 20 counts are to be off by at most this much.
    count: "users" counts the people of an item, "events" its rows.
    keys: the items, if they are known in advance; all of them are shown.
    bins: public edges for a column of numbers or dates; for several columns, a mapping from column to edges.
    bound: the most that one person may contribute: items, or events.
    mechanism: "clipped" for known items, "thresholded" for unknown ones; "auto" knows which.
    neighbours: whether a person's absence is hidden ("add-remove") or their replacement by another ("replace").
    dataset: what the dataset is called in the release and the ledger; by default the name of the file.
    ledger: where the cost is charged, a Ledger or its path. Asking the same again then returns the same release.
    again: pay for a new draw of a request that was sealed before.

    >>> import headcount as hc
    >>> r = hc.histogram(hc.example(), user="user", by="song", epsilon=1, bound=20)
    >>> r.table.column_names
    ['song', 'count', 'low', 'high']
    """
    made = plan(
        "histogram",
        data,
        user=user,
        by=by,
        epsilon=epsilon,
        delta=delta,
        target_error=target_error,
        count=count,
        keys=keys,
        bins=bins,
        bound=bound,
        mechanism=mechanism,
        neighbours=neighbours,
        dataset=dataset,
    )
    opened = Ledger(ledger) if isinstance(ledger, str | Path) else ledger
    return made.release(ledger=opened, again=again)


def plan(
    job: Literal["histogram"],
    data: Any,
    *,
    user: str,
    by: str | Sequence[str],
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    target_error: Number | None = None,
    count: Count = "users",
    keys: Sequence[Any] | None = None,
    bins: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    bound: int | str = "auto",
    mechanism: Name = "auto",
    neighbours: Neighbours = "add-remove",
    dataset: str | None = None,
) -> Plan:
    """What a release would cost and how far off it would be: the arguments of `histogram`; nothing is read or spent.

    >>> import headcount as hc
    >>> hc.plan("histogram", hc.example(), user="user", by="song", epsilon=1, bound=20).mechanism.event.threshold
    103
    """
    if not isinstance(job, str) or job != "histogram":
        raise BadParameter(f"plan({job!r:.40}, ...): unknown.", fix='plan("histogram", data, ...)')
    asked = question(
        user=user,
        by=by,
        count=count,
        keys=keys,
        bins=bins,
        bound=bound,
        mechanism=mechanism,
        neighbours=neighbours,
    )
    _check_delta(delta, asked)
    events = open_events(data, asked.columns, dataset)
    asked.check(events.columns)
    columns = {name: str(kind) for name, kind in events.columns.items()}

    def made(epsilon: Number) -> Plan:
        return Plan(events.name, asked, budget(epsilon, delta), columns, events)

    if target_error is None:
        return made(_given(epsilon))
    if epsilon is not None:
        raise BadParameter("epsilon and target_error: only one of them.", fix="target_error=10 finds the epsilon")
    return epsilon_for(target_error, made)


def _given(epsilon: Number | None) -> Number:
    if epsilon is None:
        raise BadParameter("how much may it cost?", fix="epsilon=1, or target_error=10")
    return epsilon


def _check_delta(delta: Number, asked: Question) -> None:
    if not asked.known and rational("delta", delta, fix="delta=1e-6") == 0:
        raise BadParameter(
            "delta=0: items that are not known in advance need a delta above 0.",
            fix='delta=1e-6, or the list of items: keys=["apple", "pear"]',
        )


def load(path: str | Path) -> Release:
    """A release that was saved as .parquet.

    >>> import headcount as hc, tempfile
    >>> r = hc.histogram(hc.example(), user="user", by="song", epsilon=1, bound=20)
    >>> path = r.save(tempfile.mkdtemp() + "/songs.parquet")
    >>> hc.load(path).table.equals(r.table)
    True
    """
    return Release.load(path)
