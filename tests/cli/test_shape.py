"""`headcount shape`, from a terminal."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.test_commands import headcount

ASKED = ("--user=user", "--by=word", "--epsilon=1")


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,000 words of three people each, and one of 3,000."""
    path = tmp_path_factory.mktemp("words") / "words.parquet"
    pq.write_table(pa.table({"user": range(6000), "word": [*range(1000)] * 3 + [1000] * 3000}), path)
    return path


def test_a_shape_and_its_files(words: Path) -> None:
    run = headcount("shape", words.name, *ASKED, "--out=shape.csv", "--out=shape.png", cwd=words.parent)
    assert run.stdout.startswith("the shape of people per word, from words.parquet: ")
    assert "different items  " in run.stdout
    assert (
        (words.parent / "shape.csv")
        .read_text()
        .startswith('"count","low","high","items","at_least","at_least_low","at_least_high"\n')
    )
    assert (words.parent / "shape.png").stat().st_size > 1000


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("asked", [(), ("--mechanism=buckets:buckets=8000",), ("--loss=l2", "--people=6000")], ids=str)
def test_as_json(words: Path, asked: tuple[str, ...]) -> None:
    run = headcount("shape", words.name, *ASKED, *asked, "--json", cwd=words.parent)
    rows = json.loads(run.stdout)["rows"]
    assert abs(rows[0]["count"] - 3000) < 40
    assert abs(sum(row["count"] * row["items"] for row in rows) - 6000) < 1500


def test_a_plan(words: Path) -> None:
    run = headcount("shape", words.name, *ASKED, "--mechanism=buckets", "--dry-run", cwd=words.parent)
    assert "puts each word into a bucket; there are 2 for each contribution." in " ".join(run.stdout.split())
    assert "This plan read only the schema and spent nothing." in run.stdout


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("--bound=many",), "headcount: --bound many: of a shape it is a number. Fix: --bound 1, the most"),
        (("--buckets=100",), "Fix: --mechanism buckets:buckets=100"),
        (("--mechanism=buckets:buckets=many",), "headcount: buckets='many': a whole number of at least 2"),
        (("--loss=l0",), "--loss"),
    ],
)
def test_mistakes(words: Path, asked: tuple[str, ...], message: str) -> None:
    run = headcount("shape", words.name, *ASKED, *asked, cwd=words.parent)
    assert (run.returncode, run.stdout) == (2, "")
    assert message in run.stderr
