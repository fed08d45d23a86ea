"""Several of what a column holds, in English."""

import re

IRREGULAR = {"person": "people", "child": "children", "man": "men", "woman": "women"}
WORD = re.compile("[A-Za-z]?[a-z]+|[A-Z]+")
"""One English word; everything else is a name, which has no plural."""


def plural(item: str) -> str:
    """Several of an item, by the name of its column.

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
