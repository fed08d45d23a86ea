"""Pan-private counter: its memory may be seized, once, at any moment, and it releases the shape of its counts, once.

Invariants:

- noise is in every count before the first event, and is never drawn again: not by `save`, not by `load`;
- `add` takes a batch as a whole or not at all, keeps nothing but the counts, and its errors repeat no item;
- what is released follows from counts that got fresh noise. It is drawn once: then the counter is closed for good, also
  where the buckets turn out to be too few. (After a seizure every further draw would cost epsilon again);
- privacy does not depend on the hash: every event changes one count, whatever the key.

Only one state may be seen: two of them, from two moments, reveal exactly what happened in between. So there must be no
old copy: save after every `add`, over the same file (docs/proofs/stream.md).
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, Self, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headcount.account.calibration.budget import budget
from headcount.account.events import Neighbours
from headcount.errors import BadParameter, HeadcountError
from headcount.estimate.shape.table import Estimator, Loss, of_buckets
from headcount.exact import Integers, Number, one_of
from headcount.federated.single import Single
from headcount.noise import Entropy, SystemEntropy
from headcount.release.files import write
from headcount.release.shape import Shape, shape_release
from headcount.source.files.regular import check_regular
from headcount.source.scales.buckets import TEXT, buckets_of, item_text
from headcount.stream.state import Settings, State, pack, unpack
from headcount.wording import wrapped

KINDS = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_integer,
    pa.types.is_boolean,
    pa.types.is_date,
    pa.types.is_timestamp,
)

_SYSTEM = SystemEntropy()


class Refused(HeadcountError):
    """An event that a counter rejects: its item is unknown, it comes after the end, or the buckets are too few."""


class Counter(Single):
    """Count a stream of events, privately at every moment.

    domain: the public list of all items (text, whole numbers, true and false, days and moments); or
    buckets: the number of buckets that items are hashed into, if they are not known: 4 for each expected item.
    epsilon: what is promised to one event: to its presence (neighbours="add-remove"), or to its item ("replace").

    >>> counter = Counter(buckets=1000, epsilon=1)
    >>> counter.add(["apple", "pear", "apple"])
    >>> Counter.load(counter.state()).state() == counter.state()
    True
    """

    __slots__ = ("_domain", "_entropy", "_lock", "_state")

    def __init__(
        self,
        domain: Any = None,
        buckets: int | None = None,
        *,
        epsilon: Number,
        neighbours: Neighbours = "add-remove",
        entropy: Entropy = _SYSTEM,
    ) -> None:
        settings = _settings(domain, buckets, epsilon, neighbours, entropy)
        self._set_state(State(settings, entropy.draw(settings.distribution, settings.cells), closed=False), entropy)

    def _set_state(self, state: State, entropy: Entropy) -> None:
        self._state = state
        self._entropy = entropy
        self._domain = pa.array(state.settings.domain or (), TEXT)
        self._lock = Lock()

    @property
    def settings(self) -> Settings:
        """The settings: items or buckets, epsilon, neighbours."""
        return self._state.settings

    @property
    def closed(self) -> bool:
        """True once the shape was released: then nothing is counted any more."""
        return self._state.closed

    def explain(self) -> str:
        """Explain the counter step by step, with its guarantee."""
        return "\n".join(wrapped(step, f"{number}. ") for number, step in enumerate(self.settings.steps, 1))

    def __repr__(self) -> str:
        kind = "buckets" if self.settings.hashed else "items"
        return f"Counter({self.settings.cells:,} {kind}, {'closed' if self.closed else 'open'})"

    def __str__(self) -> str:
        return f"{self!r}. {self.settings.promise}"

    def add(self, items: Any) -> None:
        """Count these events, one for each item of a list or array: all of them, or none if one is refused."""
        cells = self._cells(_texts("items", items))
        with self._lock:
            if self.closed:
                raise Refused("This counter is closed: its shape was released.", fix="a new counter")
            np.add.at(self._state.counts, cells, 1)

    def _cells(self, items: pa.Array) -> Integers:
        """Index of each item's count."""
        if self.settings.hashed:
            return buckets_of(pa.table({"item": items}), self.settings.key, self.settings.cells)
        indices = pc.index_in(items, value_set=self._domain)
        if indices.null_count:
            raise Refused("items: one is not in the domain. Nothing was counted.", fix="leave out what is not in it")
        return np.from_dlpack(indices).astype(np.int64)

    def state(self) -> bytes:
        """Serialise all that this counter holds. Seeing it, once, costs the promised epsilon."""
        with self._lock:
            return pack(self._state)

    def save(self, path: str | Path) -> Path:
        """Write the state to a file, atomically, in place of what was there."""
        return write(path, self.state(), mode=0o600)

    @classmethod
    def load(
        cls,
        state: str | Path | bytes,
        *,
        domain: Any = None,
        buckets: int | None = None,
        epsilon: Number | None = None,
        neighbours: Neighbours | None = None,
        entropy: Entropy = _SYSTEM,
    ) -> Self:
        """Restore a counter from a file or from the bytes of its state, to continue counting. The settings are part of
        the state: those that are given here are compared."""
        kept = unpack(state if isinstance(state, bytes) else _content(state))
        _check_same(kept.settings, domain, buckets, epsilon, neighbours)
        counter = cls.__new__(cls)
        counter._set_state(kept, entropy)
        return counter

    def close(self) -> None:
        """Add the fresh noise, once, and stop counting. What this counter holds from now on may be published."""
        with self._lock:
            if not self.closed:
                fresh = self._entropy.draw(self.settings.distribution, self.settings.cells)
                self._state = replace(self._state, counts=self._state.counts + fresh, closed=True)

    def shape(self, *, estimator: Estimator = "em", loss: Loss = "l1") -> Shape:
        """Release how many items have how many events, as of a table (`headcount.shape`). Closes the counter; another
        call returns the same.

        The estimator is the most likely shape ("em"), or that of Ghazi et al. 2022; the loss is what it keeps small."""
        one_of("estimator", estimator, get_args(Estimator))
        one_of("loss", loss, get_args(Loss))
        self.close()
        settings, counts, scale = self.settings, self._state.counts, float(self.settings.distribution.scale)
        estimate = of_buckets(
            counts, [(scale, 1.0), (scale, 1.0)], hashed=settings.hashed, estimator=estimator, loss=loss
        )
        return shape_release(estimate, **settings.about)


