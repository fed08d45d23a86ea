"""A measurement's process: what it prints last, read as JSON, or why it did not come to its end."""

import json
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Failed(Exception):
    """A process that did not come to its end; says why."""


def answered(command: Sequence[str | Path], limit: int) -> Any:
    """Run a command for at most `limit` seconds."""
    ended = _ended(command, limit)
    if ended.returncode:
        last = (ended.stderr.strip().splitlines() or ["nothing was said"])[-1]
        full = ended.returncode == -signal.SIGKILL or "out of memory" in ended.stderr.lower()
        raise Failed("out of memory" if full else f"failed: {last:.200}")
    return json.loads(ended.stdout.splitlines()[-1])


def _ended(command: Sequence[str | Path], limit: int) -> subprocess.CompletedProcess[str]:
    """What it said; whatever ends the waiting ends it and all that it has started (Java) as well."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as started:
        try:
            out, err = started.communicate(timeout=limit)
        except BaseException as stopped:
            os.killpg(started.pid, signal.SIGKILL)
            if isinstance(stopped, subprocess.TimeoutExpired):
                raise Failed(f"over {limit} s") from None
            raise
    return subprocess.CompletedProcess(command, started.returncode, out, err)
