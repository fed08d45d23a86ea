"""What a user's tools see of the package, and what it says where a package is missing that it does not install."""

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import headcount as hc
from headcount.account.composition import compose
from headcount.account.events import Gaussian, Selection
from headcount.errors import MissingPackage

SCRIPT = """\
import headcount as hc

release = hc.histogram("plays.csv", user="user", by="song", epsilo=1)
reveal_type(hc.histogram("plays.csv", user="user", by="song", epsilon=1))
reveal_type(hc.plan("top", "plays.csv", user="user", by="song", k=3, epsilon=1))
hc.histogram("plays.csv", user="user", by="song", epsilon=1, mechanism="thresholdd")
"""
EVENTS = (Gaussian(Fraction(1785), squared_sensitivity=Fraction(100), cells=100), Selection(Fraction(1, 10)))
"""Noise for about epsilon 1, and a choice of 0.1."""


def test_the_package_says_that_it_has_types() -> None:
    assert files("headcount").joinpath("py.typed").is_file()


@pytest.mark.slow(sibling="test_the_package_says_that_it_has_types")
def test_the_type_checker_of_a_user_sees_types(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-m", "mypy", "--config-file=", "--cache-dir=cache", "script.py"]
    found = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout
    assert 'script.py:3: error: Unexpected keyword argument "epsilo" for "histogram"; did you mean "epsilon"?' in found
    assert 'script.py:4: note: Revealed type is "headcount.release.release.Release"' in found
    assert 'script.py:5: note: Revealed type is "headcount.planner.plan.Plan"' in found
    assert 'script.py:6: error: Argument "mechanism" to "histogram" has incompatible type' in found
    assert "Found 2 errors in 1 file" in found


def test_the_command_line_is_also_a_module(tmp_path: Path) -> None:
    def run(*arguments: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "headcount", *arguments], capture_output=True, text=True, cwd=tmp_path
        )
        return done.returncode, done.stdout, done.stderr

    assert run("--version") == (0, f"headcount {hc.__version__}\n", "")
    assert run("histogram", "nowhere.csv", "--user", "a", "--by", "b", "--epsilon", "1")[0] == 2


@pytest.mark.parametrize(
    ("package", "call", "words"),
    [
        ("pandas", hc.Release.to_pandas, r"to_pandas\(\) needs pandas\. Fix: pip install pandas"),
        ("polars", hc.Release.to_polars, r"to_polars\(\) needs polars\. Fix: pip install polars"),
        ("altair", hc.Release.chart, r"chart\(\) needs altair\. Fix: pip install 'headcount\[chart\]'"),
    ],
)
def test_a_release_says_which_package_is_missing(
    package: str, call: Callable[[hc.Release], Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = hc.histogram(hc.example(people=50), user="user", by="song", keys=["song 0001"], epsilon=1, bound=1)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackage, match=words):
        call(release)


def test_composition_says_which_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    delta = Fraction(1, 10**6)
    tight = compose.tightest(EVENTS, delta)
    for module in [name for name in sys.modules if name.startswith("dp_accounting")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    with pytest.raises(MissingPackage, match=r"needs dp_accounting\. Fix: pip install 'headcount\[pld\]'"):
        compose.covers(tight, EVENTS)
    assert compose.covers(hc.Cost(Fraction(3), delta), EVENTS)  # other accountants are enough


@pytest.mark.parametrize(
    ("use", "slow"),
    [
        ("hc", {"numpy", "pyarrow", "scipy"}),
        ("hc.Ledger('visits.db', epsilon=3)", {"ibis", "pyarrow", "scipy.special", "scipy.fft"}),
        ("hc.load", {"matplotlib", "pandas", "polars", "scipy.special", "scipy.fft"}),
    ],
)
def test_what_is_slow_to_import_comes_when_it_is_used(use: str, slow: set[str], tmp_path: Path) -> None:
    """In a fresh process: SciPy takes most of a second, Ibis two."""
    code = f"import sys, headcount as hc; {use}; print(sorted({slow} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("[]\n", "")
