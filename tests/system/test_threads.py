"""Work on several threads: results in the order of their arguments, and an end whatever happens."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from itertools import count, islice
from pathlib import Path
from threading import Event, Timer, active_count, get_ident

import pytest

from headcount.source.kernels import kernels
from headcount.system.threads import map_threads, prefetch, workers


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_their_arguments(threads: int) -> None:
    """Also if the first one is done last."""
    others = Event()

    def tenfold(number: int) -> int:
        if number == 0 and threads > 1:
            assert others.wait(60)
        others.set()
        return 10 * number

    with prefetch(tenfold, range(50), threads=threads) as found:
        assert list(found) == [10 * number for number in range(50)]


def test_nothing_is_done_long_before_its_use() -> None:
    """Whoever reads ahead holds a few results, however many there will be."""
    begun: list[int] = []
    with prefetch(begun.append, count(), threads=2) as found:
        list(islice(found, 10))
        assert 10 <= len(begun) <= 15


def test_a_single_part_needs_no_thread() -> None:
    assert list(map_threads(lambda _: get_ident(), [1])) == [get_ident()]
    assert get_ident() not in map_threads(lambda _: get_ident(), [1, 2])


def test_one_thread_does_one_after_another() -> None:
    """So what it works on needs no lock: an iterator, for one."""
    rows: Iterator[int] = iter(range(1000))
    with prefetch(lambda _: (next(rows), get_ident()), range(1000), threads=1) as found:
        several = list(found)
    assert [number for number, _ in several] == [*range(1000)]
    assert len({thread for _, thread in several} - {get_ident()}) == 1


def test_a_failure_comes_in_its_turn_and_the_threads_end() -> None:
    threads = active_count()

    def reciprocal(number: int) -> float:
        return 1 / number

    with prefetch(reciprocal, [1, 2, 0, 4], threads=2) as found:
        assert [next(found), next(found)] == [1, 0.5]
        with pytest.raises(ZeroDivisionError):
            next(found)
    assert active_count() == threads


def test_leaving_early_begins_nothing_more() -> None:
    begun: list[int] = []
    with suppress(KeyboardInterrupt), prefetch(begun.append, range(1000), threads=1) as found:
        next(found)
        raise KeyboardInterrupt
    assert len(begun) <= 4


def test_what_was_not_begun_is_cancelled() -> None:
    """Whoever asks for it later need not wait."""
    begun, end = Event(), Event()

    def wait(_: int) -> bool:
        begun.set()
        return end.wait(60)

    with workers(1) as begin:
        first, second = begin(wait, 1), begin(wait, 2)
        assert begun.wait(60)
        Timer(0.1, end.set).start()
    assert first.result(0)
    with pytest.raises(CancelledError):
        second.result(0)


def run(script: str, folder: Path) -> str:
    """What a process of its own prints."""
    found = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, timeout=300)
    assert (found.returncode, found.stderr) == (0, "")
    return found.stdout


OUTLIVING = """
import threading, time
import pyarrow as pa
import headcount as hc

rows = pa.table({"user": [*range(200_000)] * 2, "item": [0] * 200_000 + [1] * 200_000})

def release():
    print(hc.histogram(rows, user="user", by="item", epsilon=1).table.num_rows)

def later():
    time.sleep(1)  # the main thread has ended
    release()

release()
threading.Thread(target=later).start()
"""


def test_a_thread_that_outlives_the_main_one_releases(tmp_path: Path) -> None:
    assert run(OUTLIVING, tmp_path) == "2\n2\n"


FEW_FILES = """
import resource
import pyarrow as pa
from headcount.source import contributions, open_events
from headcount.source.contributions import encoded, streamed
from headcount.source.contributions.contributions import ReadPlan

resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
encoded.HELD_PART, streamed.BATCH = 2**62, 2048
rows = pa.table({"user": [*range(200_000)], "item": ["a"] * 200_000})
read = contributions(open_events(rows, ["user", "item"]).table(), [None], events=False, keys=None)
with read.read(ReadPlan(encoded=True)) as found:
    print(found.encoded.ids is not None)
"""


def test_batches_in_a_file_need_few_open_files(tmp_path: Path) -> None:
    """However many there are: what is mapped holds the file open."""
    assert run(FEW_FILES, tmp_path) == f"{kernels() is not None}\n"
