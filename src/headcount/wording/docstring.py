"""Parameters in a docstring: `name: text`, one paragraph each, continued on indented lines.

    where: what columns must be.
        Ends are included.

The command line's help and the reference pages are made from these, so that a text is written once, where an editor
shows it.
"""

from inspect import cleandoc


def described_parameters(docstring: str | None) -> dict[str, str]:
    """The text of each parameter, as one line.

    >>> described_parameters("Count.\\n\\n    by: the column\\n        to count by.\\n    k: how many.")
    {'by': 'the column to count by.', 'k': 'how many.'}
    """
    found, name = dict[str, str](), ""
    for line in cleandoc(docstring or "").splitlines()[1:]:
        head, colon, text = line.partition(": ")
        if colon and head.isidentifier():
            name, found[head] = head, text.strip()
        elif name and line.startswith("    "):
            found[name] += f" {line.strip()}"
        else:
            name = ""
    return found
