"""The command line as it is typed: the help of every command, plans, and refusals. As a script, it runs them all in one
process, through the entry point, and prints what was seen as JSON."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from headcount.jobs import JOBS

FILE = "visits.parquet"
COMMANDS = (
    *(job.replace("_", "-") for job in JOBS),
    "demo",
    "audit",
    "reproduce",
    "ledger",
    "ledger new",
    "ledger show",
    "ledger verify",
)
ITEM = f"{FILE} --user person --by item"
PLANS = (
    f"histogram {ITEM} --epsilon 2",
    f"histogram {ITEM} --epsilon 2 --bound 3 --neighbours replace --dataset visits --json",
    f"histogram {ITEM} --target-error 20 --keys 'item 01,item 02' --count events --bound 4 --debias none",
    f"histogram {FILE} --user person --by city --by day --bins day=2024-01-01,2024-02-15 --epsilon 2 --bound 3 --json",
    f"histogram {ITEM} --mechanism count-release:variant=rogers,kbar=100,rho=0.5,target_error=0.2 --json",
    f"histogram {ITEM} --epsilon 2 --mechanism sample-threshold:theta=12 --bound auto:grid=1,2,3,share=0.1 --json",
    f"heavy-hitters {ITEM} --epsilon 2 --share 0.1 --people 500",
    f"top {ITEM} --epsilon 2 --k 5 --count none",
    f"profile {ITEM} --epsilon 0.5",
    f"total {FILE} --user person --epsilon 1 --where city=Rome --where minutes=0..50 --debias poisson:people=9",
    f"quantiles {FILE} --user person --value minutes --q 0.25,0.5 --range 0..150 --cells 64 --epsilon 1",
    f"quantiles {FILE} --user person --value minutes --q 0.5 --range 1..150 --spacing log --cells 64 --epsilon 1",
    f"ranges {FILE} --user person --value minutes --ranges 0..10,10..50 --epsilon 1 --bound 3",
    f"shape {ITEM} --epsilon 1 --mechanism buckets:buckets=200,estimator=paper --people 500 --json",
    f"distribution {ITEM} --keys 'item 01,item 02' --epsilon 1 --mechanism laplace --target rows --bound 5",
)
REFUSED = (
    f"histogram {ITEM}",
    f"histogram {ITEM} --epsilon 2 --bound 0",
    f"histogram {ITEM} --epsilon 2 --bound best",
    f"histogram {ITEM} --epsilon 2 --kbar 500",
    f"histogram {ITEM} --epsilon 2 --mechanism plume",
    f"histogram {ITEM} --epsilon 2 --engine other",
    f"histogram {ITEM} --epsilon 2 --master local",
    f"histogram {ITEM} --epsilon 2 --out release.doc",
    f"histogram {FILE} --user person --by itm --epsilon 2",
    "histogram nothing.parquet --user person --by item --epsilon 2",
    f"total {FILE} --user person --epsilon 1 --where city",
    f"quantiles {FILE} --user person --value minutes --range 0 --epsilon 1",
    f"ranges {FILE} --user person --value minutes --ranges 10..0 --epsilon 1",
)
PLAIN = {"COLUMNS": "80", "TERMINAL_WIDTH": "80", "NO_COLOR": "1", "TERM": "dumb", "TYPER_USE_RICH": "0"}
"""A terminal of a fixed width, without colours and boxes."""


def lines() -> list[str]:
    """All that is run, as typed after `headcount`."""
    helped = ["--help", *(f"{command} --help" for command in COMMANDS)]
    return [*helped, *(f"{plan} --dry-run" for plan in PLANS), *REFUSED]


def record() -> dict[str, Any]:
    """What was seen of each: exit code, both streams. By a process of its own, narrow and without colours."""
    import pyarrow.parquet as pq

    from tests.golden.tables import visits

    with TemporaryDirectory() as folder:
        pq.write_table(visits(), Path(folder) / FILE)
        done = subprocess.run(
            [sys.executable, __file__, *lines()],
            cwd=folder,
            env={**os.environ, **PLAIN},
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


def _seen(line: str) -> dict[str, Any]:
    """What is seen of one command."""
    import shlex

    from headcount.cli import main

    out, err, code = io.StringIO(), io.StringIO(), 0
    words = ["headcount", *shlex.split(line)]
    with redirect_stdout(out), redirect_stderr(err), mock.patch.object(sys, "argv", words):
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
    return {"code": code, "stdout": _shown(out.getvalue()), "stderr": _shown(err.getvalue())}


def _shown(text: str) -> Any:
    """JSON as it is, text by its lines."""
    return json.loads(text) if text.startswith("{") else [line.rstrip() for line in text.splitlines()]


if __name__ == "__main__":
    print(json.dumps({line: _seen(line) for line in sys.argv[1:]}))
