"""Modules that are imported when one of their names is first used: they take long to import, and many a release does
without."""

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any


class Late:
    """A module that is imported at its first attribute. One that is not installed is missed at once."""

    def __init__(self, name: str) -> None:
        if sys.modules.get(top := name.partition(".")[0]) is None and find_spec(top) is None:
            raise ModuleNotFoundError(f"No module named {top!r}", name=top)
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name == "_name":  # of one that was not initialised
            raise AttributeError(name)
        found = getattr(import_module(self._name), name)
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    import scipy as scipy
else:
    scipy = Late("scipy")

__all__ = ["Late", "scipy"]
