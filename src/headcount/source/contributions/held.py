"""Arrays that are made once and held: in memory while there is room, beyond that in a file, mapped whenever they are
read.

They are raw data. The file has no name, or loses it before anything is written (on Windows it keeps one, and is removed
as soon as it is closed): the system removes it with the process, however that ends. It is one file, and open once, but
for the arrays that are in use.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from tempfile import TemporaryFile
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = TypeVar("Array", bound=NDArray[np.generic])
ALIGNMENT = 8
"""Every array of a file begins at a multiple of this, the size of the largest number: compiled code needs it."""


class Store:
    """Holds arrays: the first ones in memory, those for which there is no room in a nameless file of a folder."""

    def __init__(self, folder: str | None, room: int) -> None:
        self._folder = folder  # None is the system's temporary folder
        self._room = room  # bytes of memory that are left
        self._file: IO[bytes] | None = None

    def hold(self, values: Array) -> Callable[[], Array]:
        """Return a function that returns these values; those of a file are read-only. An empty array takes no room."""
        if values.nbytes > self._room:
            return self._in_file(values)
        self._room -= values.nbytes
        own = values if values.base is None else values.copy()  # a part of a larger array would keep all of that
        return lambda: own

    def _in_file(self, values: Array) -> Callable[[], Array]:
        self._file = self._file or TemporaryFile(dir=self._folder)  # noqa: SIM115
        index = self._file.seek(-(-self._file.seek(0, 2) // ALIGNMENT) * ALIGNMENT)
        self._file.write(np.ascontiguousarray(values).data)
        self._file.flush()  # a full disk fails here
        return partial(_mapped, self._file, values.dtype, index, values.shape)

    def close(self) -> None:
        """Give the file up. What is mapped stays mapped."""
        if self._file is not None:
            self._file.close()


@contextmanager
def holding(folder: str | None, room: int) -> Iterator[Store]:
    """Hold arrays for the duration of the block: up to `room` bytes in memory, others in a file of a folder, or of the
    system's temporary one."""
    store = Store(folder, room)
    try:
        yield store
    finally:
        store.close()


def _mapped(file: IO[bytes], kind: np.dtype[np.generic], index: int, shape: tuple[int, ...]) -> Any:
    return np.asarray(np.memmap(file, kind, "r", index, shape))
