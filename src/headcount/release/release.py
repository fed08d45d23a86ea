"""A release: its rows and everything about them, kept as one Parquet file whose bytes are what a ledger seals.

The bytes depend on the released values and on public parameters alone: no time, no number of rows read, no statistics.
"""

import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from headcount.account.chain import canonical
from headcount.account.events import Event, from_json
from headcount.errors import BadParameter, NotATable
from headcount.release import export
from headcount.source.regular import check_regular
from headcount.wording import visible

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from matplotlib.figure import Figure

KEY = b"headcount"
SHOWN = 10
"""Rows in a summary."""
VIEWS = ("", "profile", "total", "quantiles", "ranges", "shape", "distribution")
"""Kinds of tables; empty for counts of items."""


@dataclass(frozen=True)
class About:
    """Everything about a release but its rows."""

    what: str
    """The question in a few words: people per word."""
    dataset: str
    by: tuple[str, ...]
    """The columns that make an item."""
    unit: str
    """What is counted: people, or events."""
    epsilon: str
    delta: str
    """What was paid, exactly."""
    steps: tuple[str, ...]
    """What was done, what the intervals mean, what is guaranteed."""
    proof: str
    plan: str
    """The plan it was made by, as text."""
    view: str
    """What the table was made into before it was counted: profile, total, or nothing."""
    bound: int
    """The most that one person counted for, items or events."""
    chosen: str
    """How the bound was chosen; empty if it was given."""
    events: str
    """What happened, as text."""
    order: tuple[str, ...]
    """The labels of bins in their own order, for the picture."""
    head: str
    """The ledger's head after the charge; empty without a ledger."""
    value: str = "count"
    """What the column of counts is called; of items without counts there is only a rank."""
    measured: str = ""
    """Of a shape: what tells how far off it is, as text."""


@dataclass(frozen=True)
class Paid:
    """What a release cost."""

    epsilon: float
    delta: float
    events: tuple[Event, ...]
    """What happened."""


def pack(table: pa.Table, about: About) -> bytes:
    """The release as bytes: equal releases are equal bytes."""
    sink = pa.BufferOutputStream()
    marked = table.replace_schema_metadata({KEY: canonical(asdict(about)).encode()})
    pq.write_table(marked, sink, compression="zstd", write_statistics=False)
    return bytes(sink.getvalue())


def check_packable(items: pa.Table) -> None:
    """Write what is not text (which can always be written) once before there is noise, so that packing cannot fail by
    what is drawn: work that fails is done again under its charge."""
    others = [name for name in items.column_names if not pa.types.is_string(items.schema.field(name).type)]
    pq.write_table(items.select(others), pa.BufferOutputStream(), compression="zstd", write_statistics=False)


