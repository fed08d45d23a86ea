"""Chunks of pairs are made once and held, in memory or in files without a name."""

from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pytest
from tests import large
from tests.kernels import without_kernels

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.errors import ReadingFailed
from headcount.source.contributions import encoded, held, streamed
from headcount.source.contributions.held import holding
from headcount.source.engines.duckdb import DuckDB
from headcount.source.kernels import kernels

ROWS = pa.table({"person": [k % 40 for k in range(400)], "item": [f"item {k % 7 * (k % 3)}" for k in range(400)]})
AMOUNTS = ROWS.append_column("paid", pa.array([k % 11 for k in range(400)]))
ASKED: dict[str, Any] = {"user": "person", "by": "item", "epsilon": 1}
JOBS: dict[str, tuple[str, dict[str, Any]]] = {
    "default": ("histogram", {}),
    "weighted": ("histogram", {"mechanism": "weighted"}),
    "events": ("histogram", {"count": "events"}),
    "sampled": ("histogram", {"mechanism": "thresholded", "bound": 2}),
    "amounts": ("aggregate", {"metrics": ["sum(paid)", "people"]}),
}


def released(job: str) -> Any:
    name, said = JOBS[job]
    return hc.plan(name, AMOUNTS, **ASKED, **said).release(entropy=Fixed(0)).content


@pytest.mark.parametrize("part", [8, 2**62], ids=["in memory", "in files"])
@pytest.mark.parametrize("job", JOBS)
def test_each_chunk_is_made_once(monkeypatch: pytest.MonkeyPatch, job: str, part: int) -> None:
    """However often it is read, and with the same release as one chunk."""
    whole = released(job)
    monkeypatch.setattr(encoded, "PAIRS", 50)
    monkeypatch.setattr(encoded, "HELD_PART", part)
    runs, chunk = Mock(wraps=encoded._runs), Mock(wraps=encoded._chunk)
    monkeypatch.setattr(encoded, "_runs", runs)
    monkeypatch.setattr(encoded, "_chunk", chunk)
    with without_kernels():
        assert released(job) == whole
    assert runs.call_count == 1
    assert chunk.call_count == len(encoded._runs(*runs.call_args.args)) > 1


@pytest.mark.parametrize("part", [8, 2**62], ids=["in memory", "in files"])
@pytest.mark.parametrize("job", [job for job in JOBS if job != "amounts"])
def test_rows_are_read_once(monkeypatch: pytest.MonkeyPatch, job: str, part: int) -> None:
    """By kernels: however many chunks there are, and with the same release."""
    if kernels() is None:
        pytest.skip("there are no compiled kernels")
    with without_kernels():
        whole = released(job)
    monkeypatch.setattr(encoded, "PAIRS", 50)
    monkeypatch.setattr(encoded, "HELD_PART", part)
    monkeypatch.setattr(streamed, "FEW_BATCHES", 1)
    batches, chunk = Mock(wraps=DuckDB.batches), Mock(wraps=streamed._chunk)
    monkeypatch.setattr(DuckDB, "batches", lambda *said: batches(*said))
    monkeypatch.setattr(streamed, "_chunk", chunk)
    assert released(job) == whole
    assert batches.call_count == 1
    assert chunk.call_count > 1


def test_what_is_held_is_the_same_wherever_it_lies(tmp_path: Path) -> None:
    values = np.arange(1000, dtype=np.uint32)
    with holding(str(tmp_path), values.nbytes) as store:
        held_ones = [store.hold(values), store.hold(values), store.hold(-np.arange(5.0)), store.hold(values[:0])]
        in_memory, in_file, others, empty = (each() for each in held_ones)
    assert in_memory is values
    assert in_file.tolist() == values.tolist()
    assert (in_file.dtype, type(in_file), in_file.flags.writeable) == (values.dtype, np.ndarray, False)
    assert others.tolist() == [0, -1, -2, -3, -4]
    assert not len(empty)


def test_what_is_held_is_aligned_for_compiled_code(tmp_path: Path) -> None:
    """Also after an odd number of smaller ones."""
    with holding(str(tmp_path), 0) as store:
        kinds = [np.uint8, np.int64, np.uint32, np.int64, np.uint8, np.uint32]
        found = [store.hold(np.arange(3).astype(kind)) for kind in kinds]
        assert all(each().flags.aligned for each in found)
        assert [each().tolist() for each in found] == [[0, 1, 2]] * len(kinds)


def test_a_file_has_no_name_and_is_open_once(tmp_path: Path) -> None:
    """So nothing is left of it, however the process ends, and there may be any number of arrays."""
    with holding(str(tmp_path), 0) as store:
        found = [store.hold(np.arange(number + 1)) for number in range(2000)]
        assert not [*tmp_path.iterdir()]
        assert [each()[-1] for each in found] == [*range(2000)]


def test_files_lie_where_rows_are_put_aside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = Mock(wraps=TemporaryFile)
    monkeypatch.setattr(held, "TemporaryFile", file)
    events = large.events(tmp_path)
    hc.histogram(hc.table(events, memory="50MB", spill=tmp_path), user="person", by="item", epsilon=1)
    assert {Path(call.kwargs["dir"]).parent.parent for call in file.call_args_list} == {tmp_path}
    assert [*tmp_path.iterdir()] == [events]


def test_a_full_disk_is_an_ordinary_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any noise is drawn; the rows are not in the message."""
    monkeypatch.setattr(held, "TemporaryFile", Mock(side_effect=OSError(28, "No space left on device")))
    monkeypatch.setattr(encoded, "PAIRS", 50)
    monkeypatch.setattr(encoded, "HELD_PART", 2**62)
    with pytest.raises(ReadingFailed):
        released("default")
