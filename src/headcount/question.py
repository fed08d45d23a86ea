"""What is asked of a table: frozen data, checked as far as it can be without the table, and against its schema.

Every mistake of a user surfaces here, before any row is read; each message ends with what to write instead.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import product
from typing import Any, Literal, get_args

import pyarrow as pa
from ibis.expr import datatypes as dt

from headcount.account.events import Neighbours
from headcount.errors import BadParameter
from headcount.exact import whole
from headcount.source.binning import Bins, Edge, bins_of
from headcount.source.contributions import LARGEST_COUNT, check_keys, check_kinds, item_names

Count = Literal["users", "events"]
Name = Literal["auto", "clipped", "thresholded"]
Key = str | int | bool
RESERVED = ("count", "low", "high")


@dataclass(frozen=True)
class Question:
    """How many people, or events, for each item."""

    user: str
    """The column that tells people apart."""
    by: tuple[str, ...]
    """The columns that make an item."""
    count: Count = "users"
    keys: tuple[tuple[Key, ...], ...] | None = None
    """The public items, if they are known in advance."""
    bins: tuple[tuple[str, tuple[Edge, ...]], ...] = ()
    """Public edges, for columns of numbers and dates."""
    bound: int = 1
    """The most that one person may contribute: items, or events."""
    mechanism: Name = "auto"
    neighbours: Neighbours = "add-remove"

    @property
    def item(self) -> str:
        """What an item is called."""
        return " and ".join(self.by)

    @property
    def unit(self) -> str:
        """What is counted."""
        return "people" if self.count == "users" else "events"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        return (self.user, *self.by)

    @property
    def known(self) -> bool:
        """Whether the items are known in advance: as keys, or as bins of every column."""
        return self.keys is not None or len(self.bins) == len(self.by)

    def cut(self) -> dict[str, Bins]:
        """The bins of each column that has some."""
        return {column: bins_of(edges) for column, edges in self.bins}

    def check(self, columns: Mapping[str, dt.DataType]) -> None:
        """Against the schema."""
        check_kinds(columns, self.user, self.by, self.cut())
        self.domain(columns)

    def domain(self, columns: Mapping[str, dt.DataType]) -> pa.Table | None:
        """The public items as the engine sees them: item0, item1, ...; None if they are not known."""
        if self.keys is not None:
            return check_keys(self.keys, self.by, columns)
        return _every_bin(list(self.cut().values())) if self.known else None


def _every_bin(bins: Sequence[Bins]) -> pa.Table:
    """Every combination of bins, by number."""
    rows = list(product(*(range(len(each.labels)) for each in bins)))
    arrays = [pa.array(column, pa.int64()) for column in zip(*rows, strict=True)]
    return pa.table(dict(zip(item_names(len(bins)), arrays, strict=True)))


def question(
    *,
    user: str,
    by: str | Sequence[str],
    count: Count,
    keys: Sequence[Any] | None,
    bins: Iterable[Any] | Mapping[str, Iterable[Any]] | None,
    bound: int | str,
    mechanism: Name,
    neighbours: Neighbours,
) -> Question:
    """The question as typed, checked."""
    columns = _columns(user, by)
    asked = Question(
        user=user,
        by=columns,
        count=_one_of("count", count, get_args(Count)),
        keys=None if keys is None else _keys(keys),
        bins=_bins(bins, columns),
        bound=_bound(bound),
        mechanism=_one_of("mechanism", mechanism, get_args(Name)),
        neighbours=_one_of("neighbours", neighbours, get_args(Neighbours)),
    )
    _check_domain(asked)
    return asked


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


def _one_of(name: str, value: Any, known: Sequence[str]) -> Any:
    if value not in known:
        raise BadParameter(f"{name}={value!r}: unknown.", fix=" or ".join(f'{name}="{each}"' for each in known))
    return value


def _bound(bound: int | str) -> int:
    if bound == "auto":
        raise BadParameter(
            'bound="auto": headcount cannot choose a bound yet.',
            fix="bound=20, the most that one person may contribute; a number that you know without looking at the data",
        )
    allowed = whole("bound", bound, least=1, fix="bound=20, the most that one person may contribute")  # type: ignore[arg-type]
    if allowed > LARGEST_COUNT:
        raise BadParameter(f"bound={bound}: at most {LARGEST_COUNT:,}.", fix="bound=20")
    return allowed


def _keys(keys: Sequence[Any]) -> tuple[tuple[Key, ...], ...]:
    rows = tuple(tuple(map(_plain, key)) if isinstance(key, tuple | list) else (_plain(key),) for key in _list(keys))
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


def _plain(value: Any) -> Any:
    """A public value as it is kept: NumPy's numbers as Python's, dates as ISO text."""
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


def _check_domain(asked: Question) -> None:
    if asked.keys is not None and asked.bins:
        raise BadParameter("keys and bins: only one of them.", fix="bins=[0, 10, 100] makes the list of items itself")
    if asked.mechanism == "clipped" and not asked.known:
        raise BadParameter(
            'mechanism="clipped" is for items known in advance.',
            fix='keys=["apple", "pear"], or mechanism="thresholded"',
        )
    if asked.mechanism == "thresholded" and asked.known:
        raise BadParameter(
            'mechanism="thresholded" is for items not known in advance.', fix='no keys and bins, or mechanism="clipped"'
        )
