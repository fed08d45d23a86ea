"""What is published: rows, intervals, files, pictures, pages."""

import csv
import io
import json
import os
import stat
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.strategies import strategy
from tests.tables import table

import headcount as hc
from headcount.account import Cost
from headcount.audit.choices import Fixed
from headcount.errors import BadParameter, NotATable
from headcount.noise import SystemEntropy
from headcount.noise.finite import Bernoulli
from headcount.release.files import write

NASTY = ["=cmd()", "+1", "-1", "@x", "\tx", "\rx", "'quoted'", 'say "hi"', "two\nlines", "<script>alert(1)</script>"]
NASTY += ["$x^2$", "\x1b[2J", "a,b", "", "😀 naïve", "x" * 200]


@pytest.fixture
def release() -> hc.Release:
    rows = [(user, item) for user in range(3) for item in NASTY]
    return hc.plan("histogram", table(rows), user="user", by="item", epsilon=1, bound=20, keys=NASTY).release()


@pytest.fixture
def songs() -> hc.Release:
    return hc.histogram(hc.example(), user="user", by="song", epsilon=1, bound=20)


def test_the_table(songs: hc.Release) -> None:
    assert songs.table.schema == pa.schema(
        [("song", pa.string()), ("count", pa.int64()), ("low", pa.int64()), ("high", pa.int64())]
    )
    rows = songs.table.to_pylist()
    assert rows == sorted(rows, key=lambda row: (-row["count"], row["song"]))
    assert all(1 <= row["low"] <= row["count"] <= row["high"] for row in rows)
    assert songs.table["song"][0].as_py() == "song 0001"
    assert min(songs.table["count"].to_pylist()) >= 103


def test_the_cost_is_what_was_typed(songs: hc.Release) -> None:
    assert (songs.cost.epsilon, songs.cost.delta) == (1.0, 1e-6)
    assert len(songs.cost.events) == 1
    pure = hc.histogram(table([(1, "a")]), user="user", by="item", epsilon=0.3, bound=1, keys=["a"])
    assert (pure.cost.epsilon, pure.cost.delta) == (0.3, 0.0)


def test_known_items_all_appear_and_no_count_is_negative() -> None:
    keys = [f"item {number}" for number in range(500)]
    release = hc.histogram(table([(1, "item 7")]), user="user", by="item", epsilon=1, bound=1, keys=keys)
    assert sorted(release.table["item"].to_pylist()) == sorted(keys)
    assert min(release.table["count"].to_pylist()) >= 0
    assert min(release.table["low"].to_pylist()) >= 0


