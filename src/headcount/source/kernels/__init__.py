"""Compiled functions that count, add, sort and number (kernels.c), if they were built with the package.

Without them everything works, on the engine and by NumPy, with the same results and more slowly. They are loaded at
their first use. A file of another version is not used.
"""

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

VERSION = 6
"""Of the functions' signatures, a new number each time: `headcount_version` of kernels.c."""
FOLDER = Path(__file__).parent
LIBRARY = "kernels.bin"
"""What the build makes (hatch_build.py). With the suffix .so Python would take it for a module."""

_i64 = ctypes.c_int64


def _array(kind: Any) -> Any:
    return np.ctypeslib.ndpointer(kind, ndim=1, flags=("C_CONTIGUOUS", "ALIGNED"))


class _Maybe:
    """An array of bytes, or None."""

    _bytes = _array(np.bool_)

    @classmethod
    def from_param(cls, value: Any) -> Any:
        return None if value is None else cls._bytes.from_param(value)


class _MaybeNumbers(_Maybe):
    """An array of 32-bit numbers, or None."""

    _bytes = _array(np.uint32)


_longs, _words, _numbers, _text, _flags = map(_array, (np.int64, np.uint64, np.uint32, np.uint8, np.bool_))
_starts = _array(np.int32)
SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "number_texts": (
        _i64,
        [_starts, _text, _i64, _words, _numbers, _numbers, _i64, _text, _longs, _i64, _numbers],
    ),
    "number_integers": (_i64, [_longs, _i64, _words, _longs, _numbers, _i64, _longs, _i64, _numbers]),
    "move_texts": (None, [_numbers, _numbers, _i64, _numbers, _numbers, _i64]),
    "move_integers": (None, [_longs, _numbers, _i64, _words, _longs, _numbers, _i64]),
    "partition": (None, [_numbers, _numbers, _i64, _i64, _longs, _words, _MaybeNumbers]),
    "finish": (
        _i64,
        [
            *(_words, _words, _i64, _numbers, _i64, _i64, _i64, _i64),
            *(_numbers, _MaybeNumbers, _numbers, _longs, _longs, _MaybeNumbers),
        ],
    ),
    "count_flagged": (None, [_longs, _numbers, _flags, _Maybe, _i64, _longs, _longs]),
    "add_to_items": (None, [_longs, _numbers, _flags, _Maybe, _longs, _longs, _i64, _longs]),
    "order_texts": (None, [_longs, _text, _i64, _words, _words, _numbers]),
}


def kernels() -> Any:
    """The compiled functions; None if there are none."""
    return _built()


@cache
def _built() -> Any:
    return loaded(FOLDER / LIBRARY)


def loaded(path: Path) -> Any:
    """The functions of a file; None if there is none, it cannot be loaded here, or is of another version."""
    try:
        library = ctypes.CDLL(str(path))
        library.headcount_version.restype = _i64
        if library.headcount_version() != VERSION:
            return None
        for name, (result, arguments) in SIGNATURES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError):
        return None
    return library
