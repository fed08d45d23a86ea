"""A forked process is what a started one would be, and the one that it is forked from has a single thread."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import process

SCRIPT = """
import json, os, sys
print(json.dumps([__name__, sys.argv, os.getcwd(), os.environ["ASKED"], "headcount" in sys.modules]))
print("wrong", file=sys.stderr)
ending = sys.argv[1]
if ending == "raises":
    raise ValueError(ending)
sys.exit({"none": None, "number": 3, "text": "told"}[ending])
"""
SERVER = """
import os, sys
print(*os.listdir(f"/proc/{os.getppid()}/task"))
print(*sys.modules)
"""


@pytest.mark.parametrize("ending", ["none", "number", "text", "raises"])
def test_as_if_it_had_been_started(tmp_path: Path, ending: str) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    words, env = (str(tmp_path / "script.py"), ending, "two words"), {**os.environ, "ASKED": "yes"}
    forked = process.run(*words, cwd=tmp_path, env=env)
    started = subprocess.run([sys.executable, *words], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert (forked.returncode, forked.stdout) == (started.returncode, started.stdout)
    assert forked.stderr.splitlines()[0] == "wrong"
    assert forked.stderr.splitlines()[-1] == started.stderr.splitlines()[-1]


def test_a_package_of_another_folder_comes_first(tmp_path: Path) -> None:
    """As planted bugs need it."""
    (tmp_path / "headcount").mkdir()
    (tmp_path / "headcount" / "__init__.py").write_text("")
    (tmp_path / "script.py").write_text("import headcount; print(headcount.__file__)")
    run = process.run(tmp_path / "script.py", cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert run.stdout == f"{tmp_path / 'headcount' / '__init__.py'}\n"


def test_one_that_hangs(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import time; time.sleep(60)")
    with pytest.raises(subprocess.TimeoutExpired):
        process.run(tmp_path / "script.py", cwd=tmp_path, timeout=0.5)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted as Linux shows them")
def test_the_server_has_one_thread_and_all_libraries_and_nothing_of_headcount(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SERVER)
    threads, modules = process.run(tmp_path / "script.py", cwd=tmp_path).stdout.splitlines()
    assert len(threads.split()) == 1
    assert set(process.LIBRARIES) <= set(modules.split())
    assert not [name for name in modules.split() if name.partition(".")[0] in ("headcount", "duckdb", "polars")]
