"""Modules that are imported when one of their names is first used: they take long to import, and many a release does
without."""

from importlib import import_module
from typing import TYPE_CHECKING, Any


class Late:
    """A module that is imported at its first attribute."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self._name), name)
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    import scipy as scipy
else:
    scipy = Late("scipy")

__all__ = ["Late", "scipy"]