class Release:
    """A published histogram."""

    def __init__(self, content: bytes, *, fresh: bool) -> None:
        self.content = content
        """The file that `save` writes as .parquet, and that a ledger seals."""
        self.fresh = fresh
        """False if it was sealed before: no new noise, no new charge."""

    @cached_property
    def _file(self) -> pa.Table:
        return pq.ParquetFile(pa.BufferReader(self.content)).read(use_threads=False)

    @cached_property
    def table(self) -> pa.Table:
        """The `by` columns, count, low, high: bins by their edges, dates by date; then the most first, then by item."""
        return self._file.replace_schema_metadata(None)

    @cached_property
    def about(self) -> About:
        """Everything about it but its rows."""
        from headcount.release.checked import about_in

        return about_in(self._file.schema.metadata[KEY])

    @property
    def cost(self) -> Paid:
        """What was paid: never more than what was typed."""
        return Paid(float(self.about.epsilon), float(self.about.delta), from_json(self.about.events))

    def explain(self) -> str:
        """What was done, what it guarantees, and to whom, in numbered sentences."""
        return "\n".join(f"{number}. {visible(step)}" for number, step in enumerate(self.about.steps, 1))

    def summary(self) -> str:
        """The release in a few lines."""
        from headcount.report import text

        return text.summary(self)

    __repr__ = summary

    def _repr_html_(self) -> str:
        from headcount.report import page

        return page.body(self)

    def to_pandas(self) -> "pd.DataFrame":
        """The table as a pandas frame."""
        frame: pd.DataFrame = self.table.to_pandas()
        return frame

    def to_polars(self) -> "pl.DataFrame":
        """The table as a polars frame."""
        import polars as pl

        frame = pl.from_arrow(self.table)
        assert isinstance(frame, pl.DataFrame)
        return frame

    def plot(self, path: str | Path | None = None, *, most: int = 25) -> "Figure":
        """Bars with intervals, of the `most` largest; as a figure, and as a .png, .svg or .pdf if a path is given."""
        from headcount.release import plot

        figure = plot.bars(self.table, self.about, most)
        if path is not None:
            write(path, plot.drawn(figure, Path(path).suffix))
        return figure

    def report(self, path: str | Path) -> Path:
        """One page that tells everything: sentences, picture, table, cost, how to make it again."""
        return write(path, self.exported(".html"))

    def to_json(self) -> str:
        """The rows and everything about them, for programs."""
        return export.as_json(self.table, asdict(self.about))

    def save(self, path: str | Path) -> Path:
        """Write it: .parquet keeps everything and can be loaded again, .csv and .json are for other programs, .html is
        the report, .png, .svg and .pdf are the picture."""
        kind = Path(path).suffix.lower()
        if kind in PICTURES:
            self.plot(path)
            return Path(path)
        if kind not in FORMATS:
            raise bad_format(path)
        return write(path, self.exported(kind))

    def exported(self, kind: str) -> bytes:
        """The bytes of the file that `save` writes: of a .parquet, .csv, .json or .html."""
        from headcount.report import page

        if kind == ".html":
            return page.page(self).encode()
        texts = {".csv": lambda: export.as_csv(self.table), ".json": lambda: self.to_json().encode()}
        return self.content if kind == ".parquet" else texts[kind]()

    @classmethod
    def load(cls, path: str | Path) -> "Release":
        """A release that was saved as .parquet. Whatever else the file may hold is refused."""
        from headcount.release.checked import NotARelease, check

        check_regular(path)
        try:
            release = cls(Path(path).read_bytes(), fresh=False)
            check(release)
        except FileNotFoundError:
            raise NotATable(f"{path}: there is no such file.", fix="a file from release.save(...)") from None
        except Exception as error:  # whatever the file may hold
            why = f" ({error})" if isinstance(error, NotARelease) and str(error) else ""
            raise NotATable(f"{path}: not a release{why}.", fix="a .parquet file from release.save(...)") from None
        return release


PICTURES = (".png", ".svg", ".pdf")
FORMATS = (".parquet", ".csv", ".json", ".html", *PICTURES)


def bad_format(path: str | Path) -> BadParameter:
    """Nothing is known of files with this ending."""
    return BadParameter(f"{path}: unknown kind of file.", fix=f"a name that ends in {', '.join(FORMATS)}")


def write(path: str | Path, content: bytes, *, mode: int = 0o666) -> Path:
    """The whole file or none: written beside it, to the disk, then put in its place."""
    target = Path(path)
    if target.is_dir():
        raise BadParameter(f"{path}: a folder.", fix=f"{target / 'release.csv'}")
    beside = target.with_name(f".{target.name}.{token_hex(4)}")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
        _sync_folder(target.absolute().parent)
    except OSError as error:
        raise BadParameter(
            f"{path}: cannot be written ({error.strerror}).", fix="a folder that you may write to"
        ) from None
    finally:  # also if it is interrupted
        beside.unlink(missing_ok=True)
    return target


def _sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk, else a power cut may undo a rename; if it may be opened at all."""
    with suppress(PermissionError):
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
