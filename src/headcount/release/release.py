"""A release: its rows and everything about them, kept as one Parquet file whose bytes are what a ledger seals."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from headcount.account import Ledger
from headcount.account.events import from_json
from headcount.account.ledger.entry import entry_of
from headcount.account.ledger.given import given_ledger
from headcount.account.ledger.stores.sqlite import SqliteStore
from headcount.errors import (
    BadParameter,
    NotATable,
    ReleaseTooNew,
    UnknownColumn,
    UnknownName,
    optional_package,
    visible,
)
from headcount.release import export, text
from headcount.release.about import KEY, About, Paid
from headcount.release.checked import about_in, check_table
from headcount.release.files import write
from headcount.release.hints.hints import release_hints
from headcount.release.size import NotARelease, check_size
from headcount.release.views import View, view_of
from headcount.source.files.regular import check_regular
from headcount.wording import wrapped
from headcount.wording.typed import path_of

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from headcount.release.pictures.scene import Order, Size
    from headcount.release.report.facts import Facts

PICTURE_FORMATS = (".png", ".svg", ".pdf")
REPORT_FORMATS = (".html", ".yaml")
FORMATS = (".parquet", ".csv", ".json", *REPORT_FORMATS, *PICTURE_FORMATS)


class Release:
    """A published table. `len(r)`, iteration over rows, `r["count"]`, `pd.DataFrame(r)` and `pl.DataFrame(r)` work as
    for any table."""

    _KINDS: ClassVar[dict[View, type["Release"]]] = {}

    def __init_subclass__(cls, view: View) -> None:
        """Register the class of releases of a view."""
        Release._KINDS[view] = cls

    @staticmethod
    def kind(view: View) -> type["Release"]:
        """The class of releases of a view: the one that a file registered, else this one."""
        return Release._KINDS.get(view, Release)

    def __init__(self, content: bytes, *, fresh: bool, ledger: Path | None = None) -> None:
        self.content = content
        """The file that `save` writes as .parquet, and that a ledger seals."""
        self.fresh = fresh
        """False if it was sealed before: no new noise, no new charge."""
        self._ledger = ledger

    @cached_property
    def _file(self) -> pa.Table:
        return pq.ParquetFile(pa.BufferReader(self.content)).read(use_threads=False)

    @cached_property
    def table(self) -> pa.Table:
        """The `by` columns, count, low, high: bins by their edges, dates by date; then the most first, then by item."""
        return self._file.replace_schema_metadata(None)

    @cached_property
    def about(self) -> About:
        """Metadata of the release: everything except its rows."""
        return about_in(self._file.schema.metadata[KEY])

    def __len__(self) -> int:
        """Number of rows."""
        return int(self.table.num_rows)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Say what to write instead of the methods of a frame; names that begin with _ are looked up by Python."""
            if name.startswith("_"):
                raise AttributeError(name)
            raise UnknownName(f"a release has no {name!r}.", fix=f"release.to_pandas().{name}, of its rows as a frame")

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows, as dictionaries."""
        for batch in self.table.to_batches():
            yield from batch.to_pylist()

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        """A column, as Arrow."""
        if name not in self.table.column_names:
            named = ", ".join(map(repr, self.table.column_names))
            raise UnknownColumn(f"{name!r:.60}: no column of this release.", fix=f"one of {named}")
        return self.table[name]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table for whatever reads Arrow: polars, DuckDB, pandas."""
        return self.table.__arrow_c_stream__(requested_schema)

    @property
    def cost(self) -> Paid:
        """The privacy cost: never more than what was typed."""
        return Paid(float(self.about.epsilon), float(self.about.delta), from_json(self.about.events))

    def explain(self) -> str:
        """Explain the release step by step, with its guarantee; then hints, if there are any. Lines are wrapped."""
        steps = [wrapped(visible(step), f"{number}. ") for number, step in enumerate(self.about.steps, 1)]
        return "\n".join([*steps, *map(wrapped, self._hint_lines())])

    @property
    def hints(self) -> list[str]:
        """Where budget was probably lost, and what to do the next time; empty for most releases."""
        return release_hints(self.table, self.about)

    def _hint_lines(self) -> list[str]:
        """The hints, after an empty line."""
        lines = [visible(f"Hint: {hint}") for hint in self.hints]
        return ["", *lines] if lines else []

    def summary(self) -> str:
        """The release in a few lines."""
        return self.summary_of(text.SHOWN)

    __repr__ = summary

    @property
    def unseen(self) -> str:
        """What the intervals cannot cover, as a sentence: that a few people may have far more than everyone else, part
        of which was cut. Empty if bounds are public, or nothing was cut."""
        return self.about.unseen

    def summary_of(self, most: int, spell: Callable[[str], str] = str) -> str:
        """The summary with up to `most` rows; `spell` writes the parameters in advice in the spelling of the reader."""
        head = text.head(self.table, self.about, fresh=self.fresh)
        rows = text.largest(self.table, self.about, most) if self.table.num_rows else []
        advice = [*(self._notes() if rows else [self.nothing]), *self._hint_lines()]
        return "\n".join([head, "", *rows, *(wrapped(spell(line)) for line in advice)])

    @property
    def nothing(self) -> str:
        """Why there is no row."""
        return text.nothing(self.table, self.about)

    def _notes(self) -> list[str]:
        """Lines below the rows of a summary."""
        lines = view_of(self.about).notes(self.table, self.about)
        return ["", *lines] if lines else []

    def _findings(self) -> list[str]:
        """Sentences before the rows of a page."""
        return [] if self.table.num_rows else [self.nothing]

    def _repr_html_(self) -> str:
        from headcount.release.report import notebook

        return notebook.view(self.table, self.about, [*self._findings(), *self.hints])

    def to_pandas(self) -> "pd.DataFrame":
        """The table as a pandas frame."""
        optional_package("pandas", user="to_pandas()", install="pandas")
        frame: pd.DataFrame = self.table.to_pandas()
        return frame

    def to_polars(self) -> "pl.DataFrame":
        """The table as a polars frame."""
        polars = optional_package("polars", user="to_polars()", install="polars")
        frame: pl.DataFrame = polars.from_arrow(self.table)
        return frame

    def plot(
        self,
        path: str | Path | None = None,
        *,
        ax: "Axes | None" = None,
        title: str | None = None,
        order: "Order | None" = None,
        most: int | None = None,
        size: "Size | None" = None,
        labels: Mapping[str, str] | None = None,
    ) -> "Figure":
        """The picture: bars with intervals, dates as lines with bands, two small columns as a heat map, a total as a
        number. As a figure, and as a .png, .svg or .pdf if a path is given.

        ax: Matplotlib axes to draw on, instead of a figure of its own.
        title: the title; by default what the release is about, and what it cost.
        order: "value" or "item", for bars in this order; by default bins and dates by themselves, then the most first.
        most: the most items that are drawn: by default 25 bars, or 12 lines; 15 bars on a slide.
        size: "slide" for 16:9, "page" for as high as it must be; by default a slide if there are several panels.
        labels: what columns of values are called: {"sum(amount)": "Revenue"}."""
        from headcount.release import plot
        from headcount.release.pictures.scene import Options

        figure = plot.picture(self.table, self.about, Options(title, order, most, size, labels or {}), ax)
        if path is not None:
            target = path_of("path", path, 'release.plot("picture.png")')
            write(target, plot.render(figure, target.suffix))
        return figure

    def chart(self, *, title: str | None = None, most: int = 25) -> "alt.TopLevelMixin":
        """The picture as an Altair chart, which is a Vega-Lite specification (needs headcount[chart])."""
        from headcount.release.chart import altair_chart

        return altair_chart(self.table, self.about, title, most)

    def report(self, path: str | Path, *, ledger: Ledger | str | Path | None = None) -> Path:
        """Write a report. As .html: a page for whoever decides about the release, with the picture, the numbers, what
        is promised and how to verify it. As .yaml: a draft record for the registry of deployments of OpenDP and NIST.
        With the ledger that it was charged to, also when that was, what was spent by then, and what was left; a release
        that was just made knows its ledger, one that was loaded needs ledger="visits.db"."""
        kind = path_of("path", path, 'release.report("report.html")').suffix.lower()
        if kind not in REPORT_FORMATS:
            raise BadParameter(
                f"{path}: unknown kind of report.", fix='report("report.html"), or report("record.yaml")'
            )
        return write(path, self.exported(kind, ledger))

    def to_json(self) -> str:
        """The rows and everything about them as JSON, for programs."""
        return export.as_json(self.table, asdict(self.about))

    def save(self, path: str | Path) -> Path:
        """Write it: .parquet keeps everything and can be loaded again, .csv and .json are for other programs, .html and
        .yaml are reports, .png, .svg and .pdf are the picture."""
        kind = path_of("path", path, 'release.save("release.parquet")').suffix.lower()
        if kind in PICTURE_FORMATS:
            self.plot(path)
            return Path(path)
        if kind not in FORMATS:
            raise bad_format(path)
        return write(path, self.exported(kind))

    def exported(self, kind: str, ledger: Ledger | str | Path | None = None) -> bytes:
        """The bytes of the file that `save` writes, but for pictures; of a report, with the entry in its ledger."""
        writers: dict[str, Callable[[], bytes]] = {
            ".parquet": lambda: self.content,
            ".csv": lambda: export.as_csv(self.table, self.about.promise),
            ".json": lambda: self.to_json().encode(),
            ".html": lambda: self._page(ledger),
            ".yaml": lambda: self._record(ledger),
        }
        return writers[kind]()

    def _page(self, ledger: Ledger | str | Path | None) -> bytes:
        from headcount.release.report.page import page

        return page(self._facts(ledger)).encode()

    def _record(self, ledger: Ledger | str | Path | None) -> bytes:
        from headcount.release.report.record import record
        from headcount.release.report.yaml import to_yaml

        return to_yaml(record(self._facts(ledger))).encode()

    def _facts(self, given: Ledger | str | Path | None) -> "Facts":
        """What a report is made of."""
        from headcount.release.report.facts import Facts

        ledger = self._opened(given)
        entry = entry_of(ledger, self.about.head, self.content) if ledger else None
        digest = hashlib.sha256(self.content).hexdigest()
        return Facts(self.table, self.about, (*self._findings(), *self.hints), digest, entry)

    def _opened(self, ledger: Ledger | str | Path | None) -> Ledger | None:
        """The ledger of a report: the one that is given, else the one that was just charged, if it is still there."""
        if ledger is None and (self._ledger is None or SqliteStore.at(self._ledger).is_missing()):
            return None
        return given_ledger(self._ledger if ledger is None else ledger)

    @classmethod
    def load(cls, path: str | Path) -> "Release":
        """A release that was saved as .parquet. A file that holds anything else is refused."""
        check_regular(path_of("path", path, 'hc.load("release.parquet")'))
        try:
            release = cls(Path(path).read_bytes(), fresh=False)
            check_size(release.content)
            check_table(release.table, release.about)
        except FileNotFoundError:
            raise NotATable(f"{path}: there is no such file.", fix="a file from release.save(...)") from None
        except ReleaseTooNew:
            raise
        except Exception as error:  # whatever the file may hold
            why = f" ({error})" if isinstance(error, NotARelease) and str(error) else ""
            raise NotATable(f"{path}: not a release{why}.", fix="a .parquet file from release.save(...)") from None
        return release


def open_release(content: bytes, *, fresh: bool, ledger: Path | None = None) -> Release:
    """A release from its bytes, as an object of the class of its view; with the ledger that was charged, if known."""
    view = view_of(Release(content, fresh=fresh).about)
    return Release.kind(view)(content, fresh=fresh, ledger=ledger)


def load(path: str | Path) -> Release:
    """A release that was saved as .parquet.

    >>> import headcount as hc, tempfile
    >>> r = hc.histogram(hc.example(), user="user", by="song", epsilon=1)
    >>> path = r.save(tempfile.mkdtemp() + "/songs.parquet")
    >>> hc.load(path).table.equals(r.table)
    True
    """
    return open_release(Release.load(path).content, fresh=False)


def bad_format(path: str | Path) -> BadParameter:
    """The error for a file name with an unknown ending."""
    return BadParameter(f"{path}: unknown kind of file.", fix=f"a name that ends in {', '.join(FORMATS)}")
