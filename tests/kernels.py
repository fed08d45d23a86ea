"""Compiled kernels may be there or not: what must hold both ways is tried both ways."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from headcount.source import kernels


@contextmanager
def without_kernels() -> Iterator[None]:
    """As if no kernels were built."""
    with patch.object(kernels, "_built", lambda: None):
        yield
