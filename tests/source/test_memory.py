"""Files larger than memory: the same release, rows put aside in a private folder, and nothing left of them."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import duckdb
import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests import large

import headcount as hc
from headcount import papers
from headcount.audit.choices import Fixed
from headcount.errors import BadParameter, ReadingFailed

SMALL = "50MB"


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return large.events(tmp_path_factory.mktemp("large"))


@contextmanager
def watched(*folders: Path) -> Iterator[set[tuple[str, int]]]:
    """Everything that is seen in these folders meanwhile: its name, and the rights of the folder it lies in."""
    seen: set[tuple[str, int]] = set()
    over = Event()

    def watch() -> None:
        while not over.wait(0.01):
            for folder in folders:
                for inside, _, files in os.walk(folder):
                    seen.update((name, stat.S_IMODE(Path(inside).stat().st_mode)) for name in files)

    thread = Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def spill(tmp_path: Path) -> Path:
    folder = tmp_path / "spill"
    folder.mkdir()
    return folder


@pytest.mark.slow(but=["nothing"])
@pytest.mark.parametrize(
    "said",
    [{"mechanism": "thresholded", "bound": 5}, {"mechanism": "thresholded"}, {}, {"count": "events"}],
    ids=lambda said: ", ".join(map(str, said.values())) or "nothing",
)
def test_a_small_memory_gives_the_same_release(events: Path, here: Path, said: dict[str, Any]) -> None:
    """People come a few at a time."""
    asked: dict[str, Any] = {"user": "person", "by": "item", "epsilon": 1, **said}
    whole = hc.plan("histogram", events, **asked).release(entropy=Fixed(0))
    release = hc.plan("histogram", hc.table(events, memory=SMALL), **asked).release(entropy=Fixed(0))
    assert release.content == whole.content
    assert release.table.num_rows > 100
    assert not [*here.iterdir()]


def test_rows_are_put_aside_and_nothing_is_left_of_them(events: Path, here: Path, spill: Path) -> None:
    asked: dict[str, Any] = {"user": "person", "by": "item", "epsilon": 1, "mechanism": papers.Plume()}
    whole = hc.plan("histogram", events, **asked).release(entropy=Fixed(0))
    small = hc.plan("histogram", hc.table(events, memory=SMALL, spill=spill), **asked)
    with watched(spill) as aside, watched(here) as beside:
        release = small.release(entropy=Fixed(0))
    assert release.content == whole.content
    assert aside, "nothing was put aside"
    assert {mode for _, mode in aside} == {0o700}
    assert not beside
    assert not [*spill.iterdir(), *here.iterdir()]


def test_rows_are_put_aside_in_the_temporary_folder(
    events: Path, here: Path, spill: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(spill))
    with watched(spill) as aside, watched(here) as beside:
        hc.plan("profile", hc.table(events, memory=SMALL), user="person", by="item", epsilon=1).release()
    assert aside
    assert not beside
    assert not [*spill.iterdir(), *here.iterdir()]


def test_too_little_memory_is_a_reading_that_failed(tmp_path: Path, spill: Path) -> None:
    """The message is always the same, nothing is left on disk, and the ledger charges once."""
    path, ledger = tmp_path / "long.parquet", hc.Ledger(tmp_path / "long.db", epsilon=1, delta=1e-5)
    pq.write_table(pa.table({"user": range(150), "item": [f"{index}" * 150_000 for index in range(100, 250)]}), path)
    asked: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1, "ledger": ledger}
    with pytest.raises(ReadingFailed) as failed:
        hc.histogram(hc.table(path, memory="50MB", spill=spill), **asked)
    assert str(failed.value) == (
        "long.parquet: the rows could not be read to their end. Nothing was released. Fix: "
        'hc.table(data, memory="8GB"), or spill="/var/tmp" for a folder with more room, if the table is large; '
        "else read it with its own engine to see why. Then ask again: a ledger charges only once"
    )
    assert not any(spill.iterdir())
    assert [spend.sealed for spend in ledger.spends()] == [False]
    hc.histogram(path, **asked)
    assert [spend.sealed for spend in ledger.spends()] == [True]
    ledger.verify()


def test_a_plan_may_be_carried_out_twice(tmp_path: Path, spill: Path) -> None:
    pq.write_table(hc.example(people=500), tmp_path / "songs.parquet")
    made = hc.plan("profile", hc.table(tmp_path / "songs.parquet", spill=spill), user="user", by="song", epsilon=1)
    assert made.release(entropy=Fixed(0)).content == made.release(entropy=Fixed(0)).content
    pq.write_table(
        hc.example(people=500).cast(pa.schema({"user": pa.string(), "song": pa.string()})), tmp_path / "songs.parquet"
    )
    with pytest.raises(ReadingFailed):
        made.release()


def test_limits_are_no_part_of_the_question(tmp_path: Path, spill: Path) -> None:
    ledger = hc.Ledger(tmp_path / "songs.db", epsilon=1, delta=1e-5)
    asked: dict[str, Any] = {"user": "user", "by": "song", "epsilon": 1}
    plain = hc.plan("histogram", hc.table(hc.example(people=2000), name="songs"), **asked)
    limited = hc.plan("histogram", hc.table(hc.example(people=2000), name="songs", memory="1GB", spill=spill), **asked)
    assert plain == limited
    assert (plain.to_json(), plain.charge(), str(plain)) == (limited.to_json(), limited.charge(), str(limited))
    first = plain.release(ledger=ledger)
    again = limited.release(ledger=ledger)
    assert (again.content, again.fresh) == (first.content, False)


JOBS: dict[str, dict[str, Any]] = {
    "histogram": {"by": "song"},
    "heavy_hitters": {"by": "song"},
    "top": {"by": "song"},
    "profile": {"by": "song"},
    "total": {},
    "quantiles": {"value": "plays", "range": (0, 9)},
    "ranges": {"value": "plays", "ranges": [(0, 5)]},
    "shape": {"by": "song"},
    "distribution": {"by": "song", "keys": ["song 0001", "song 0002"]},
}


@pytest.mark.slow(one_in=4)
@pytest.mark.parametrize("job", JOBS)
def test_every_job_has_limits(job: str, spill: Path) -> None:
    table = hc.example(people=500)
    table = table.append_column("plays", pa.array([index % 9 for index in range(len(table))]))
    asked: dict[str, Any] = {"user": "user", "epsilon": 1, **JOBS[job]}
    assert getattr(hc, job)(hc.table(table, memory=500_000_000, spill=spill), **asked).cost.epsilon == 1
    assert not any(spill.iterdir())


@pytest.mark.parametrize("memory", ["4GB", "4 gb", "4000MB", 4 * 10**9, "4000000000", "0.004TB"], ids=str)
def test_amounts_of_memory(memory: Any) -> None:
    made = hc.plan("profile", hc.table(hc.example(people=10), memory=memory), user="user", by="song", epsilon=1)
    assert made.limits.memory == 4 * 10**9


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"memory": ""}, "memory='': not an amount of memory."),
        ({"memory": "4e9"}, "memory='4e9': not an amount of memory."),
        ({"memory": True}, "memory=True: not an amount of memory."),
        ({"memory": 4.5}, "memory=4.5: not an amount of memory."),
        ({"memory": -1}, "memory=-1: at least 50MB, at most 1024TiB."),
        ({"memory": "10MB"}, "memory='10MB': at least 50MB, at most 1024TiB."),
        ({"memory": "2000TB"}, "memory='2000TB': at least 50MB, at most 1024TiB."),
        ({"spill": "nowhere"}, "spill='nowhere': there is no such folder."),
        ({"spill": 3}, "spill=3: not a folder."),
    ],
    ids=lambda each: "" if isinstance(each, str) else repr(each),
)
def test_limits_that_cannot_be_meant(limits: dict[str, Any], message: str) -> None:
    """Said before the file is looked for."""
    with pytest.raises(BadParameter) as refused:
        hc.table("nowhere.csv", **limits)
    assert str(refused.value).startswith(message)


def test_an_engine_of_ones_own_has_its_own_limits(spill: Path) -> None:
    connection = duckdb.connect()
    connection.register("given", hc.example(people=10))
    connection.execute("CREATE TABLE songs AS SELECT * FROM given")
    for data in (connection.table("songs"), ibis.duckdb.from_connection(connection).table("songs")):
        limits: dict[str, Any]
        for limits in ({"memory": "4GB"}, {"spill": spill}):
            with pytest.raises(BadParameter, match=r"the table is on an engine of your own. Fix: no (memory|spill), "):
                hc.plan("profile", hc.table(data, **limits), user="user", by="song", epsilon=1)
