"""Secret bytes that do not show themselves: whoever prints local variables prints their length alone."""


class Secret(bytes):
    """Bytes whose representation hides them: crash reporters and debuggers print local variables.

    >>> Secret(b"0123")
    <secret of 4 bytes>
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<secret of {len(self)} bytes>"

    __str__ = __repr__
