"""Base class of objects that refuse to be copied or pickled: a copy could answer a second time with the same data."""

from typing import Any, NoReturn, SupportsIndex


class Single:
    """Refuses to be copied or pickled."""

    __slots__ = ()

    def __copy__(self) -> NoReturn:
        raise TypeError(f"there is one {type(self).__name__}: it cannot be copied")

    def __deepcopy__(self, memo: Any) -> NoReturn:
        self.__copy__()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        self.__copy__()
