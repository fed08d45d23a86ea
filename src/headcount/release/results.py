"""The class of a release, by its view: what a file or a ledger keeps is opened here."""

from pathlib import Path

from headcount.release.release import Release
from headcount.release.shape import Shape

RESULTS: dict[str, type[Release]] = {"shape": Shape}
"""The class of a release, by view; `Release` for all others."""


def open_release(content: bytes, *, fresh: bool, ledger: Path | None = None) -> Release:
    """A release from its bytes, as an object of the class of its view; with the ledger that was charged, if known."""
    view = Release(content, fresh=fresh).about.view
    return RESULTS.get(view, Release)(content, fresh=fresh, ledger=ledger)


def load(path: str | Path) -> Release:
    """A release that was saved as .parquet.

    >>> import headcount as hc, tempfile
    >>> r = hc.histogram(hc.example(), user="user", by="song", epsilon=1)
    >>> path = r.save(tempfile.mkdtemp() + "/songs.parquet")
    >>> hc.load(path).table.equals(r.table)
    True
    """
    return open_release(Release.load(path).content, fresh=False)
