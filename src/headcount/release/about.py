"""Metadata of a release, everything except its rows, and the Parquet bytes that hold both.

The bytes depend on the released values and on public parameters alone: no time, no number of rows read, no statistics.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import metadata
from math import ceil, copysign

import pyarrow as pa
import pyarrow.parquet as pq

from headcount.account.events import Event
from headcount.account.ledger.record.chain import canonical
from headcount.release.earlier import kinds_of
from headcount.wording.statement import Kind

KEY = b"headcount"
"""Key of the Parquet metadata that holds `About`."""
ESTIMANDS = ("", "true", "bounded", "modelled", "none")
"""What intervals may be for: `Estimand` in mechanism/mechanism.py; empty if that is not known."""
TRUE_COUNTS = "low and high are for the true counts."
NOT_BOUNDED = "none"
"""`About.chosen` if nobody is bounded, as a private profile showed that noise is smaller so."""
RANK = "rank"
"""Name of the value column of items without counts."""


@dataclass(frozen=True)
class About:
    """Metadata of a release: everything except its rows. Fields may be added, never changed or removed."""

    what: str
    """The question in a few words: people per word."""
    dataset: str
    by: tuple[str, ...]
    """The columns that make an item."""
    unit: str
    """The unit of the counts: people, or events."""
    epsilon: str
    delta: str
    """What was paid, exactly."""
    steps: tuple[str, ...]
    """Sentences: what was done, what the intervals mean, what is guaranteed."""
    proof: str
    plan: str
    """The plan as JSON; empty if there was none."""
    view: str
    """The kind of result, by the name of its `View`; empty for a histogram."""
    bound: int
    """The most that one person counted for, items or events."""
    chosen: str
    """How the bound was chosen; `NOT_BOUNDED` if it was chosen to bound nobody; empty if it was given."""
    events: str
    """The privacy events, as JSON."""
    order: tuple[str, ...]
    """The labels of bins in their own order, for the picture."""
    head: str
    """The ledger's head after the charge; empty without a ledger."""
    value: str = "count"
    """Name of the value column; `RANK` for items without counts."""
    measured: str = ""
    """Parameters of the uncertainty of a shape, as JSON; empty for other views."""
    estimand: str = ""
    """What low and high are an interval for, one of `ESTIMANDS`; empty in releases of version 0.9 and before."""
    interval: str = ""
    """`estimand` as a sentence, which stands above the numbers."""
    unseen: str = ""
    """What intervals cannot hold, as a sentence: a few people with far more than all others; empty if that is not
    known."""
    version: str = ""
    """The version of headcount that made the release; empty in releases of version 0.9 and before."""
    promise: str = ""
    """What was promised of a query that headcount did not check; empty for a table, and in releases of version 0.10 and
    before."""
    tail: str = ""
    """By column of values, as JSON: the part of itself by which a typical value may be too small, if a few people have
    far more than all others; less than 0 if it may be too large as well. Only of columns in which that part is large;
    empty if there is none."""
    kinds: tuple[str, ...] = ()
    """The kind of each step (`wording.statement.Kind`); empty in releases of version 0.10 and before."""

    def steps_of(self, *kinds: Kind) -> list[str]:
        """The steps of these kinds."""
        found = zip(self.kinds or kinds_of(self.steps), self.steps, strict=True)
        return [step for kind, step in found if kind in kinds]

    @property
    def guarantee(self) -> str:
        """The sentence that states the guarantee; empty if there is none."""
        return " ".join(self.steps_of("guarantee"))

    @property
    def too_small(self) -> dict[str, float]:
        """`tail` by column of values."""
        found: dict[str, float] = json.loads(self.tail or "{}")
        return found


@dataclass(frozen=True)
class Paid:
    """The privacy cost of a release."""

    epsilon: float
    delta: float
    events: tuple[Event, ...]
    """The privacy events that took place."""


@cache
def current_version() -> str:
    """The version that is running."""
    return metadata.version("headcount")


def pack(table: pa.Table, about: About) -> bytes:
    """Serialise a release: equal releases are equal bytes."""
    sink = pa.BufferOutputStream()
    marked = table.replace_schema_metadata({KEY: canonical(asdict(about)).encode()})
    pq.write_table(marked, sink, compression="zstd", write_statistics=False)
    return bytes(sink.getvalue())


def written_tail(parts: Mapping[str, float]) -> str:
    """`About.tail`: parts in hundredths, rounded away from 0."""
    return (
        canonical({name: copysign(ceil(100 * abs(part)) / 100, part) for name, part in parts.items()}) if parts else ""
    )


def check_packable(items: pa.Table) -> None:
    """Serialise the columns that are not text (which always can be) once before there is noise, so that packing cannot
    fail after noise was drawn: work that fails is repeated under its charge."""
    others = [name for name in items.column_names if not pa.types.is_string(items.schema.field(name).type)]
    pq.write_table(items.select(others), pa.BufferOutputStream(), compression="zstd", write_statistics=False)
