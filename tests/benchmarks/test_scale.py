"""The benchmark of `make bench`: its tables are what their page says, and the command runs from end to end."""

from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from benchmarks.scale import __main__ as command
from benchmarks.scale.events import table
from benchmarks.scale.rows import Rows

from benchmarks import grid

EVENTS = 10_000


def asked(query: str) -> list[tuple[int, ...]]:
    return duckdb.connect().sql(query).fetchall()


def test_the_same_bytes_every_time(tmp_path: Path) -> None:
    first, second = (table(EVENTS, tmp_path / name) for name in ("one", "two"))
    assert first.read_bytes() == second.read_bytes()
    assert [path.name for path in first.parent.iterdir()] == [first.name]


def test_the_promised_shape(tmp_path: Path) -> None:
    """People are 3% of the events, items are Zipf's, and some people have far more than most."""
    path = table(EVENTS, tmp_path)
    kinds = pq.read_schema(path)
    assert [(name, str(kinds.field(name).type)) for name in kinds.names] == [("user_id", "int64"), ("item", "string")]
    assert asked(f"SELECT count(*), count(DISTINCT user_id), count(DISTINCT item) FROM '{path}'") == [
        (EVENTS, 300, 100)
    ]
    people = f"SELECT count(*) AS events FROM '{path}' GROUP BY user_id"
    middle, max_total = asked(f"SELECT quantile_disc(events, 0.5), max(events) FROM ({people})")[0]
    assert 8 <= middle <= 14
    assert max_total > 20 * middle
    common = [count for (count,) in asked(f"SELECT count(*) AS n FROM '{path}' GROUP BY item ORDER BY n DESC LIMIT 2")]
    assert 1.5 < common[0] / common[1] < 2.5
    assert asked(f"SELECT count(DISTINCT user_id) > 50 FROM (FROM '{path}' LIMIT 100)") == [(True,)]  # no order


def test_ids_that_are_texts(tmp_path: Path) -> None:
    """Another name for each person, 36 characters long; as many rows of each, and as many items as asked for."""
    numbers, texts = table(EVENTS, tmp_path), table(EVENTS, tmp_path, 1_000, "texts")
    assert asked(f"SELECT count(*), count(DISTINCT user_id), count(DISTINCT item) > 500 FROM '{texts}'") == [
        (EVENTS, 300, True)
    ]
    assert asked(f"SELECT DISTINCT length(user_id) FROM '{texts}'") == [(36,)]
    sizes = [f"SELECT count(*) AS n FROM '{path}' GROUP BY user_id ORDER BY n" for path in (numbers, texts)]
    assert asked(sizes[0]) == asked(sizes[1])


def test_a_grid_of_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    indices = ["--ids", "texts,integers", "--rounds", "1", "--folder", tmp_path, "--image", tmp_path / "growth.png"]
    monkeypatch.setattr("sys.argv", ["grid", *(str(each) for each in ("--events", EVENTS, *indices))])
    grid.main()
    printed = capsys.readouterr().out.split("## tables\n\n")[1].splitlines()
    assert [line.split(" | ")[:3] for line in printed[2:]] == [
        ["| 10,000", "100", ids] for ids in ("texts", "integers")
    ]
    assert all(len(line.split(" | ")) == len(grid.HEADS) for line in printed[2:])
    assert (tmp_path / "growth.png").stat().st_size > 10_000


def test_from_end_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Measures, keeps, prints; the second time nothing is measured, and the same is printed."""
    indices = ["--folder", tmp_path / "tables", "--rows", tmp_path / "rows.json", "--images", tmp_path]
    typed = [str(each) for each in ("--sizes", EVENTS, "--rounds", 1, "--only", "polars,known", *indices)]
    command.main(typed)
    rows, printed = Rows.read(tmp_path / "rows.json"), capsys.readouterr().out
    assert set(rows.of(f"events_{EVENTS}")) == {"plain", "polars", "known"}
    assert {way: row.off("released") for way, row in rows.of(f"events_{EVENTS}").items()} == dict.fromkeys(
        ("plain", "polars", "known"), 100
    )
    assert rows.of(f"events_{EVENTS}")["polars"].off("l1") == 0
    assert printed.startswith("## synthetic\n\n**10,000 synthetic events**")
    assert "| headcount, items known |" in printed
    assert [path.name for path in tmp_path.glob("*.png")] == ["scaling-ways.png"]
    command.main(typed)
    assert capsys.readouterr().out == printed
    assert Rows.read(tmp_path / "rows.json") == rows


def test_rows_of_other_runs_are_not_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    indices = ["--folder", str(tmp_path / "tables"), "--rows", str(tmp_path / "rows.json"), "--rounds", "1"]
    command.main([*indices, "--sizes", "5000", "--only", "polars"])
    command.main([*indices, "--sizes", str(EVENTS), "--only", "polars"])
    assert "5,000 synthetic events" not in capsys.readouterr().out.split("**10,000 synthetic events**")[1]
