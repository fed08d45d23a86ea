"""The protocol of an engine: where a table's rows are read, grouped and bounded.

An engine is a stateless object; its methods take an Ibis table or, before there is one, the engine's native frame.
Capabilities are attributes of the class. Nothing outside this folder asks which engine it is: it asks what the engine
can do.

Invariants of every engine:
- `table` returns text that compares byte by byte and timestamps in UTC, whatever the user's settings are; else one
  person's spelling could name everybody's item. An engine that cannot do this leaves `byte_exact` False and is refused.
- `check` and `types` read no row: whatever can be refused is refused by the schema.
- Nothing that an engine computes depends on chance: repeated work on the same table gives the same result. Counts and
  whole numbers do not depend on partitions or on the order of rows either, and are those of every other engine
  (tests/conformance). Sums of floating-point numbers (norms of a person's amounts on Spark) are rounded in the order in
  which the engine adds them up; the proof of groups allows for any order (docs/proofs/groups.md).
- No row makes a query fail: a cast gives NULL where there is nothing that it could give, and arithmetic on rows stays
  within its type. What engines compute differently is a method below (*Values*): the rest of the package calls these,
  and otherwise operations of Ibis that mean the same on every engine (tests/conformance). They are listed, and tried
  before a charge, in contract.py.
- Materialised tables, memtables and running queries are gone when their block ends, however it ends.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from secrets import token_hex
from typing import Any, ClassVar

import pyarrow as pa

from headcount.errors import BadParameter, UnknownColumn
from headcount.source.engines.limits import MOST, Limits
from headcount.source.expressions import dt, ibis, ir, ops
from headcount.source.queries.step import Step


class Engine(ABC):
    """An engine that holds tables."""

    name: ClassVar[str]
    """Name in the registry and on the command line: --engine spark."""
    ibis_name: ClassVar[str]
    """Name of the backend in Ibis: pyspark."""
    title: ClassVar[str]
    """Name in sentences: Spark."""

    byte_exact: ClassVar[bool] = False
    """True if `table` makes text compare byte by byte. Required."""
    typed: ClassVar[bool] = True
    """True if the schema distinguishes numbers from text."""
    in_process: ClassVar[bool] = False
    """True if rows reach this process at memory speed: pairs may be encoded as integers and sorted by NumPy."""
    groups_pairs: ClassVar[bool] = False
    """True if each person's pairs are best materialised as one row with a sorted list (grouped.py)."""
    certifies: ClassVar[bool] = False
    """True if views can be rewritten for the engine (`replaced`, `stored`, `attempt`, `text_table`, ...)."""
    snapshot: ClassVar[bool] = False
    """True if everything that is read from one `table` sees the same rows, whatever others write."""
    wide_row_number: ClassVar[bool] = True
    """True if `row_number` has 64 bits."""
    reads_files: ClassVar[bool] = True
    """True if the command line may choose the engine for files."""
    file_kinds: ClassVar[tuple[str, ...]] = ()
    """Suffixes of the files that the engine reads by itself; () if the readers of headcount.source do."""
    options: ClassVar[tuple[str, ...]] = ()
    """Options of the command line that only this engine has."""
    default_address: ClassVar[str | None] = None
    """Address of the engine that the command line starts by default."""
    memory_setting: ClassVar[str] = ""
    """Where the user sets the engine's memory, if that is not an option of ours."""

    # The user's table

    def owns(self, data: object) -> bool:
        """True if the data are a frame of the engine's own library, which must not be imported for the answer."""
        return False

    def native(self, table: ir.Table) -> Any:
        """Return the frame behind an Ibis table, as the methods below take it. No row is read."""
        return table

    @abstractmethod
    def check(self, data: Any) -> None:
        """Refuse a frame whose rows would depend on settings, on chance or on time (NotATable). No row is read."""

    def query(self, data: Any) -> Step | None:
        """Return a step of the frame that is not row by row; None if each of its rows is made of one row of a table. By
        default nothing is known. No row is read."""
        return Step(f"steps of {self.title} that headcount cannot read")

    # Views (source/views)

    def replaced(self, table: ir.Table) -> Iterable[Step]:
        """Yield functions of the user's that stand in for functions of the engine on the connection of a table."""
        raise NotImplementedError(f"{self.title} has no views")

    def stored(self, leaf: Any) -> Any:
        """Return a table by its full name and with its present columns; None if it is not one whose rows are stored."""
        raise NotImplementedError(f"{self.title} has no views")

    def is_view(self, leaf: Any) -> bool:
        """True if a table is a view of the database, for messages."""
        return False

    def attempt(self, value: Any) -> Any:
        """Return a value of one row that is NULL where it fails, and else the same."""
        raise NotImplementedError(f"{self.title} has no views")

    def text_table(self, table: ir.Table, sql: str, schema: Any) -> ir.Table:
        """Return the result of SQL on the connection of a table; it stands in other queries as it is written."""
        raise NotImplementedError(f"{self.title} has no views")

    def byte_exact_table(self, table: ir.Table) -> ir.Table:
        """Return a stored table as one whose text compares byte by byte."""
        raise NotImplementedError(f"{self.title} has no views")

    @abstractmethod
    def types(self, data: Any, columns: Sequence[str]) -> dict[str, dt.DataType]:
        """Return the types of columns; refuse what cannot be read (UnknownColumn). No row is read."""

    @abstractmethod
    def table(self, data: Any, columns: Sequence[str]) -> ir.Table:
        """Return columns as column0, column1, ..., byte-exact. Called when rows may be read."""

    def check_readable(self, table: ir.Table, columns: Sequence[str]) -> None:
        """Refuse a table of which the engine cannot read an empty result. `columns` are named in the message."""
        try:
            self.to_arrow(table.limit(0))
        except Exception:
            listed = ", ".join(map(repr, columns))
            raise UnknownColumn(
                f"columns {listed}: the engine cannot read them.", fix="other names, or types"
            ) from None

    # Values: of one row, NULL for NULL; no value makes them fail

    def sha256(self, text: ir.Value) -> ir.Value:
        """SHA-256 of a text's bytes in UTF-8, as 64 hexadecimal digits in lower case."""
        return text.hexdigest("sha256")

    def extract(self, text: ir.Value, pattern: str) -> ir.Value:
        """The part of a text that the first parentheses of a pattern match; NULL, or empty, without a match."""
        return text.re_extract(pattern, 1)

    def number(self, value: ir.Value) -> ir.Value:
        """A number, a condition or the text of a decimal number as a 64-bit float: the nearest one, so that one too
        large is infinite; NULL for an empty text."""
        return value.try_cast("float64")

    def moment(self, value: ir.Value) -> ir.Value:
        """A date, a timestamp or the text of one in ISO 8601 without a time zone, as a timestamp in microseconds, later
        digits dropped; NULL for an empty text and for a day that no calendar has."""
        return value.try_cast("timestamp(6)")

    def integer(self, condition: ir.Value) -> ir.Value:
        """1 where a condition is true and 0 where it is false, in 64 bits."""
        return condition.cast("int64")

    def decimal(self, text: ir.Value, kind: dt.DataType) -> ir.Value:
        """The text of a whole number as a decimal; NULL if it has too many digits."""
        return text.try_cast(kind)

    # Reading

    def connection(self, table: ir.Table) -> object | None:
        """Return the user's connection behind a table: what ran on it once is not rehearsed again. None if another
        program may change what it can do."""
        return None

    def reserve(self, table: ir.Table, limits: Limits | None) -> AbstractContextManager[None]:
        """Hold the table's connection while it is read: a user's own (limits None) is left as it is, one of ours is
        held within the limits and given back at the end. Blocks for one connection may be nested in one thread."""
        return nullcontext()

    @abstractmethod
    def interruptible(self, table: ir.Table) -> AbstractContextManager[None]:
        """Stop the engine's running query if the block is left by an exception (Ctrl-C included)."""

    @abstractmethod
    def materialise(
        self, table: ir.Table, *, lazily: bool = False, partitioned: bool = False
    ) -> AbstractContextManager[ir.Table]:
        """Materialise the table on its engine for the duration of the block; at first use, if `lazily`. Rows that are
        `partitioned` stay where they are."""

    @contextmanager
    def partitioned(self, table: ir.Table, column: str) -> Iterator[ir.Table]:
        """For the duration of the block, a table whose rows of one value of a column are in one place, if that makes
        later queries quicker. It changes speed and memory, never a result."""
        yield table

    @abstractmethod
    def to_arrow(self, table: ir.Table) -> pa.Table:
        """Fetch the rows as Arrow, with the types of the Ibis schema. pandas is not imported."""

    def fetches(self, table: ir.Table) -> bool:
        """True if all rows of a table had better come to this process, where they are numbered and bounded. It changes
        speed and memory, never a result."""
        return self.in_process

    def is_repeatable(self, table: ir.Table) -> bool:
        """True if a table has the same rows each time it is read, so that some may be looked at beforehand."""
        return True

    def batches(self, table: ir.Table, size: int) -> Generator[pa.RecordBatch, None, None]:
        """Yield the rows as Arrow, in batches of about `size` and in any order, with the types of the Ibis schema.
        Raises MemoryError if there are more than the engine can send."""
        yield from self.to_arrow(table).to_batches(size)

    def check_result_size(self, table: ir.Table) -> None:  # noqa: B027
        """Fail now (any exception) if fetching these rows, each once, could fail later for their size."""

    def memory(self, table: ir.Table) -> int:
        """Bytes that the engine may use, about."""
        return MOST

    def spill(self, table: ir.Table) -> str | None:
        """Private folder for rows of this process that do not fit into memory, while the table's connection is held;
        None for the system's temporary folder."""
        return None

    def progress(self, table: ir.Table) -> float:
        """Fraction of the running query that is done, 0 to 1; negative if unknown. Called from another thread."""
        return -1.0

    @abstractmethod
    def row_hashes(self, table: ir.Table) -> tuple[int, ...]:
        """Return the number of rows and two sums of 64-bit hashes of rows, NULL hashed unlike any value."""

    # Lists of ours that are joined to a table

    @abstractmethod
    def drop_memtable(self, name: str, table: ir.Table) -> None:
        """Remove a memtable from the engine of a table."""

    @contextmanager
    def dropping(self, memtable: ir.Table | None, table: ir.Table) -> Iterator[None]:
        """Remove a memtable, if there is one, from the engine of a table after the block."""
        try:
            yield
        finally:
            if memtable is not None:
                with suppress(Exception):  # a draw is not repeated for this
                    self.drop_memtable(memtable.op().name, table)

    @contextmanager
    def memtable(self, rows: pa.Table, table: ir.Table) -> Iterator[ir.Table]:
        """Yield rows of ours as a table that can be joined to another; nothing is left on its engine afterwards."""
        from ibis.formats.pyarrow import PyArrowTableProxy  # as late as Ibis itself

        kinds = ibis.schema(rows.schema)
        listed = ops.InMemoryTable(name=f"headcount_{token_hex(8)}", schema=kinds, data=PyArrowTableProxy(rows))
        found = listed.to_expr()  # `ibis.memtable` would import pandas
        with self.dropping(found, table):
            yield found

    # The command line: files that the engine reads by itself (`file_kinds`)

    def start(self, address: str | None) -> None:  # noqa: B027
        """Start the engine at an address, if it is not embedded. It may replace the handlers of signals."""

    def read_files(self, paths: Sequence[str], address: str | None) -> Any:
        """Return a native frame of files (absolute, relative or URLs), on the engine at an address."""
        raise NotImplementedError(f"{self.title} reads no files by itself")

    def stop(self, data: Any) -> None:  # noqa: B027
        """Stop the engine of a frame of `read_files`, with all that it runs."""

    def misplaced(self, option: str, value: object, other: Engine) -> BadParameter:
        """Return the refusal of an option of this engine where another one is chosen."""
        instead = f"; for {other.title}: {other.memory_setting}" if other.memory_setting else ""
        return BadParameter(
            f"{option}={value}: only {self.title} has it.", fix=f"no {option}, or engine={self.name}{instead}"
        )


def column_names(count: int) -> list[str]:
    """Names of the columns that are read, on every engine, whatever the user's names are: column0, column1, ..."""
    return [f"column{index}" for index in range(count)]
