"""A process of its own that starts at once: forked from one that has the libraries imported, and nothing of headcount.

The imports of libraries take longer than most of what is run here. So multiprocessing's fork server makes them once.
A fork is safe while the server has a single thread: so BLAS and Arrow are told to start none, and duckdb and polars,
which do so when they are imported, are left to the child. The children share a hash seed; what must not depend on one
is run with `subprocess`.
"""

import gc
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from multiprocessing import forkserver
from pathlib import Path
from unittest import mock

LIBRARIES = [
    "dp_accounting",
    "flint",
    "hypothesis.strategies",
    "ibis.backends.sql.compilers",
    "matplotlib.figure",
    "mpmath",
    "numpy",
    "pandas",
    "pyarrow.parquet",
    "pytest",
    "rich.progress",
    "scipy.fft",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "typer",
]
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}


def run(
    script: str | Path, *arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None, timeout: float = 300
) -> subprocess.CompletedProcess[str]:
    """What `subprocess.run` gives for a Python script."""
    words = [str(word) for word in (script, *arguments)]
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LIBRARIES)
    with mock.patch.dict(os.environ, ONE_THREAD):
        forkserver.ensure_running()
    with tempfile.TemporaryDirectory() as folder:
        said = [Path(folder) / "stdout", Path(folder) / "stderr"]
        process = context.Process(target=_become, args=(words, cwd, dict(os.environ if env is None else env), said))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(words, timeout)
        stdout, stderr = (path.read_text() if path.exists() else "" for path in said)
        code = process.exitcode
    process.close()
    return subprocess.CompletedProcess(words, code, stdout, stderr)


def _become(words: list[str], cwd: Path, env: dict[str, str], said: list[Path]) -> None:
    """The child: as if Python had been started with these words, in this folder and environment."""
    gc.freeze()  # the libraries are no garbage
    for number, path in enumerate(said, 1):
        with path.open("wb") as file:
            os.dup2(file.fileno(), number)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.dont_write_bytecode = bool(env.get("PYTHONDONTWRITEBYTECODE"))
    sys.path[:0] = [path for path in env.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.argv = words
    runpy.run_path(words[0], run_name="__main__")
