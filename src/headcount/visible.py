"""Text that others wrote (names of files, columns and items) as a terminal, a page or a picture may show it.

A name can hold anything: escapes that rewrite a terminal's screen, marks that turn the direction of writing, line ends
that look like a line of ours. Whatever is shown to people passes through here; what programs read is escaped.
"""

import re

HIDDEN = "·"
"""Shown in the place of a character that cannot be seen."""
_JSON_HIDDEN = re.compile(r"[^\x20-\x7e\n]")


def visible(text: str) -> str:
    """One line in which every character can be seen.

    >>> visible("user\\x1b[2J")
    'user·[2J'
    """
    return text if text.isprintable() else "".join(char if char.isprintable() else HIDDEN for char in text)


def visible_json(text: str) -> str:
    """The same JSON, with what cannot be seen in its strings as escapes.

    >>> visible_json('{"item": "\\u009b2J"}')
    '{"item": "\\\\u009b2J"}'
    """
    return _JSON_HIDDEN.sub(lambda found: _escaped(found[0]), text)


def _escaped(char: str) -> str:
    if char.isprintable():
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2))
