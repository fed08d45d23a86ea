"""The front door: one short function for each job."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.exact import Number
from headcount.mechanism import Name
from headcount.mechanism.sampled.sample_threshold import Rule
from headcount.mechanism.topk.levels import KBAR, VariantName
from headcount.plans import opened, plan
from headcount.question import Count, Debias
from headcount.release import Release, released


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
    sum: str | None = None,  # noqa: A002
    bound: int | str = "auto",
    share: Number | None = None,
    grid: Sequence[int] | None = None,
    mechanism: Name = "auto",
    variant: VariantName = "level",
    kbar: int = KBAR,
    first_epsilon: Number | None = None,
    selection_delta: Number | None = None,
    rho: Number | None = None,
    p: Number | None = None,
    theta: int | None = None,
    rule: Rule = "exact",
    debias: Debias = "auto",
    people: int | str | None = None,
    neighbours: Neighbours = "add-remove",
    dataset: str | None = None,
    ledger: Ledger | str | Path | None = None,
    again: bool = False,
    memory: int | str | None = None,
    spill: str | PathLike[str] | None = None,
) -> Release:
    """How many people, or events, there are for each item; or what their amounts add up to.

    data: a path or pattern of parquet, csv, tsv or jsonl files; a pandas, polars, pyarrow, DuckDB or Ibis table.
    user: the column that tells people apart.
    by: the column, or columns, that make an item.
    epsilon, delta: the budget of this release, everything included.
    target_error: instead of epsilon: 19 of 20 counts are to be off by at most this much. With "count-release" and
        "plume-threshold", beside epsilon: the part of a count by which most may be off, 0.1 if nothing else is said.
    count: "users" counts the people of an item, "events" its rows.
    keys: the items, if they are known in advance; all of them are shown.
    bins: public edges for a column of numbers or dates; for several columns, a mapping from column to edges.
    sum: a column of amounts to add up, of each person at most `bound` for an item, and none below 0.
    bound: the most that one person may contribute, items or events; "auto" chooses it privately, within epsilon.
    share: the part of epsilon that choosing the bound takes; by default 0.02 to 0.05.
    grid: the bounds to choose from, instead of all.
    mechanism: "clipped" for known items; "weighted", "thresholded" or "count-release" for unknown ones; "auto" knows
        which. "sample-threshold" adds no noise: it shows counts of a sample. "plume" and "plume-threshold" are
        baselines, to compare with.
    variant: of "count-release": "level" is the best, "rogers" the paper's; also "coarse" and "refined".
    kbar: of "count-release": among how many of the most common items others are found.
    first_epsilon, selection_delta: of variants of the paper: the epsilon of a selection in the first level, 0.0005 if
        nothing else is said; and of "rogers" the delta of every selection, 1e-11.
    rho: of "count-release": the budget as zCDP, instead of epsilon; delta is needed as well.
    p, theta: of "sample-threshold": the chance to be in the sample, and from which sampled count on an item is shown.
        If one is said, the other follows from epsilon and delta; if none, both do.
    rule: of "sample-threshold": "exact" is what it truly costs, "paper" the rule of the paper, which wastes most of it.
    debias: "ratio" or "poisson" undo what bounding took away, None leaves it; "auto" does what intervals can tell.
    people: for debias="poisson": how many people there are, if that is public; "count" pays for it.
    neighbours: whether a person's absence is hidden ("add-remove") or their replacement by another ("replace").
    dataset: what the dataset is called in the release and the ledger; by default the name of the file.
    ledger: where the cost is charged, a Ledger or its path. Asking the same again, of the same data, then returns the
        same release; of data that changed, it is refused.
    again: pay for a new draw of a request that was sealed before, or for one of data that changed.
    memory: the most that reading may take: "4GB", "512MB", or bytes. What does not fit is put aside on disk.
    spill: a folder for that, instead of the system's temporary one. In a private part of it, removed at the end.

    >>> import headcount as hc
    >>> r = hc.histogram(hc.example(), user="user", by="song", epsilon=1)
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
        sum=sum,
        bound=bound,
        share=share,
        grid=grid,
        mechanism=mechanism,
        variant=variant,
        kbar=kbar,
        first_epsilon=first_epsilon,
        selection_delta=selection_delta,
        rho=rho,
        p=p,
        theta=theta,
        rule=rule,
        debias=debias,
        people=people,
        neighbours=neighbours,
        dataset=dataset,
        memory=memory,
        spill=spill,
    )
    return made.release(ledger=opened(ledger), again=again)


def heavy_hitters(
    data: Any,
    *,
    user: str,
    by: str | Sequence[str],
    share: Number = 0.01,
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    people: int | str | None = None,
    bound: int | str = "auto",
    mechanism: Name = "auto",
    p: Number | None = None,
    theta: int | None = None,
    rule: Rule = "exact",
    neighbours: Neighbours = "add-remove",
    dataset: str | None = None,
    ledger: Ledger | str | Path | None = None,
    again: bool = False,
    memory: int | str | None = None,
    spill: str | PathLike[str] | None = None,
) -> Release:
    """The items that at least a part of all people have; a column tells of which of them that is certain.

    share: the part of all people: 0.01 is one in a hundred.
    people: how many people there are, if that is public; else they are counted, with 5% of epsilon.
    mechanism: by noise ("auto", or one by name), or by a sample ("sample-threshold").

    The other parameters are those of `histogram`.

    >>> import headcount as hc
    >>> r = hc.heavy_hitters(hc.example(), user="user", by="song", share=0.02, epsilon=1)
    >>> r.table.column_names
    ['song', 'count', 'low', 'high', 'certain']
    """
    made = plan(
        "heavy_hitters",
        data,
        user=user,
        by=by,
        share=share,
        epsilon=epsilon,
        delta=delta,
        people=people,
        bound=bound,
        mechanism=mechanism,
        p=p,
        theta=theta,
        rule=rule,
        neighbours=neighbours,
        dataset=dataset,
        memory=memory,
        spill=spill,
    )
    return made.release(ledger=opened(ledger), again=again)


