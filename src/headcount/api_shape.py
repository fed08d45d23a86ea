"""The front door for a histogram without its labels."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.exact import Number
from headcount.mechanism.shape.strategy import Way
from headcount.plans import opened, plan
from headcount.question import Estimator, Loss
from headcount.release import Shape


def shape(
    data: Any,
    *,
    user: str,
    by: str | Sequence[str],
    epsilon: Number | None = None,
    target_error: Number | None = None,
    bound: int = 1,
    keys: Sequence[Any] | None = None,
    bins: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    loss: Loss = "l1",
    mechanism: Way = "auto",
    estimator: Estimator = "em",
    buckets: int | None = None,
    people: int | None = None,
    neighbours: Neighbours = "add-remove",
    dataset: str | None = None,
    ledger: Ledger | str | Path | None = None,
    again: bool = False,
    memory: int | str | None = None,
    spill: str | PathLike[str] | None = None,
) -> Shape:
    """How many items have how many people, without naming an item; and what follows from it: how many different items
    there are, how evenly people are spread over them, how many more there would be among more people.

    bound: the most items of one person that count. With more than one, everything gets as much more noise.
    target_error: instead of epsilon: 19 of 20 numbers of the measured staircase are to be off by at most this much.
    loss: what is to be small: "l1", the differences of all counts; or "l2", their squares.
    mechanism: "staircase" (the same as "auto"): noise on the sorted counts. "buckets": noise on the count of every item
        of a public list, or of every bucket that items are hashed into: what also works where nobody sees all counts.
    estimator: of buckets: "em", the most likely shape; or "paper", that of Ghazi et al. 2022.
    buckets: of buckets: how many; by default 2 for each contribution.
    people: how many people there are, if that is public: else 2% of epsilon go to count what they contribute.

    No delta is needed. The other parameters are those of `histogram`.

    >>> import headcount as hc
    >>> s = hc.shape(hc.example(), user="user", by="song", epsilon=1)
    >>> s.table.column_names
    ['count', 'low', 'high', 'items', 'at_least', 'at_least_low', 'at_least_high']
    """
    made = plan(
        "shape",
        data,
        user=user,
        by=by,
        epsilon=epsilon,
        target_error=target_error,
        bound=bound,
        keys=keys,
        bins=bins,
        loss=loss,
        mechanism=mechanism,
        estimator=estimator,
        buckets=buckets,
        people=people,
        neighbours=neighbours,
        dataset=dataset,
        memory=memory,
        spill=spill,
    )
    release = made.release(ledger=opened(ledger), again=again)
    assert isinstance(release, Shape)
    return release
