"""Ibis on DuckDB, without the SQL of nineteen other databases, whose import takes a tenth of a second of CPU.

Ibis' package of dialects is imported here so that each dialect is imported when it is first used; other code sees no
difference. A process that has imported the package before is left as it is.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

PACKAGE = "ibis.backends.sql.compilers"


class _WhenUsed:
    """Loads the package, but runs its file, which imports all dialects, only for what is in none of them."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to Python."""

    def exec_module(self, module: ModuleType) -> None:
        def attribute(name: str) -> Any:
            if name.startswith("__") and name != "__all__":  # what Python itself looks for
                raise AttributeError(name)
            with suppress(ModuleNotFoundError):
                dialect = import_module(f"{PACKAGE}.{name.removesuffix('Compiler').lower()}")
                return dialect if name.islower() else getattr(dialect, name)
            del module.__dict__["__getattr__"]
            self._loader.exec_module(module)
            return getattr(module, name)

        module.__dict__["__getattr__"] = attribute


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        found = PathFinder.find_spec(name, path) if name == PACKAGE else None
        if found is not None:
            found.loader = _WhenUsed(found.loader)  # type: ignore[assignment]
        return found


@contextmanager
def _dialects_when_used() -> Iterator[None]:
    """Import no dialect in the block but those that are named."""
    finder: Any = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


@cache
def backend() -> Any:
    """Import Ibis' class of a DuckDB connection."""
    with _dialects_when_used():
        from ibis.backends.duckdb import Backend
    return Backend
