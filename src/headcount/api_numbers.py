"""The front door for numbers on a scale: quantiles and ranges."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.asked_numbers import DECILES
from headcount.exact import Number
from headcount.mechanism.ordered.strategy import How
from headcount.mechanism.sampled.sample_threshold import Rule
from headcount.plans import opened, plan
from headcount.release import Release
from headcount.source.axis import CELLS


def quantiles(
    data: Any,
    *,
    user: str,
    value: str,
    q: Number | Sequence[Number] = DECILES,
    range: tuple[Number, Number] | None = None,  # noqa: A002
    edges: Sequence[Number] | None = None,
    cells: int = CELLS,
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    target_error: Number | None = None,
    bound: int | str = "auto",
    share: Number | None = None,
    mechanism: How = "auto",
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
    """Below which value there is so large a part of all rows: of q=0.5, the median.

    value: a column of numbers.
    q: the parts, between 0 and 1; by default all tenths.
    range: the lowest and the highest value that can be, which are public; what is below or above counts as these.
    edges: instead of a range: public edges of cells, for values that are much denser in some places.
    cells: how many cells of one width a range is cut into.
    target_error: instead of epsilon: 19 of 20 quantiles are to be off by at most so many ranks.
    bound: how many rows of one person count in full; with bound=1 everybody counts once, however many rows they have.
    share: the part of epsilon that choosing the bound takes.
    mechanism: "tree" (the same as "auto"): noise on a tree of counts. "search": halving, for one quantile or two.
        "sample-threshold" and "sample-search" are the same without noise, by samples.
    p, theta, rule: of a sample, as of `histogram`.

    The other parameters are those of `histogram`.

    >>> import headcount as hc, pyarrow as pa
    >>> visits = pa.table({"user": range(10_000), "minutes": [number % 60 for number in range(10_000)]})
    >>> r = hc.quantiles(visits, user="user", value="minutes", q=[0.1, 0.5, 0.9], range=(0, 60), epsilon=1)
    >>> r.table.column_names
    ['q', 'value', 'low', 'high']
    """
    made = plan(
        "quantiles",
        data,
        user=user,
        value=value,
        q=q,
        range=range,
        edges=edges,
        cells=cells,
        epsilon=epsilon,
        delta=delta,
        target_error=target_error,
        bound=bound,
        share=share,
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


def ranges(
    data: Any,
    *,
    user: str,
    value: str,
    ranges: Sequence[tuple[Number, Number]],
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    target_error: Number | None = None,
    bound: int | str = "auto",
    share: Number | None = None,
    mechanism: How = "auto",
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
    """How many rows have a value in each range.

    ranges: pairs of numbers, which may overlap. A range goes from the first up to, but without, the second.

    The other parameters are those of `quantiles`.

    >>> import headcount as hc, pyarrow as pa
    >>> visits = pa.table({"user": range(10_000), "minutes": [number % 60 for number in range(10_000)]})
    >>> r = hc.ranges(visits, user="user", value="minutes", ranges=[(0, 10), (10, 60)], epsilon=1)
    >>> r.table.column_names
    ['from', 'to', 'count', 'low', 'high']
    """
    made = plan(
        "ranges",
        data,
        user=user,
        value=value,
        ranges=ranges,
        epsilon=epsilon,
        delta=delta,
        target_error=target_error,
        bound=bound,
        share=share,
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
