"""`headcount distribution`, from a terminal."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.test_commands import headcount

ASKED = ("--user=user", "--by=word", "--epsilon=1")


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,000 people of whom each said 50 words, half of them `a`."""
    path = tmp_path_factory.mktemp("words") / "words.parquet"
    said = np.random.default_rng(2).choice(["a", "a", "b", "c"], 50_000)
    pq.write_table(pa.table({"user": np.repeat(np.arange(1000), 50), "word": said}), path)
    path.with_name("keys.txt").write_text("a\nb\nc\n")
    return path


def test_a_distribution_and_its_files(words: Path) -> None:
    run = headcount(
        "distribution",
        words.name,
        *ASKED,
        "--keys=a,b,c",
        "--out=d.csv",
        "--out=d.png",
        "--out=d.html",
        cwd=words.parent,
    )
    first = "the distribution of word over people, from words.parquet: 3 rows, epsilon 1, delta 0"
    assert run.stdout.startswith(f"{first}\n")
    assert (words.parent / "d.csv").read_text().startswith('"word","share","low","high"\n"a",0.')
    assert (words.parent / "d.png").stat().st_size > 1000
    assert "This is the mechanism" in (words.parent / "d.html").read_text()


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    "asked",
    [
        (),
        ("--target=rows",),
        ("--target=source", "--bound=50", "--people=1000"),
        ("--mechanism=ks", "--bound=50"),
        ("--sizes=public", "--neighbours=replace"),
    ],
    ids=str,
)
def test_as_json(words: Path, asked: tuple[str, ...]) -> None:
    run = headcount("distribution", words.name, *ASKED, "--keys-file=keys.txt", *asked, "--json", cwd=words.parent)
    shares = {row["word"]: row["share"] for row in json.loads(run.stdout)["rows"]}
    assert shares == pytest.approx({"a": 0.5, "b": 0.25, "c": 0.25}, abs=0.05)


def test_a_plan(words: Path) -> None:
    asked = (*ASKED, "--keys=a,b,c", "--target=source", "--bound=50", "--people=1000", "--dry-run")
    run = headcount("distribution", words.name, *asked, cwd=words.parent)
    assert "if 1,000 people have 50 samples each (recentred)" in run.stdout
    assert "This plan read only the schema and spent nothing." in run.stdout


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((), "headcount: keys: a distribution is over items that are known in advance. Fix: --keys apple,pear; if"),
        (("--keys=a,b", "--people=many", "--bound=2"), "headcount: --people many: a whole number of at least 2"),
        (("--keys=a,b", "--bound=9"), "Fix: no bound; or --target rows, --bound 9 to weigh people by their rows"),
        (("--keys=a,b", "--sizes=public"), "Fix: --sizes public, --neighbours replace"),
        (("--keys=a,b", "--delta=0", "--mechanism=recentred"), "Fix: --delta 1e-6, or --mechanism laplace"),
    ],
)
def test_mistakes(words: Path, asked: tuple[str, ...], message: str) -> None:
    run = headcount("distribution", words.name, *ASKED, *asked, cwd=words.parent)
    assert (run.returncode, run.stdout) == (2, "")
    assert message in run.stderr
