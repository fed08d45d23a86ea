"""Between the look at the data and the last row nothing changes unnoticed: files swapped, cut, grown at each step."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headcount as hc
from headcount.account import Ledger
from headcount.errors import DataChanged, FileChanged

KEYS = [f"i{number}" for number in range(20)]
ASKED: dict[str, Any] = {
    **{"user": "user", "by": "item", "epsilon": 1},
    **{"keys": KEYS, "bound": "profile"},
}
STEPS = ("looking at the data", "reading", "choosing the bound", "bounding", "drawing noise")
KINDS = (".parquet", ".csv", ".tsv", ".jsonl", ".csv.gz", ".jsonl.gz")


def content(ending: str, rows: int) -> bytes:
    frame = pd.DataFrame({"user": range(rows), "item": [KEYS[row % 20] for row in range(rows)]})
    if ending == ".parquet":
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), sink)
        return bytes(sink.getvalue())
    if ".jsonl" in ending:
        text = frame.to_json(orient="records", lines=True)
    else:
        text = frame.to_csv(index=False, sep="\t" if ending == ".tsv" else ",")
    return gzip.compress(text.encode()) if ending.endswith(".gz") else text.encode()


def swap(path: Path, ending: str) -> None:
    beside = path.with_name("beside")
    beside.write_bytes(content(ending, 60))
    beside.replace(path)


def cut(path: Path, ending: str) -> None:
    os.truncate(path, path.stat().st_size // 2)


def grow(path: Path, ending: str) -> None:
    with path.open("ab") as file:
        file.write(content(ending, 3))


def add(path: Path, ending: str) -> None:
    path.write_bytes(content(ending, 9))


def remove(path: Path, ending: str) -> None:
    path.unlink()


CHANGES: dict[str, Callable[[Path, str], None]] = {"swapped": swap, "cut": cut, "grown": grow, "removed": remove}


class Meddler:
    """Changes a file at one of the steps of a release."""

    def __init__(self, step: str, change: Callable[[], None]) -> None:
        self._step, self._change, self.done = step, change, False

    def __call__(self, step: str) -> None:
        if step == self._step and not self.done:
            self.done = True
            self._change()


def refused(data: Any, step: str, change: Callable[[], None], ledger: Ledger | None = None) -> None:
    plan, meddler = hc.plan("histogram", hc.table(data, name="visits"), **ASKED), Meddler(step, change)
    with pytest.raises(FileChanged, match=r"^visits: a file changed while it was read. Nothing was released. Fix: "):
        plan.release(ledger=ledger, progress=meddler)
    assert meddler.done


@pytest.mark.parametrize("ending", KINDS)
@pytest.mark.parametrize("name", CHANGES)
def test_every_kind_of_file(tmp_path: Path, ending: str, name: str) -> None:
    path = tmp_path / f"visits{ending}"
    path.write_bytes(content(ending, 300))
    refused(path, "reading", lambda: CHANGES[name](path, ending))


@pytest.mark.parametrize("step", STEPS[1:])
@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_at_every_step(tmp_path: Path, ending: str, name: str, step: str) -> None:
    path = tmp_path / f"visits{ending}"
    path.write_bytes(content(ending, 300))
    refused(path, step, lambda: CHANGES[name](path, ending))


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_one_of_several_files_and_one_more_of_a_pattern(tmp_path: Path, ending: str) -> None:
    several = [tmp_path / f"{number}{ending}" for number in range(3)]
    for data in (several, tmp_path / f"*{ending}"):
        for path in several:
            path.write_bytes(content(ending, 300))
        (tmp_path / f"9{ending}").unlink(missing_ok=True)
        refused(data, "reading", lambda: swap(several[1], ending))
    refused(tmp_path / f"*{ending}", "reading", lambda: add(tmp_path / f"9{ending}", ending))


def test_before_the_charge_nothing_is_charged(tmp_path: Path) -> None:
    path, ledger = tmp_path / "visits.csv", Ledger(tmp_path / "l.db", epsilon=3, delta=1e-5)
    path.write_bytes(content(".csv", 300))
    refused(path, "looking at the data", lambda: grow(path, ".csv"), ledger)
    assert ledger.spends() == ()
    assert hc.histogram(hc.table(path, name="visits"), **ASKED, ledger=ledger).fresh


@pytest.mark.parametrize("step", STEPS[1:])
def test_after_the_charge_it_is_for_the_file_as_it_was(tmp_path: Path, step: str) -> None:
    path, ledger = tmp_path / "visits.csv", Ledger(tmp_path / "l.db", epsilon=3, delta=1e-5)
    before = content(".csv", 300)
    path.write_bytes(before)
    refused(path, step, lambda: swap(path, ".csv"), ledger)
    assert [spend.sealed for spend in ledger.spends()] == [False]
    with pytest.raises(DataChanged):
        hc.histogram(hc.table(path, name="visits"), **ASKED, ledger=ledger)
    path.write_bytes(before)
    assert hc.histogram(hc.table(path, name="visits"), **ASKED, ledger=ledger).fresh
    assert [spend.sealed for spend in ledger.spends()] == [True]


def test_what_is_sealed_is_about_the_file_that_was_looked_at(tmp_path: Path) -> None:
    """The small file's digest never has the large file's numbers."""
    path, ledger = tmp_path / "visits.parquet", Ledger(tmp_path / "l.db", epsilon=3, delta=1e-5)
    path.write_bytes(content(".parquet", 60))

    def large() -> None:
        beside = tmp_path / "beside"
        beside.write_bytes(content(".parquet", 30_000))
        beside.replace(path)

    refused(path, "reading", large, ledger)
    path.write_bytes(content(".parquet", 60))
    release = hc.histogram(hc.table(path, name="visits"), **ASKED, ledger=ledger)
    assert max(release.table["count"].to_pylist()) < 1000


def test_a_file_that_is_only_read_meanwhile_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_bytes(content(".csv", 300))
    plan = hc.plan("histogram", hc.table(path, name="visits"), **ASKED)
    path.write_bytes(content(".csv", 400))  # between the plan and the release: it is read as it is now
    read: list[bytes] = []
    assert len(plan.release(progress=lambda step: read.append(path.read_bytes())).table) == len(KEYS)
    assert len(read) > 2
