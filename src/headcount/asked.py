"""The question as typed, checked as far as it can be without the table.

Every mistake of a user surfaces here or against the schema, before any row is read; each message ends with what to
write instead.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np

from headcount.account.events import Neighbours
from headcount.agreement import SQUARES, check
from headcount.asked_sample import one_of, sampling
from headcount.bound.selection.profile import edges
from headcount.errors import BadParameter
from headcount.exact import Number, positive, rational, whole
from headcount.mechanism.sampled.sample_threshold import Rule
from headcount.mechanism.topk.levels import KBAR, VariantName
from headcount.mechanism.wish import NAMES, PLUMES, Name
from headcount.question import Count, Debias, Key, Question
from headcount.source.binning import Edge, bins_of
from headcount.source.cells import text_of
from headcount.source.contributions import LARGEST_AMOUNT, LARGEST_COUNT
from headcount.source.views import SIZE, WHAT, conditions

MOST_PEOPLE = 10**12
MOST_LISTED = 10**7
RESERVED = ("count", "sum", "rank", "low", "high", "deviation")
PROFILE_EDGES = (*edges(4 * LARGEST_COUNT), 2**52)
"""The bins of a profile."""


def question(
    *,
    user: str,
    by: str | Sequence[str],
    count: Count = "users",
    keys: Sequence[Any] | None = None,
    bins: Iterable[Any] | Mapping[str, Iterable[Any]] | None = None,
    bound: int | str = "auto",
    share: Number | None = None,
    grid: Sequence[int] | None = None,
    mechanism: Name = "auto",
    debias: Debias = "auto",
    people: int | str | None = None,
    neighbours: Neighbours = "add-remove",
    sum: str | None = None,  # noqa: A002
    target_error: Number | None = None,
    variant: VariantName = "level",
    kbar: int = KBAR,
    first_epsilon: Number | None = None,
    selection_delta: Number | None = None,
    p: Number | None = None,
    theta: int | None = None,
    rule: Rule = "exact",
) -> Question:
    """The question as typed, checked."""
    columns = _columns(user, by)
    asked = Question(
        user=user,
        by=columns,
        count=one_of("count", count, get_args(Count)),
        keys=None if keys is None else _keys(keys),
        bins=_bins(bins, columns),
        bound=bound_of(bound, LARGEST_AMOUNT if sum else LARGEST_COUNT),
        share=None if share is None else share_of(share),
        grid=None if grid is None else _grid(grid),
        mechanism=one_of("mechanism", mechanism, get_args(Name)),
        debias=None if debias is None else one_of("debias", debias, ("auto", "ratio", "poisson"), "debias=None"),
        people=people_of(people),
        neighbours=one_of("neighbours", neighbours, get_args(Neighbours)),
        sum=_sum(sum, user, columns) if sum else "",
        target_error=None if target_error is None else _target(target_error),
        variant=one_of("variant", variant, get_args(VariantName)),
        kbar=_kbar(kbar),
        first_epsilon=_positive_or_none("first_epsilon", first_epsilon, "0.0005"),
        selection_delta=_positive_or_none("selection_delta", selection_delta, "1e-11"),
        **sampling(p, theta, rule),
    )
    check(asked)
    return asked


def top_question(
    *,
    user: str,
    by: str | Sequence[str],
    k: int = 20,
    count: Literal["users", "none"] = "users",
    target_error: Number | None = None,
    variant: VariantName = "level",
    kbar: int = KBAR,
    neighbours: Neighbours = "add-remove",
) -> Question:
    """The k most common items, with their counts or without."""
    asked = question(
        user=user,
        by=by,
        mechanism="count-release",
        neighbours=neighbours,
        target_error=target_error,
        variant=variant,
        kbar=kbar,
    )
    wanted = whole("k", k, least=1, fix="k=20")
    if wanted > asked.kbar:
        raise BadParameter(
            f"k={k}, kbar={kbar}: of so many candidates there are not so many to find.",
            fix=f"kbar={10 * wanted}" if 10 * wanted <= MOST_LISTED else "k=20",
        )
    told = one_of("count", count, ("users", "none")) == "users"
    if not told and target_error is not None:
        raise BadParameter(f'target_error={target_error} with count="none": no counts are told.', fix='count="users"')
    return replace(asked, k=wanted, told=told)


def heavy_question(
    *,
    user: str,
    by: str | Sequence[str],
    share: Number = Fraction(1, 100),
    people: int | str | None = None,
    bound: int | str = "auto",
    mechanism: Name = "auto",
    p: Number | None = None,
    theta: int | None = None,
    rule: Rule = "exact",
    neighbours: Neighbours = "add-remove",
) -> Question:
    """The items that at least so large a part of all people have."""
    kinds = [name for name in get_args(Name) if name not in ("clipped", *PLUMES)]
    asked = question(
        user=user,
        by=by,
        bound=bound,
        mechanism="weighted" if mechanism == bound == "auto" else one_of("mechanism", mechanism, kinds),
        neighbours=neighbours,
        p=p,
        theta=theta,
        rule=rule,
    )
    part = rational("share", share, fix="share=0.01")
    if not 0 < part < 1:
        raise BadParameter(
            f"share={share!r}: a part of all people, more than none and less than all.", fix="share=0.01"
        )
    return replace(asked, heavy=part, people=people_of(people) or "count")


def profile_question(*, user: str, by: str | Sequence[str], neighbours: Neighbours = "add-remove") -> Question:
    """How many people contribute how many items, and how many events: a person is in one bin of each."""
    return Question(
        user=user,
        by=(WHAT, SIZE),
        bins=((SIZE, PROFILE_EDGES),),
        bound=2,
        neighbours=one_of("neighbours", neighbours, get_args(Neighbours)),
        view="profile",
        of=_columns(user, by),
    )


def total_question(
    *,
    user: str,
    where: Mapping[str, Any] | None = None,
    count: Count = "events",
    bound: int | str = "auto",
    share: Number | None = None,
    grid: Sequence[int] | None = None,
    debias: Debias = "auto",
    people: int | str | None = None,
    neighbours: Neighbours = "add-remove",
) -> Question:
    """How many events, or people, there are in all, or that fulfil a condition: one item, which is known."""
    told = conditions(where)
    if bound in SQUARES:
        raise BadParameter(f'bound="{bound}" is for a histogram.', fix='bound="auto", or bound="quantile"')
    if debias == "poisson" and count == "users":
        raise BadParameter('debias="poisson" is for events.', fix='count="events", or debias="auto"')
    one = question(
        user=user,
        by="total" if user != "total" else "all",
        count=count,
        keys=["all"],
        bound=1 if count == "users" and bound == "auto" else bound,
        share=share,
        grid=grid,
        debias=debias,
        people=people,
        neighbours=neighbours,
    )
    return replace(one, keys=None, view="total", of=tuple(name for name, _, _ in told), where=told)


def _columns(user: str, by: str | Sequence[str]) -> tuple[str, ...]:
    columns = tuple(by) if isinstance(by, tuple | list) else (by,)
    if not columns or not all(isinstance(column, str) for column in (user, *columns)):
        raise BadParameter(f"user={user!r}, by={by!r}: names of columns.", fix='user="user_id", by="word"')
    if user in columns:
        raise BadParameter(
            f"user={user!r} and by={by!r} are the same column: every person would be an item.",
            fix=f'user={user!r}, by="word"',
        )
    if len(set(columns)) < len(columns):
        raise BadParameter(f"by={list(columns)!r}: a column stands there twice.", fix='by=["city", "year"]')
    if taken := [column for column in columns if column in RESERVED]:
        raise BadParameter(
            f"by={taken[0]!r}: the release has a column of that name.", fix="give the column another name"
        )
    return columns


def _sum(column: Any, user: str, by: tuple[str, ...]) -> str:
    if not isinstance(column, str):
        raise BadParameter(f"sum={column!r:.60}: the name of a column of numbers.", fix='sum="price"')
    if column in (user, *by):
        raise BadParameter(f"sum={column!r}: a column that makes the person or the item.", fix='sum="price"')
    return column


def _target(target: Number) -> Fraction:
    wanted = rational("target_error", target, fix="target_error=0.1")
    if not 0 < wanted <= 1:
        raise BadParameter(
            f"target_error={target!r}: the part of a count by which it may be off, more than 0 and at most 1.",
            fix="target_error=0.1",
        )
    return wanted


def _kbar(kbar: int) -> int:
    listed = whole("kbar", kbar, least=1, fix=f"kbar={KBAR}, the most common items to find some among")
    if listed > MOST_LISTED:
        raise BadParameter(f"kbar={kbar}: at most {MOST_LISTED:,}.", fix=f"kbar={KBAR}")
    return listed


def _positive_or_none(name: str, value: Number | None, usual: str) -> Fraction | None:
    return None if value is None else positive(name, value, fix=f"{name}={usual}")


def bound_of(bound: int | str, largest: int) -> int | str:
    """The bound as typed, checked."""
    if isinstance(bound, str):
        if bound not in NAMES:
            raise BadParameter(
                f"bound={bound!r}: neither a number nor a name.",
                fix=f'bound=20, or bound="auto" (or one of {", ".join(NAMES[1:])})',
            )
        return bound
    allowed = whole("bound", bound, least=1, fix='bound=20, the most that one person may contribute, or bound="auto"')
    if allowed > largest:
        raise BadParameter(f"bound={bound}: at most {largest:,}.", fix='bound=20, or bound="auto"')
    return allowed


def share_of(share: Number) -> Fraction:
    """The part of epsilon as typed, checked."""
    part = rational("share", share, fix="share=0.05")
    if not 0 < part < 1:
        raise BadParameter(
            f"share={share!r}: choosing the bound takes a part of epsilon, more than none and less than all.",
            fix="share=0.05",
        )
    return part


def _grid(grid: Any) -> tuple[int, ...]:
    fix = "grid=[1, 2, 5, 10, 20], the bounds to choose from"
    if isinstance(grid, str) or not hasattr(grid, "__iter__"):
        raise BadParameter(f"grid={grid!r:.60}: a list of bounds.", fix=fix)
    bounds = tuple(whole("grid", each, least=1, fix=fix) for each in grid)
    if not bounds or list(bounds) != sorted(set(bounds)) or bounds[-1] > LARGEST_COUNT:
        raise BadParameter(f"grid={list(bounds)!r:.60}: at least one bound, rising, up to {LARGEST_COUNT:,}.", fix=fix)
    return bounds


def people_of(people: Any) -> int | str | None:
    """How many people there are, as typed, checked."""
    if people is None:
        return None
    if people == "count":
        return "count"
    there = whole("people", people, least=1, fix='people=100000 if that is public, or people="count" to pay for it')
    if there > MOST_PEOPLE:
        raise BadParameter(f"people={people}: at most {MOST_PEOPLE:,}.", fix="people=100000")
    return there


def _keys(keys: Sequence[Any]) -> tuple[tuple[Key, ...], ...]:
    rows = tuple(tuple(map(_part, key)) if isinstance(key, tuple | list) else (_part(key),) for key in _list(keys))
    if not rows:
        raise BadParameter("keys=[]: a list of known items has at least one.", fix='keys=["apple", "pear"], or no keys')
    return rows


def _list(keys: Any) -> list[Any]:
    if isinstance(keys, str | Mapping) or hasattr(keys, "columns") or not hasattr(keys, "__iter__"):
        raise BadParameter(
            f"keys={keys!r:.60}: a list of items." if isinstance(keys, str) else "keys: a list of items.",
            fix='keys=["apple", "pear"]',
        )
    return list(keys)


def _part(value: Any) -> Any:
    """A part of a key as it is kept: moments as cells of pandas are read, and other readers read that too."""
    moment = isinstance(value, datetime | np.datetime64)
    return text_of(value) if moment else _plain(value)


def _plain(value: Any) -> Any:
    """A public value as it is kept: NumPy's numbers as Python's, dates as ISO text."""
    if isinstance(value, np.datetime64):  # of nanoseconds, it would be a number
        value = value.astype("datetime64[us]")
    value = value.item() if hasattr(value, "item") else value
    return value.isoformat() if isinstance(value, date) else value


def _bins(
    bins: Iterable[Any] | Mapping[str, Iterable[Any]] | None, by: tuple[str, ...]
) -> tuple[tuple[str, tuple[Edge, ...]], ...]:
    if bins is None:
        return ()
    if not isinstance(bins, Mapping):
        if len(by) > 1:
            raise BadParameter("bins: which column?", fix=f"bins={{{by[0]!r}: [0, 10, 100]}}")
        bins = {by[0]: bins}
    if strange := [column for column in bins if column not in by]:
        raise BadParameter(f"bins: {strange[0]!r} is not a column of by.", fix=f"bins={{{by[0]!r}: [0, 10, 100]}}")
    return tuple((column, _edges(bins[column])) for column in by if column in bins)


def _edges(edges: Any) -> tuple[Edge, ...]:
    if isinstance(edges, str) or not hasattr(edges, "__iter__"):
        raise BadParameter(f"bins={edges!r:.60}: a list of edges.", fix="bins=[0, 10, 100]")
    plain = tuple(_plain(edge) for edge in edges)
    bins_of(plain)
    return plain
