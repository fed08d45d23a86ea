"""Work on several processors, ahead of its use: compiled functions and DuckDB do not hold the interpreter's lock.

Results come in the order of their arguments, whichever thread is done first: nothing that is seen depends on threads.
Threads are plain ones: an executor refuses work in a thread that outlives the main one.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from itertools import chain, islice
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar

A = TypeVar("A")
R = TypeVar("R")
MAX_THREADS = 8
"""Each thread needs memory of its own, and what all of them read comes from one disk."""
THREADS = min(MAX_THREADS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
"""Threads that compute at once: the processors of this process."""
Jobs = SimpleQueue[tuple[Future[Any], Callable[[Any], Any], Any] | None]


@contextmanager
def workers(count: int) -> Iterator[Callable[[Callable[[A], R], A], Future[R]]]:
    """Yield a function that begins function(argument) on one of `count` threads. These end with the block; what they
    have not begun by then is cancelled."""
    jobs = Jobs()
    threads = list[Thread]()

    def begin(function: Callable[[A], R], argument: A) -> Future[R]:
        jobs.put((future := Future[R](), function, argument))
        return future

    try:
        for _ in range(count):
            threads.append(Thread(target=_work, args=(jobs,), name="headcount", daemon=True))
            threads[-1].start()
        yield begin
    finally:
        _cancel(jobs)
        for _ in threads:
            jobs.put(None)
        for thread in (each for each in threads if each.ident):  # one may not have begun
            thread.join()


def _cancel(jobs: Jobs) -> None:
    """Cancel what nobody has begun."""
    with suppress(Empty):
        while job := jobs.get_nowait():
            job[0].cancel()


@contextmanager
def prefetch(function: Callable[[A], R], arguments: Iterable[A], *, threads: int = THREADS) -> Iterator[Iterator[R]]:
    """Yield function(argument) for each argument, in their order, while further ones are computed: up to twice as many
    as there are threads."""
    with workers(threads) as begin:

        def results() -> Iterator[R]:
            waiting = deque[Future[R]]()
            for argument in arguments:
                waiting.append(begin(function, argument))
                if len(waiting) > 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

        yield results()


def map_threads(function: Callable[[A], R], arguments: Iterable[A], *, threads: int = THREADS) -> Iterator[R]:
    """Yield function(argument) for each argument, computed on several threads; a single one, on this one."""
    others = iter(arguments)
    first = list(islice(others, 2))
    if len(first) < 2:
        yield from map(function, first)
        return
    with prefetch(function, chain(first, others), threads=threads) as found:
        yield from found


def _work(jobs: Jobs) -> None:
    """Compute until there is nothing more to do."""
    while (job := jobs.get()) is not None:
        future, function, argument = job
        try:
            future.set_result(function(argument))
        except BaseException as problem:  # raised where the result is read
            future.set_exception(problem)
