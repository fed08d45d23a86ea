"""Markers in pages, and the figures that replace them.

On the site, a line `{{ evidence: noise.speed }}` becomes that table with a line about where it is from. README.md and
the front page are read as plain Markdown: there, what stands between `<!-- evidence: noise.speed -->` and
`<!-- /evidence -->` is written by `render`. What may stand in a marker:

    noise                       all tables of the experiment
    noise.speed                 its tables of that name
    noise.speed | row | column  one cell
    noise.source                version, commit, date and machine
"""

import re
from datetime import date
from pathlib import Path

from benchmarks.evidence.markdown import written
from benchmarks.evidence.record import FOLDER, Record, read
from benchmarks.evidence.registry import EXPERIMENTS
from benchmarks.evidence.sources import ROOT

SITE = re.compile(r"^\{\{ evidence: ([^}]+?) \}\}$", re.MULTILINE)
PLAIN = re.compile(r"(<!-- evidence: ([^>]+?) -->)(.*?)(<!-- /evidence -->)", re.DOTALL)
PLAIN_PAGES = (ROOT / "README.md", ROOT / "docs" / "index.md")
OLDER = "**Older than the code that it measures.**"


def on_site(text: str, folder: Path = FOLDER) -> str:
    """A page of the site with its figures."""
    return SITE.sub(lambda marker: _with_source(marker[1], folder), text)


def in_plain_text(text: str, folder: Path = FOLDER) -> str:
    """A page of plain Markdown with its figures."""
    return PLAIN.sub(lambda marker: f"{marker[1]}{_between(marker[2], folder)}{marker[4]}", text)


def render(pages: tuple[Path, ...] = PLAIN_PAGES) -> None:
    """Write the figures into the plain pages."""
    for page in pages:
        page.write_text(in_plain_text(page.read_text()))


def shown(text: str, folder: Path = FOLDER) -> list[Record]:
    """The records whose figures a page shows."""
    markers = [marker[2] for marker in PLAIN.finditer(text)] + [marker[1] for marker in SITE.finditer(text)]
    return [_record(marker, folder) for marker in markers]


def _name(marker: str) -> str:
    return marker.split("|")[0].strip().partition(".")[0]


def _record(marker: str, folder: Path) -> Record:
    name = _name(marker)
    record = read(name, folder)
    if record is None:
        raise LookupError(f"{marker}: there is no docs/evidence/{name}.json. Fix: python -m benchmarks.evidence list")
    return record


def _with_source(marker: str, folder: Path) -> str:
    """Tables and where they are from; the command alone if nothing was measured yet."""
    name = _name(marker)
    if read(name, folder) is None and name in EXPERIMENTS:
        return f"*Not measured yet: `{EXPERIMENTS[name].typed}`.*"
    return f"{_content(marker, folder)}\n\n*{source(_record(marker, folder))}*"


def _between(marker: str, folder: Path) -> str:
    content = _content(marker, folder)
    return f"\n\n{content}\n\n" if content.startswith(("|", "**")) else content


def _content(marker: str, folder: Path) -> str:
    """Tables, a cell, or the source."""
    record = _record(marker, folder)
    address, *cell = (part.strip() for part in marker.split("|"))
    name = address.partition(".")[2]
    if name == "source":
        return source(record, brief=True)
    found = record.tables_named(name)
    return found[0].cell(*cell) if cell else "\n\n".join(map(written, found))


def source(record: Record, *, brief: bool = False) -> str:
    """Where figures are from, in a line, and whether they are older than the code."""
    machine, day = record.machine, date.fromisoformat(record.date[:10])
    dirty = " with changes" if record.dirty else ""
    made = f"headcount {record.version}, commit {record.commit[:8]}{dirty}, {day.day} {day:%B %Y}"
    where = f"{machine.cores} cores, {machine.architecture}"
    older = f" {OLDER}" if record.stale else ""
    if brief:
        return f"{made}; {where}{older}"
    versions = "".join(f", {name} {number}" for name, number in machine.versions.items())
    copied = f" Transcribed from {record.transcribed}." if record.transcribed else f" In {_duration(record.seconds)}."
    return f"`{record.command}`; {made}; {where}, Python {machine.python}{versions}.{copied}{older}"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds < 100 else f"{seconds / 60:.0f} minutes"
