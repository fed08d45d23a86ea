"""The front door for the distribution that people draw from."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.exact import Number
from headcount.mechanism.distribution.strategy import Method
from headcount.plans import opened, plan
from headcount.question import Sizes
from headcount.release import Release


def distribution(
    data: Any,
    *,
    user: str,
    by: str | Sequence[str],
    keys: Sequence[Any] | None = None,
    bins: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    bound: int | str = "auto",
    people: int | None = None,
    sizes: Sizes = "private",
    mechanism: Method = "auto",
    share: Number | None = None,
    neighbours: Neighbours = "add-remove",
    dataset: str | None = None,
    ledger: Ledger | str | Path | None = None,
    again: bool = False,
    memory: int | str | None = None,
    spill: str | PathLike[str] | None = None,
) -> Release:
    """Which part of what people do falls to each item of a public list, if everybody draws from one distribution: each
    row is a sample. The more samples people have, the less noise there is.

    keys: the items; what else is in the table is left out. Or `bins`.
    bound: how many samples of a person count; "auto" chooses it privately, with 4% of epsilon.
    people: how many people have at least `bound` samples, if that is public: then the mechanism is chosen beforehand.
    sizes: "public" if everybody may know how many samples each person has; with neighbours="replace".
    mechanism: "auto" takes the one that is predicted to be least off. "recentred" compares people with the distribution
        in rounds. "laplace", "gaussian" and "sample-one" add noise to counts. "ks", "hypothesis-selection" and "sparse"
        choose a binomial law for each item (Liu et al. 2020, corrected), of people who have `bound` samples.
    share: the part of epsilon for choosing the bound.

    The other parameters are those of `histogram`. If people draw from different distributions, the guarantee stands;
    what is told is about their mean, and people who are unlike all others count for less.

    >>> import headcount as hc
    >>> songs = [f"song {number:04d}" for number in range(1, 101)]
    >>> d = hc.distribution(hc.example(), user="user", by="song", keys=songs, epsilon=1)
    >>> d.table.column_names
    ['song', 'share', 'low', 'high']
    """
    made = plan(
        "distribution",
        data,
        user=user,
        by=by,
        keys=keys,
        bins=bins,
        epsilon=epsilon,
        delta=delta,
        bound=bound,
        people=people,
        sizes=sizes,
        mechanism=mechanism,
        share=share,
        neighbours=neighbours,
        dataset=dataset,
        memory=memory,
        spill=spill,
    )
    return made.release(ledger=opened(ledger), again=again)
