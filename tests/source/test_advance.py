"""Work on several threads: results in the order of their arguments, and an end whatever happens."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import count, islice
from threading import Event, active_count, get_ident

import pytest

from headcount.source.kernels.advance import in_advance


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_their_arguments(threads: int) -> None:
    """Also if the first one is done last."""
    others = Event()

    def tenfold(number: int) -> int:
        if number == 0 and threads > 1:
            assert others.wait(60)
        others.set()
        return 10 * number

    with in_advance(tenfold, range(50), threads=threads) as found:
        assert list(found) == [10 * number for number in range(50)]


def test_nothing_is_done_long_before_its_use() -> None:
    """Whoever reads ahead holds a few results, however many there will be."""
    begun: list[int] = []
    with in_advance(begun.append, count(), threads=2) as found:
        list(islice(found, 10))
        assert 10 <= len(begun) <= 15


def test_one_thread_does_one_after_another() -> None:
    """So what it works on needs no lock: an iterator, for one."""
    rows: Iterator[int] = iter(range(1000))
    with in_advance(lambda _: (next(rows), get_ident()), range(1000), threads=1) as found:
        several = list(found)
    assert [number for number, _ in several] == [*range(1000)]
    assert len({thread for _, thread in several} - {get_ident()}) == 1


def test_a_failure_comes_in_its_turn_and_the_threads_end() -> None:
    threads = active_count()

    def reciprocal(number: int) -> float:
        return 1 / number

    with in_advance(reciprocal, [1, 2, 0, 4], threads=2) as found:
        assert [next(found), next(found)] == [1, 0.5]
        with pytest.raises(ZeroDivisionError):
            next(found)
    assert active_count() == threads


def test_leaving_early_begins_nothing_more() -> None:
    begun: list[int] = []
    with suppress(KeyboardInterrupt), in_advance(begun.append, range(1000), threads=1) as found:
        next(found)
        raise KeyboardInterrupt
    assert len(begun) <= 4
