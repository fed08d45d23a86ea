"""`headcount top`, and items found one after another, from a terminal."""

import json
from pathlib import Path

import pytest
from tests.cli.test_commands import headcount
from tests.cli.test_people import plays

__all__ = ["plays"]
ASKED = ("--user=user", "--by=song", "--epsilon=1")


def test_the_most_common(plays: Path) -> None:
    run = headcount("top", plays.name, *ASKED, "--k=3", "--out=top.png", cwd=plays.parent)
    assert run.stdout.startswith("the 3 most common by song, from plays.parquet: 3 rows, epsilon 1, delta 1e-06")
    assert (plays.parent / "top.png").stat().st_size > 1000


def test_without_counts(plays: Path) -> None:
    run = headcount("top", plays.name, *ASKED, "--k=3", "--count=none", "--json", cwd=plays.parent)
    assert [row["rank"] for row in json.loads(run.stdout)["rows"]] == [1, 2, 3]


def test_count_release(plays: Path) -> None:
    asked = ("--user=user", "--by=song", "--mechanism=count-release:rho=0.1,target_error=0.2,kbar=500")
    plan = headcount("histogram", plays.name, *asked, "--dry-run", cwd=plays.parent)
    assert "Most counts will be off by at most 20%" in plan.stdout
    assert "headcount looks at the 500 most common ones" in " ".join(plan.stdout.split())
    run = headcount("histogram", plays.name, *asked, "--json", cwd=plays.parent)
    assert len(json.loads(run.stdout)["rows"]) > 50


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("--k=0",), "headcount: --k 0: a whole number of at least 1 is needed. Fix: --k 20"),
        (("--k=30", "--kbar=20"), "Fix: --kbar 300"),
        (("--rho=1",), "headcount: epsilon and rho: only one of them. Fix: --epsilon 1, or --rho 0.1"),
        (("--target-error=0",), "Fix: --target-error 0.1"),
        (("--variant=best",), "headcount: --variant best: unknown."),
        (("--count=none", "--out=x.png"), "headcount: out: items without counts have no picture."),
    ],
)
def test_mistakes(plays: Path, asked: tuple[str, ...], message: str) -> None:
    run = headcount("top", plays.name, *ASKED, *asked, cwd=plays.parent)
    assert run.returncode == 2
    assert message in run.stderr
