"""Work on several processors, ahead of its use: compiled functions and DuckDB do not hold the interpreter's lock.

Results come in the order of their arguments, whichever thread is done first: nothing that is seen depends on threads.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

A = TypeVar("A")
R = TypeVar("R")
THREADS = os.cpu_count() or 1
"""Threads that compute at once."""


@contextmanager
def in_advance(function: Callable[[A], R], arguments: Iterable[A], *, threads: int = THREADS) -> Iterator[Iterator[R]]:
    """Yield function(argument) for each argument, in their order, while further ones are computed: up to twice as many
    as there are threads. Threads end with the block; what they have not begun by then is left out."""
    pool, waiting = ThreadPoolExecutor(threads, "headcount"), deque[Future[R]]()

    def results() -> Iterator[R]:
        for argument in arguments:
            waiting.append(pool.submit(function, argument))
            if len(waiting) > 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    try:
        yield results()
    finally:
        pool.shutdown(cancel_futures=True)


def all_at_once(function: Callable[[A], R], arguments: Sequence[A]) -> list[R]:
    """Compute function(argument) for each argument, on as many threads as there are; for a single one, on this one."""
    if len(arguments) < 2:
        return [function(argument) for argument in arguments]
    with in_advance(function, arguments) as found:
        return list(found)
