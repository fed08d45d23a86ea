"""The snippets of a page: Python blocks run in order and share their names; a text block after one is what it prints.

`...` in a text block stands for anything. A text block with the title ONE_RUN holds what was printed in one run, in
full: its page runs under fixed entropy, and `python -m tests.docs.update` writes the block anew.
"""

import contextlib
import hashlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from headcount.noise import KeyedEntropy
from headcount.planner import plan as planner
from tests import process

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMAND = Path(sys.executable).with_name("headcount")
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ONE_RUN = ' title="One run; yours will differ a little"'


def matches(printed: str, written: str) -> bool:
    """Whether the text is what the page says, where `...` stands for anything."""
    pattern = ".*?".join(map(re.escape, written.strip().split("...")))
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


def run_console(block: str) -> None:
    """Each `$ command` prints what follows it; one of ours without anything of the shell is started by a fork."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, written = part.partition("\n")
        if re.fullmatch(r"headcount [^|&;<>$`*?~]*", command):
            run = process.run(COMMAND, *shlex.split(command)[1:], cwd=Path.cwd())
        else:
            path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
            run = subprocess.run(command, shell=True, capture_output=True, text=True, env={**os.environ, "PATH": path})
        assert matches(run.stdout + run.stderr, written), f"{command}\n{run.stdout}{run.stderr}"


@contextlib.contextmanager
def fixed_entropy() -> Iterator[None]:
    """The n-th release of the block draws from the n-th stream: pages that begin alike show the same numbers."""
    system, numbers = vars(planner)["SystemEntropy"], count()

    def stream() -> KeyedEntropy:
        return KeyedEntropy(hashlib.sha256(f"release {next(numbers)}".encode()).digest())

    vars(planner)["SystemEntropy"] = stream
    try:
        yield
    finally:
        vars(planner)["SystemEntropy"] = system


def has_one_run(text: str) -> bool:
    """True if a page shows what one run printed."""
    return f"```text{ONE_RUN}\n" in text


def printed_blocks(name: str, text: str) -> Iterator[tuple[str, str, str, str]]:
    """Every block of a page with its kind, title and text, and what the Python block before it printed."""
    names: dict[str, object] = {"__name__": "__main__"}
    printed = io.StringIO()
    for kind, title, block in BLOCK.findall(text):
        if kind == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(block, name, "exec"), names)
        yield kind, title, block, printed.getvalue()


def rewritten(name: str, text: str) -> str:
    """The page with the blocks of one run as they are printed today."""
    with fixed_entropy():
        found = iter([printed for _, _, _, printed in printed_blocks(name, text)])

    def block(match: re.Match[str]) -> str:
        printed = next(found)
        return f"```text{ONE_RUN}\n{trimmed(printed)}\n```" if match[2] == ONE_RUN else match[0]

    return BLOCK.sub(block, text)


def trimmed(printed: str) -> str:
    """Printed lines without blanks at their ends."""
    return "\n".join(line.rstrip() for line in printed.strip("\n").splitlines())