def _texts(name: str, items: Any) -> pa.Array:
    """Convert items to text. No error repeats an item."""
    column = items if isinstance(items, pa.Array | pa.ChunkedArray) else _column(items)
    if column is not None and not len(column):
        return pa.array((), TEXT)
    if column is None or column.null_count or not any(is_kind(_inside(column.type)) for is_kind in KINDS):
        raise BadParameter(
            f"{name}: a list of items of one kind is needed: text, whole numbers, true and false, days or moments; "
            "none of them missing.",
            fix=f'{name}=["apple", "pear"]',
        )
    known = item_text(column)
    return known.combine_chunks() if isinstance(known, pa.ChunkedArray) else known


def _column(items: Any) -> pa.Array | None:
    """Convert a list or array to Arrow; None if that is impossible. A dict would lose its counts."""
    try:
        return None if isinstance(items, str | bytes | Mapping) else pa.array(items)
    except (pa.ArrowException, TypeError, ValueError, OverflowError, KeyError):
        return None


def _inside(kind: pa.DataType) -> pa.DataType:
    """Value type of a dictionary-encoded column, else the type itself."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _settings(domain: Any, buckets: int | None, epsilon: Number, neighbours: Neighbours, entropy: Entropy) -> Settings:
    if (domain is None) == (buckets is None):
        raise BadParameter(
            "domain, buckets: one of them.", fix='domain=["apple", "pear"] if all items are known, else buckets=100_000'
        )
    typed = budget(epsilon, 0).epsilon
    if buckets is not None:
        return Settings(buckets, None, typed, neighbours, entropy.secret())
    known = tuple(_texts("domain", domain).to_pylist())
    return Settings(len(known), known, typed, neighbours, b"")


def _check_same(
    kept: Settings, domain: Any, buckets: int | None, epsilon: Number | None, neighbours: Neighbours | None
) -> None:
    """Raise if the state has other settings than those given."""
    settings = {
        "domain": (None if domain is None else tuple(_texts("domain", domain).to_pylist()), kept.domain),
        "buckets": (buckets, kept.cells if kept.hashed else None),
        "epsilon": (None if epsilon is None else budget(epsilon, 0).epsilon, kept.epsilon),
        "neighbours": (neighbours, kept.neighbours),
    }
    for name, (given, stored) in settings.items():
        if given is not None and given != stored:
            raise BadParameter(f"{name}: the state has another one.", fix=f"load(state), or a new counter with {name}")


def _content(path: str | Path) -> bytes:
    try:
        check_regular(path)
        return Path(path).read_bytes()
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise BadParameter(f"{path!r:.200}: cannot be read ({reason}).", fix="what counter.save(path) wrote") from None
