"""Whether a published file is a release that a ledger sealed, whatever it was saved as.

The sealed bytes are those of the .parquet file. A .csv, .json or .html is made from them in one way only, so it is
made again from each sealed release and compared. That this fails proves nothing against the file: another version may
have written it. Pictures are not compared.
"""

from pathlib import Path

from headcount.account import Ledger
from headcount.errors import BadParameter, NotSealed
from headcount.release.release import PICTURES, Release
from headcount.release.shape import released
from headcount.source.regular import check_regular

MADE = (".csv", ".json", ".html")
"""What is made from the sealed bytes."""


def check_sealed(ledger: Ledger, path: Path) -> str:
    """How a file was seen to be a release that this ledger sealed."""
    check_regular(path)
    kind, content = path.suffix.lower(), path.read_bytes()
    if kind in PICTURES:
        raise BadParameter(f"{path}: a picture cannot be verified.", fix="the .parquet file of the same release")
    if kind not in (".parquet", *MADE) and content not in ledger.releases():
        raise BadParameter(
            f"{path}: this kind of file cannot be verified.", fix="the .parquet file of the same release"
        )
    if kind not in MADE or content in ledger.releases():
        ledger.verify(release=content)
        return "sealed here, byte by byte"
    if not any(content in _made(sealed, kind) for sealed in ledger.releases()):
        raise NotSealed(
            f"{path}: no release that {ledger.path.name} sealed gives this file. It is of another ledger, or was "
            "changed, or another version of headcount wrote it.",
            fix="verify the .parquet file of the same release",
        )
    return "made from a release that was sealed here, every number the same"


def _made(sealed: bytes, kind: str) -> list[bytes]:
    """The files of this kind, as saved when it was released and after it was loaded; none of somebody's own bytes."""
    try:
        return [each.exported(kind) for each in (released(sealed, fresh=False), Release(sealed, fresh=False))]
    except (ValueError, KeyError, TypeError, OSError):
        return []
