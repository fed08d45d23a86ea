"""Verification of published files against a ledger, whatever format they were saved in.

The sealed bytes are those of the .parquet file. A .csv or .json is a deterministic function of them, an .html or .yaml
one of them and of their entry in the ledger, so it is generated again from each sealed release and compared. A mismatch
proves nothing against the file: another version may have written it. Pictures are not compared.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from headcount.account import Ledger
from headcount.errors import BadParameter, NotSealed
from headcount.release.release import PICTURE_FORMATS, REPORT_FORMATS, Release, open_release
from headcount.source.files.regular import check_regular

DERIVED_FORMATS = (".csv", ".json", *REPORT_FORMATS)
"""Formats that are generated from the sealed bytes."""


def check_sealed(ledger: Ledger, path: Path) -> str:
    """Verify that a file is a release that this ledger sealed, and say how it was verified."""
    check_regular(path)
    kind, content = path.suffix.lower(), path.read_bytes()
    if kind in PICTURE_FORMATS:
        raise BadParameter(f"{path}: a picture cannot be verified.", fix="the .parquet file of the same release")
    if kind not in (".parquet", *DERIVED_FORMATS) and content not in ledger.releases():
        raise BadParameter(
            f"{path}: this kind of file cannot be verified.", fix="the .parquet file of the same release"
        )
    if kind not in DERIVED_FORMATS or content in ledger.releases():
        ledger.verify(release=content)
        return "sealed here, byte by byte"
    if not any(content in _derived(sealed, kind, ledger) for sealed in ledger.releases()):
        raise NotSealed(
            f"{path}: no release that {ledger.path.name} sealed gives this file. It is of another ledger, or was "
            "changed, or another version of headcount wrote it.",
            fix="verify the .parquet file of the same release",
        )
    return "made from a release that was sealed here, every number the same"


def _derived(sealed: bytes, kind: str, ledger: Ledger) -> Iterator[bytes]:
    """The files of this kind as saved from the release and from `Release.load`, with their ledger and without; none if
    the bytes are no release."""
    with suppress(ValueError, KeyError, TypeError, OSError, OverflowError, RecursionError):
        for release in (open_release(sealed, fresh=False), Release(sealed, fresh=False)):
            yield release.exported(kind)
            yield release.exported(kind, ledger)
