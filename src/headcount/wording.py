"""How names and numbers are shown to people.

Names of files, columns and items are text that others wrote. A name can hold anything: escapes that rewrite a
terminal's screen, marks that turn the direction of writing, line ends that look like a line of ours. Whatever is shown
to people passes through `visible`; what programs read is escaped.
"""

import re

IRREGULAR = {"person": "people", "child": "children", "man": "men", "woman": "women"}
WORD = re.compile("[A-Za-z]?[a-z]+|[A-Z]+")
"""One English word; everything else is a name, which has no plural."""
_JSON_HIDDEN = re.compile(r"[^\x20-\x7e\n]")


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


def plural(item: str) -> str:
    """The plural of an item, by the name of its column.

    >>> [plural(name) for name in ("song", "country", "address", "song_id")]
    ['songs', 'countries', 'addresses', 'values of song_id']
    """
    if not WORD.fullmatch(item):
        return f"values of {item}"
    if item in IRREGULAR:
        return IRREGULAR[item]
    if re.search("[^aeiou]y$", item):
        return f"{item[:-1]}ies"
    if re.search("(ss|us|x|z|ch|sh)$", item):
        return f"{item}es"
    return item if item.endswith("s") else f"{item}s"


def format_number(value: float) -> str:
    """A number as people read it: three digits, or all before the point.

    >>> format_number(1234.5), format_number(0.123456)
    ('1,234', '0.123')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def times(count: int) -> str:
    """How often: "once", or "3 times"."""
    return "once" if count == 1 else f"{count:,} times"


def counted_noun(count: int, noun: str) -> str:
    """A number and its noun: "1 sample", "1,000 samples"."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
