"""Environments by uv, one at a time: each takes half a gigabyte, and is removed after the block."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.matrix.cells import Cell

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
SHOWN = ("numpy", "scipy", "pyarrow", "duckdb", "ibis-framework", "matplotlib", "typer", "pandas", "polars", "pyspark")
"""Packages whose versions the table shows."""


def build(folder: Path) -> Path:
    """Build the wheel, by way of the source distribution, which must have every file that its README links to."""
    _uv("build", "--quiet", "--out-dir", str(folder), str(ROOT))
    source, wheel = next(folder.glob("*.tar.gz")), next(folder.glob("*.whl"))
    shutil.unpack_archive(source, folder / "source", filter="data")
    unpacked = next((folder / "source").iterdir())
    missing = [link for link in LINK.findall((unpacked / "README.md").read_text()) if not (unpacked / link).exists()]
    if missing:
        raise SystemExit(f"README.md links to files that the source distribution lacks: {', '.join(missing)}")
    return wheel


def interpreter(version: str) -> str | None:
    """The Python of this version: on PATH, or one of pyenv's; None if there is none that starts."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions").glob(f"{version}.*/bin/python")
    candidates = [f"python{version}", *map(str, sorted(kept, reverse=True))]
    return next((found for each in candidates if (found := shutil.which(each)) and _starts(found, version)), None)


def _starts(python: str, version: str) -> bool:
    """False for a shim of pyenv's whose version is not switched on."""
    shown = subprocess.run([python, "--version"], capture_output=True, text=True)
    return shown.returncode == 0 and shown.stdout.startswith(f"Python {version}.")


@contextmanager
def environment(cell: Cell, python: str, wheel: Path) -> Iterator[Path]:
    """Install a cell; gives the folder of its programs."""
    with TemporaryDirectory(prefix="headcount-matrix-") as folder:
        _uv("venv", "--quiet", "--python", python, folder)
        target = ("--python", f"{folder}/bin/python")
        _uv("pip", "install", "--quiet", *target, *cell.requirements(ROOT / "pyproject.toml"))
        _uv("pip", "install", "--quiet", *target, "--no-deps", str(wheel))
        yield Path(folder, "bin")


def versions(python: Path) -> dict[str, str]:
    """The versions that were installed, of the packages that are shown."""
    listed = _uv("pip", "list", "--quiet", "--python", str(python), "--format", "freeze").splitlines()
    found = dict(line.split("==") for line in listed if "==" in line)
    return {name: found[name] for name in SHOWN if name in found}


def size(python: Path) -> tuple[int, int]:
    """Packages in an environment, and their megabytes."""
    packages = python.parents[1] / "lib"
    files = [path for path in packages.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    listed = _uv("pip", "list", "--quiet", "--python", str(python), "--format", "freeze").splitlines()
    return len(listed), round(sum(path.stat().st_size for path in files) / 1e6)


def _uv(*arguments: str) -> str:
    return subprocess.run([_program(), *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def _program() -> str:
    try:
        from uv import find_uv_bin
    except ImportError:
        found = shutil.which("uv")
        if found is None:
            raise SystemExit("there is no uv. Fix: pip install uv") from None
        return found
    return str(find_uv_bin())


def run(words: Sequence[str | Path], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of an environment as if that were activated, in a folder of its own."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    env["PATH"] = f"{Path(words[0]).parent}{os.pathsep}{env['PATH']}"
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True)
