"""Planted bugs: each patches the real code in a copy of the package, and must turn a named test red.

    python -m tests.privacy.planted            all of them, with a table

A bug is a replacement of text that must occur exactly once in its file; so when the code moves on, the bug must move
along. The named test runs against the copy (by PYTHONPATH) and must fail; without the patch it must pass.

Every module below this folder has a list BUGS, and is named after the room that it patches (a mechanism's bugs:
`mechanism/<family>.py`). A new file is found by itself.
"""

from importlib import import_module
from pathlib import Path

from tests.privacy.bug import ROOT as ROOT
from tests.privacy.bug import Bug as Bug
from tests.privacy.bug import caught as caught

FOLDER = Path(__file__).parent


def _rooms() -> list[str]:
    """The modules of this folder and of those in it, in order."""
    files = (path.relative_to(FOLDER).with_suffix("") for path in FOLDER.rglob("[!_]*.py"))
    return sorted(".".join(file.parts) for file in files)


BUGS: list[Bug] = [bug for room in _rooms() for bug in import_module(f"tests.privacy.planted.{room}").BUGS]
