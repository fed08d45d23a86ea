"""`headcount quantiles`, `ranges` and `heavy-hitters`, and samples, from a terminal."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.test_commands import headcount

ASKED = ("--user=user", "--epsilon=1")


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("visits") / "visits.parquet"
    minutes = [number % 60 for number in range(6000)]
    pq.write_table(pa.table({"user": range(6000), "minutes": minutes, "page": ["a"] * 5000 + ["b"] * 1000}), path)
    return path


def test_quantiles(visits: Path) -> None:
    asked = ("--value=minutes", "--q=0.1", "--q=0.5", "--range=0..60", "--out=q.png")
    run = headcount("quantiles", visits.name, *ASKED, *asked, cwd=visits.parent)
    assert run.stdout.startswith("quantiles of minutes, from visits.parquet: 2 rows, epsilon 1")
    assert (visits.parent / "q.png").stat().st_size > 1000


def test_quantiles_by_samples(visits: Path) -> None:
    asked = (
        "--value=minutes",
        "--edges=0,15,30,45,60",
        "--mechanism=sample-threshold:theta=20",
        "--bound=1",
        "--json",
    )
    run = headcount("quantiles", visits.name, *ASKED, *asked, cwd=visits.parent)
    assert [row["q"] for row in json.loads(run.stdout)["rows"]] == [tenth / 10 for tenth in range(1, 10)]


def test_ranges(visits: Path) -> None:
    asked = ("--value=minutes", "--ranges=0..10", "--ranges=10..60", "--bound=1", "--json")
    run = headcount("ranges", visits.name, *ASKED, *asked, cwd=visits.parent)
    rows = json.loads(run.stdout)["rows"]
    assert [(row["from"], row["to"]) for row in rows] == [(0, 10), (10, 60)]
    assert all(abs(row["count"] - truth) < 60 for row, truth in zip(rows, (1000, 5000), strict=True))


def test_heavy_hitters(visits: Path) -> None:
    asked = ("--by=page", "--share=0.5", "--bound=1", "--people=6000")
    run = headcount("heavy-hitters", visits.name, *ASKED, *asked, cwd=visits.parent)
    assert run.stdout.startswith("heavy hitters by page (at least 50% of the people), from visits.parquet: 1 row")
    assert "True" in run.stdout


def test_a_sample(visits: Path) -> None:
    asked = ("--by=page", "--mechanism=sample-threshold:p=0.1", "--bound=1")
    plan = headcount("histogram", visits.name, *ASKED, *asked, "--dry-run", cwd=visits.parent)
    assert "with a probability of 0.1, by a coin of its own. It adds no noise." in " ".join(plan.stdout.split())
    run = headcount("histogram", visits.name, *ASKED, *asked, "--json", cwd=visits.parent)
    assert {row["page"] for row in json.loads(run.stdout)["rows"]} == {"a", "b"}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("quantiles", "--value=minutes"), "Fix: --range 0..1000, or --edges 0,1,2,5,10,100"),
        (("quantiles", "--value=minutes", "--range=0"), "headcount: --range 0: a lower and an upper end."),
        (("quantiles", "--value=minutes", "--range=9..3"), "they must rise. Fix: --range 0..1000, the lowest and"),
        (("quantiles", "--value=minutes", "--range=0..9", "--q=0"), "Fix: --q 0.1,0.5,0.9, or --q 0.5 for the median"),
        (("ranges", "--value=minutes", "--ranges=0-9"), "Fix: --ranges 0..10,10..50"),
        (
            ("aggregate", "--by=page", "--metric=sum(minutes)", "--range=0..9"),
            "range: none of the metrics is a quantile. Fix: --metric 'median(x)', or no range",
        ),
        (("heavy-hitters", "--by=page", "--share=2"), "Fix: --share 0.01"),
        (("histogram", "--by=page", "--p=0.1"), "Fix: --mechanism sample-threshold:p=0.1"),
    ],
)
def test_mistakes(visits: Path, asked: tuple[str, ...], message: str) -> None:
    job, *rest = asked
    run = headcount(job, visits.name, *ASKED, *rest, cwd=visits.parent)
    assert run.returncode == 2
    assert message in run.stderr
