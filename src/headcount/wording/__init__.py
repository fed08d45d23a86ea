"""Formatting of names and numbers for people.

Names of files, columns and items are untrusted text. A name can contain anything: escapes that rewrite a terminal's
screen, marks that reverse the writing direction, line ends that imitate a line of our output. Whatever is shown to
people passes through `visible`; what programs read is escaped; what a page shows is both (markup.py).
"""

import re
from textwrap import fill

LINE = 80
"""The width of lines that a terminal shows."""
IRREGULAR_PLURALS = {"person": "people", "child": "children", "man": "men", "woman": "women"}
WORD = re.compile("[A-Za-z]?[a-z]+|[A-Z]+")
"""A single English word; anything else is a name, which has no plural."""
_JSON_UNPRINTABLE = re.compile(r"[^\x20-\x7e\n]")


def visible_json(text: str) -> str:
    """Escape unprintable characters in the strings of a JSON text.

    >>> visible_json('{"item": "\\u009b2J"}')
    '{"item": "\\\\u009b2J"}'
    """
    return _JSON_UNPRINTABLE.sub(lambda match: _escaped(match[0]), text)


def _escaped(char: str) -> str:
    if char.isprintable():
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[index : index + 2].hex()}" for index in range(0, len(units), 2))


def plural(item: str) -> str:
    """Plural of an item, given the name of its column.

    >>> [plural(name) for name in ("song", "country", "address", "song_id")]
    ['songs', 'countries', 'addresses', 'values of song_id']
    """
    if not WORD.fullmatch(item):
        return f"values of {item}"
    if item in IRREGULAR_PLURALS:
        return IRREGULAR_PLURALS[item]
    if re.search("[^aeiou]y$", item):
        return f"{item[:-1]}ies"
    if re.search("(ss|us|x|z|ch|sh)$", item):
        return f"{item}es"
    return item if item.endswith("s") else f"{item}s"


def format_number(value: float) -> str:
    """Format a number for people: three significant digits, or all digits before the point.

    >>> format_number(1234.5), format_number(0.123456)
    ('1,234', '0.123')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def wrapped(text: str, first: str = "", rest: str | None = None) -> str:
    """Wrap a text into lines of 80 characters: the first line begins with `first`, the others with `rest`, which is as
    many spaces unless it is given. Words are never broken: a name can be copied.

    >>> print(wrapped("A plan says what a release costs, how far off its counts are, and what appears.", "1. "))
    1. A plan says what a release costs, how far off its counts are, and what
       appears.
    """
    indent = " " * len(first) if rest is None else rest
    return fill(
        text, LINE, initial_indent=first, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def times(count: int) -> str:
    """Format a number of times: "once", or "3 times"."""
    return "once" if count == 1 else f"{count:,} times"


def counted_noun(count: int, noun: str) -> str:
    """Format a count with its noun: "1 sample", "1,000 samples"."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def counted_items(count: int, item: str) -> str:
    """Format a number of items, given the name of their column: "1 song", "10 songs"."""
    return f"1 {item}" if count == 1 else f"{count:,} {plural(item)}"


def sentence(clause: str) -> str:
    """Begin a clause with a capital letter."""
    return clause[:1].upper() + clause[1:]


def first_sentence(text: str) -> str:
    """The first sentence of a text, on one line.

    >>> first_sentence("The median. Or\\nanother quantile.")
    'The median.'
    """
    return re.split(r"(?<=\.) ", " ".join(text.split("\n\n")[0].split()))[0]