def top(
    data: Any,
    *,
    user: str,
    by: str | Sequence[str],
    k: int = 20,
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    rho: Number | None = None,
    count: Literal["users", "none"] = "users",
    target_error: Number | None = None,
    variant: VariantName = "level",
    kbar: int = KBAR,
    neighbours: Neighbours = "add-remove",
    dataset: str | None = None,
    ledger: Ledger | str | Path | None = None,
    again: bool = False,
    memory: int | str | None = None,
    spill: str | PathLike[str] | None = None,
) -> Release:
    """The k most common items, with their counts or without. People may have as many items as they like.

    k: how many items are wanted. There may be fewer: a rare item is not shown.
    count: "users" tells how many people each item has, "none" the items alone, in order, which costs less.
    target_error: the part of a count by which most may be off, 0.1 if nothing else is said.
    rho: the budget as zCDP, instead of epsilon; delta is needed as well.
    kbar: among how many of the most common items the k are found.

    The other parameters are those of `histogram`.

    >>> import headcount as hc
    >>> r = hc.top(hc.example(), user="user", by="song", k=3, epsilon=1)
    >>> r.table.column_names
    ['song', 'count', 'low', 'high', 'deviation']
    """
    made = plan(
        "top",
        data,
        user=user,
        by=by,
        k=k,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        count=count,
        target_error=target_error,
        variant=variant,
        kbar=kbar,
        neighbours=neighbours,
        dataset=dataset,
        memory=memory,
        spill=spill,
    )
    return made.release(ledger=opened(ledger), again=again)


def profile(
    data: Any,
    *,
    user: str,
    by: str | Sequence[str],
    epsilon: Number | None = None,
    neighbours: Neighbours = "add-remove",
    dataset: str | None = None,
    ledger: Ledger | str | Path | None = None,
    again: bool = False,
    memory: int | str | None = None,
    spill: str | PathLike[str] | None = None,
) -> Release:
    """How much people contribute: so many have 1 item, so many 2, 3, 4 to 5, ...; the same for events. No delta is
    needed.

    The summary suggests a bound. The parameters are those of `histogram`; a small epsilon is enough, as it is charged.

    >>> import headcount as hc
    >>> r = hc.profile(hc.example(), user="user", by="song", epsilon=0.1)
    >>> r.table.column_names
    ['contributes', 'size', 'count', 'low', 'high']
    """
    made = plan(
        "profile",
        data,
        user=user,
        by=by,
        epsilon=epsilon,
        neighbours=neighbours,
        dataset=dataset,
        memory=memory,
        spill=spill,
    )
    return made.release(ledger=opened(ledger), again=again)


def total(
    data: Any,
    *,
    user: str,
    epsilon: Number | None = None,
    target_error: Number | None = None,
    where: Mapping[str, Any] | None = None,
    count: Count = "events",
    bound: int | str = "auto",
    share: Number | None = None,
    grid: Sequence[int] | None = None,
    debias: Debias = "auto",
    people: int | str | None = None,
    neighbours: Neighbours = "add-remove",
    dataset: str | None = None,
    ledger: Ledger | str | Path | None = None,
    again: bool = False,
    memory: int | str | None = None,
    spill: str | PathLike[str] | None = None,
) -> Release:
    """How many events, or people, there are in all, or of those that fulfil a condition. No delta is needed.

    where: what columns must be: {"country": "FR"}, {"plan": ["basic", "pro"]}, or {"age": (18, 65)}, ends included.
    debias: "poisson" undoes what clipping took away, if people's counts are Poisson; it needs to know how many people
        there are: people=100000 if that is public, people="count" to pay for it.

    The other parameters are those of `histogram`.

    >>> import headcount as hc
    >>> r = hc.total(hc.example(), user="user", epsilon=1, where={"song": "song 0001"}, bound=5)
    >>> r.table.column_names
    ['total', 'count', 'low', 'high']
    """
    made = plan(
        "total",
        data,
        user=user,
        epsilon=epsilon,
        target_error=target_error,
        where=where,
        count=count,
        bound=bound,
        share=share,
        grid=grid,
        debias=debias,
        people=people,
        neighbours=neighbours,
        dataset=dataset,
        memory=memory,
        spill=spill,
    )
    return made.release(ledger=opened(ledger), again=again)


def load(path: str | Path) -> Release:
    """A release that was saved as .parquet.

    >>> import headcount as hc, tempfile
    >>> r = hc.histogram(hc.example(), user="user", by="song", epsilon=1)
    >>> path = r.save(tempfile.mkdtemp() + "/songs.parquet")
    >>> hc.load(path).table.equals(r.table)
    True
    """
    return released(Release.load(path).content, fresh=False)