@pytest.mark.parametrize("bound", [1, 25], ids=["Laplace", "Gaussian"])
@pytest.mark.parametrize("above", [-30, -5, 0, 10, 100, 1000])
def test_intervals_of_shown_items_hold_the_truth(bound: int, above: int) -> None:
    """Given that the item is shown, in at least 95% of the cases; for counts below, at and above the threshold, where
    plain intervals fail. 20,000 shown draws: the share's deviation is 0.0016."""
    budget = Cost(Fraction(1), Fraction(1, 10**6))
    mechanism = strategy(budget, "users", "add-remove", None, bound).mechanism()
    threshold = getattr(mechanism.event, "threshold", 0)
    truth = max(1, threshold + (above if bound == 25 else above // 3))
    draws = SystemEntropy().draw(mechanism.distribution, 4_000_000 if above < -10 else 400_000)
    values = truth + draws
    coins = SystemEntropy().draw(Bernoulli(mechanism.coin), len(values))
    values = values[values + coins >= threshold][:20_000]
    low, high = mechanism.interval(values)
    assert ((low <= truth) & (truth <= high)).mean() > 0.95 - 5 * (0.05 * 0.95 / len(values)) ** 0.5
    if above == 1000:
        assert ((low <= truth) & (truth <= high)).mean() < 0.95 + 0.03  # whole numbers: a little more than asked
        assert (np.abs((high - low) / (2 * mechanism.error) - 1) < 0.2).all()


@pytest.mark.parametrize("bound", [5, 50], ids=["Laplace", "Gaussian"])
def test_intervals_of_known_items_hold_the_truth(bound: int) -> None:
    budget = Cost(Fraction(1), Fraction(1, 10**6))
    mechanism = strategy(budget, "users", "add-remove", 1000, bound).mechanism()
    values = 5000 * 1024 + SystemEntropy().draw(mechanism.distribution, 100_000)
    low, high = mechanism.interval(values)
    assert 0.945 < ((low <= 5000) & (high >= 5000)).mean() < 0.975


def test_save_and_load(songs: hc.Release, tmp_path: Path) -> None:
    loaded = hc.load(songs.save(tmp_path / "songs.parquet"))
    assert loaded.content == songs.content
    assert loaded.table.equals(songs.table)
    assert loaded.cost == songs.cost
    assert loaded.explain() == songs.explain()
    assert pq.read_table(tmp_path / "songs.parquet").num_rows == songs.table.num_rows


def test_exits(songs: hc.Release) -> None:
    assert songs.to_pandas()["count"].sum() == songs.to_polars()["count"].sum()
    assert list(songs.to_pandas().columns) == songs.to_polars().columns == songs.table.column_names


@pytest.mark.parametrize("name", ["r.txt", "r", "r.xlsx"])
def test_unknown_kinds_of_files(songs: hc.Release, tmp_path: Path, name: str) -> None:
    with pytest.raises(BadParameter, match=r"unknown kind of file\. Fix: a name that ends in \.parquet, \.csv"):
        songs.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(songs: hc.Release, tmp_path: Path) -> None:
    for name in ("r.csv", "r.png", "r.html", "r.parquet", "r.json"):
        with pytest.raises(BadParameter, match="cannot be written"):
            songs.save(tmp_path / "nowhere" / name)


def test_load_refuses_what_is_no_release(tmp_path: Path) -> None:
    with pytest.raises(NotATable, match="there is no such file"):
        hc.load(tmp_path / "none.parquet")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    (tmp_path / "text.parquet").write_text("text")
    for name in ("other.parquet", "text.parquet"):
        with pytest.raises(NotATable, match=r"not a release\. Fix: a \.parquet file from release\.save"):
            hc.load(tmp_path / name)


def test_a_csv_cannot_run_anything(release: hc.Release, tmp_path: Path) -> None:
    text = release.save(tmp_path / "r.csv").read_bytes().decode()
    rows = list(csv.reader(io.StringIO(text)))[1:]
    assert all(not row[0].startswith(("=", "+", "-", "@", "\t", "\r", "\n")) for row in rows)
    back = {row[0].removeprefix("'") if row[0][:2] in {f"'{mark}" for mark in "=+-@\t\r\n"} else row[0] for row in rows}
    assert back == set(NASTY)


def test_a_page_holds_no_code_and_loads_nothing(release: hc.Release, tmp_path: Path) -> None:
    page = release.report(tmp_path / "r.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\x1b" not in page
    assert 'src="' not in page
    assert "url(http" not in page
    for text in (
        "People per item",
        "epsilon 1, delta 1e-06",
        "Privacy: adding or removing any one person",
        "<svg",
        "how to run it again",
        "docs/proofs",
    ):
        assert text in page


def test_a_summary_cannot_paint_the_terminal(release: hc.Release) -> None:
    assert "\x1b" not in repr(release)
    assert len(repr(release).splitlines()) == 15
    assert "... and 6 rows more" in repr(release)


def test_a_notebook_shows_it(songs: hc.Release) -> None:
    assert "<svg" in songs._repr_html_()


def test_json(songs: hc.Release, tmp_path: Path) -> None:
    said = json.loads(songs.save(tmp_path / "r.json").read_text())
    assert said["rows"] == songs.table.to_pylist()
    assert (said["epsilon"], said["delta"], said["what"]) == ("1", "0.000001", "people per song")
    assert said["plan"]["parameters"]["bound"] == 20


@pytest.mark.parametrize("kind", [".png", ".svg", ".pdf"])
def test_pictures(songs: hc.Release, tmp_path: Path, kind: str) -> None:
    path = songs.save(tmp_path / f"r{kind}")
    assert path.read_bytes()[:4] in (b"\x89PNG", b"<?xm", b"%PDF")
    first = path.read_bytes()
    songs.save(path)
    assert path.read_bytes() == first


def test_pictures_of_odd_items_and_of_nothing(release: hc.Release, tmp_path: Path) -> None:
    release.plot(tmp_path / "r.png")
    nothing = hc.histogram(table([(1, "a")]), user="user", by="item", epsilon=1, bound=1)
    assert nothing.table.num_rows == 0
    nothing.plot(tmp_path / "nothing.svg")
    assert "0 rows, epsilon 1, delta 1e-06\n\nNo item had enough people to be shown.\n\nHint: " in nothing.summary()


def test_bins_are_shown_in_their_own_order() -> None:
    ages = pa.table({"user": range(30), "age": [55] * 20 + [5] * 10})
    plan = hc.plan("histogram", ages, user="user", by="age", epsilon=1, bound=1, bins=[0, 10, 50, 100])
    release = plan.release(entropy=Fixed(0))
    labels = [label.get_text() for label in release.plot().axes[0].get_yticklabels()]
    assert labels == ["[0, 10)", "[10, 50)", "[50, 100]"]
    assert release.table["age"].to_pylist() == labels
    assert [line.split("  ")[0] for line in release.summary().splitlines()[-3:]] == labels
    indices = [release._repr_html_().index(f"<td>{label}") for label in labels]
    assert indices == sorted(indices)


def test_dates_are_shown_by_date() -> None:
    days = [date(2024, 1, 9), date(2024, 1, 10), date(2023, 12, 31)]
    several = [(user, days[min(user // 10, 2)]) for user in range(60)]  # 10, 10 and 40 people
    texts = [(user, str(day)) for user, day in several]  # as in a CSV
    for rows, shown in ((several, sorted(days)), (texts, sorted(map(str, days)))):
        plan = hc.plan("histogram", table(rows), user="user", by="item", epsilon=1, bound=1, keys=shown)
        release = plan.release(entropy=Fixed(0))
        assert release.table["item"].to_pylist() == shown
        (line,) = release.plot().axes[0].lines
        points = np.asarray(line.get_ydata())  # from December 31st to January 9th nothing was released
        assert points[~np.isnan(points)].tolist() == [40, 10, 10]
        assert np.isnan(points).tolist() == [False, True, False, False]


def test_dates_beside_other_items() -> None:
    """By date; on each, the most first."""
    rows = {"user": range(7), "day": [date(2024, 1, 2)] * 3 + [date(2024, 1, 1)] * 4, "item": list("aabccdd")}
    keys = [(date(2024, 1, day), item) for day in (1, 2) for item in "abcd"]
    plan = hc.plan("histogram", pa.table(rows), user="user", by=["day", "item"], epsilon=1, bound=1, keys=keys)
    found = plan.release(entropy=Fixed(0)).table.to_pylist()
    assert [(row["day"].day, row["item"], row["count"]) for row in found] == [
        *((1, item, count) for item, count in (("c", 2), ("d", 2), ("a", 0), ("b", 0))),
        *((2, item, count) for item, count in (("a", 2), ("b", 1), ("c", 0), ("d", 0))),
    ]


def test_many_dates_are_a_line_or_bars_by_count() -> None:
    days = [date(2024, 1, 1) + timedelta(days=day) for day in range(120)]
    rows = [(user, days[min(user, 119)]) for user in range(200)]
    plan = hc.plan("histogram", table(rows), user="user", by="item", epsilon=1, bound=1, keys=days)
    release = plan.release(entropy=Fixed(0))
    assert release.table["item"].to_pylist() == days
    assert np.shape(release.plot(most=5).axes[0].lines[0].get_xydata()) == (120, 2)
    labels = [label.get_text() for label in release.plot(order="value", most=5).axes[0].get_yticklabels()]
    assert labels == ["2024-04-29", "2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"]


def test_the_most_common_dates_are_by_count() -> None:
    rows = [(user, date(2024, 1, 1 + min(user // 1000, 1))) for user in range(6000)]  # 1,000 and 5,000 people
    for release in (
        hc.top(table(rows), user="user", by="item", k=2, epsilon=1),
        hc.heavy_hitters(table(rows), user="user", by="item", epsilon=1, bound=1),
    ):
        assert [day.day for day in release.table["item"].to_pylist()] == [2, 1]


def test_the_example_is_the_same_every_time() -> None:
    assert hc.example(people=50).equals(hc.example(people=50))


def test_the_folder_is_on_the_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A power cut right after `save` would undo the rename."""
    synced: list[tuple[bool, bool]] = []
    fsync = os.fsync

    def watched(file: int) -> None:
        synced.append((stat.S_ISDIR(os.fstat(file).st_mode), (tmp_path / "r.csv").exists()))
        fsync(file)

    monkeypatch.setattr(os, "fsync", watched)
    write(tmp_path / "r.csv", b"content")
    assert synced == [(False, False), (True, True)]


def test_a_profile_shows_items_before_events() -> None:
    """Each by its bins, however noise is drawn; and what was saved can be loaded."""
    profile = hc.profile(table([(1, "a"), (2, "b")]), user="user", by="item", epsilon=1).table
    half = profile.num_rows // 2
    assert profile["contributes"].to_pylist() == ["items"] * half + ["events"] * half
    sizes = profile["size"].to_pylist()
    assert sizes[:4] == ["1", "2", "3", "4 to 5"]
    assert sizes[:half] == sizes[half:]
