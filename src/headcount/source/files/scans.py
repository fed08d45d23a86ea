"""Scans: files that Python reads while an engine waits for their rows. They report progress, and keep what stops the
process: an engine would take Ctrl-C for a failure of the scan."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_STOPS: list[BaseException] = []
"""Requests to stop the process (Ctrl-C) that were raised inside a scan."""
_SCANS: list[Callable[[], float]] = []
"""Fraction of its files that each running scan has read, the newest last."""


@contextmanager
def scanning(fraction: Callable[[], float]) -> Iterator[None]:
    """Register a scan, which reports the fraction that it has read, for the duration of the block."""
    _SCANS.append(fraction)
    try:
        yield
    except (Exception, GeneratorExit):
        raise
    except BaseException as stop:
        _STOPS.append(stop)
        raise
    finally:
        _SCANS.remove(fraction)


def scanned() -> float | None:
    """Fraction that the newest scan has read; None if no scan runs."""
    return _SCANS[-1]() if _SCANS else None


def stop_behind(error: BaseException) -> BaseException | None:
    """Return the request to stop the process (Ctrl-C) behind an engine's error, if there is one: DuckDB reports it like
    any failure."""
    if _STOPS:
        return _STOPS.pop()
    while error.__context__ is not None:
        error = error.__context__
    return None if isinstance(error, Exception) else error
