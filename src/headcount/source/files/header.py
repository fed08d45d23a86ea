"""The first line of a CSV: column names and separator. It is the schema, and public; files that are broken as a whole
are recognised there, and refused before anything is charged."""

import csv
from collections.abc import Sequence
from pathlib import Path

from headcount.errors import NotATable
from headcount.source.files.blocks import BOM, open_binary
from headcount.source.files.delimited import Dialect

LONGEST = 1 << 20
"""Most bytes of a header."""
SEPARATORS = ",;\t"
"""Candidates in order of precedence: the first that occurs in the header."""
GZIP, WIDE = b"\x1f\x8b", (b"\xff\xfe", b"\xfe\xff")
"""First bytes of files that are compressed, or UTF-16."""


def common_header(paths: Sequence[str], separator: str | None) -> tuple[tuple[str, ...], Dialect]:
    """Return the column names and the dialect of files with the same header; the separator is taken from the header
    unless it is given."""
    found = {_header(path, separator) for path in paths}
    if len(found) > 1:
        raise NotATable("the files do not have the same header.", fix="files with the same columns in the same order")
    names, sign = found.pop()
    return names, Dialect(sign, len(names))


def _header(path: str, separator: str | None) -> tuple[tuple[str, ...], str]:
    text = _first_line(path)
    sign = separator or next((each for each in SEPARATORS if each in text), SEPARATORS[0])
    if sign not in text and "|" in text:
        fix = f"tr '|' '\\t' < {path} > {Path(path).stem}.tsv"
        raise NotATable(f"{path}: its columns are separated by |, and not by a comma, semicolon or tab.", fix=fix)
    try:
        names = tuple(next(csv.reader([text], delimiter=sign, strict=True), ()))
    except csv.Error:
        names = ()
    if not names or len({name.lower() for name in names}) < len(names):
        raise NotATable(
            f"{path}: its first line does not give each column a name of its own.",
            fix="a first line such as user_id,word",
        )
    return names, sign


def _first_line(path: str) -> str:
    with open_binary(path) as file:
        line = file.readline(LONGEST).removeprefix(BOM)
    if line.startswith(GZIP):
        raise NotATable(f"{path}: compressed by gzip.", fix=f"gunzip it, or call it {path}.gz")
    if line.startswith(WIDE) or b"\0" in line:
        raise _not_text(path, "UTF-16, or no text", "UTF-16")
    if len(line) > LONGEST - len(BOM):
        raise NotATable(
            f"{path}: its first line is longer than {LONGEST:,} bytes.", fix="a first line such as user_id,word"
        )
    text = line.removesuffix(b"\n").removesuffix(b"\r")
    if b"\r" in text:
        fix = f"tr '\\r' '\\n' < {path} > lines.csv"
        raise NotATable(f"{path}: its first line holds a carriage return: lines end with a line feed.", fix=fix)
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise _not_text(path, "not UTF-8", "LATIN1") from None


def _not_text(path: str, what: str, encoding: str) -> NotATable:
    return NotATable(f"{path}: its first line is {what}.", fix=f"iconv -f {encoding} -t UTF-8 {path} > utf8.csv")
