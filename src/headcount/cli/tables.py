"""Several files as tables of a view: `--table NAME=FILE --public NAME=FILE --link A.X=B.Y --view view.py`.

The file of the view is a program of the user's. It sees empty tables: nothing is read before its view is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from headcount.errors import BadParameter, HeadcountError, NotATable, brief
from headcount.source.expressions import ir
from headcount.source.files.regular import check_regular
from headcount.source.views.tables import Tables, open_tables, tables_of

EXAMPLE = "def view(tables): return tables.visit.join(tables.person, 'person_id')"
"""What a file of a view has in it."""

NOT_COMPARED = "are not comparable"
"""What Ibis says of a condition on columns of different types."""
ONE_TYPE = 'columns of one type: make text of the whole numbers, .mutate(person_id=_.person_id.cast("string"))'


def open_view(
    private: Sequence[str], public: Sequence[str], links: Sequence[str], view: Path | None, user: str, name: str | None
) -> ir.Table:
    """The view in a file, over tables that have no rows yet."""
    if view is None:
        raise BadParameter("view: the tables need a file that says which of their rows to count.", fix="view=view.py")
    source = _source(view)
    declared = dict(_pair("links", each, "lines.order=orders.order") for each in links)
    tables = open_tables(_by_name("table", private), user, _by_name("public", public), declared, name)
    _check_users(tables, [each for each in tables if each not in _by_name("public", public)], user)
    tables.check()
    tables.program = source
    expression = _evaluated(view, source, tables)
    if tables_of(expression) is not tables:
        raise NotATable(f"{view}: its view reads none of the tables.", fix=EXAMPLE)
    return expression


def read_rows(data: Any) -> None:
    """Read the rows of all tables of a view; of other data nothing."""
    if isinstance(data, ir.Table) and (tables := tables_of(data)) is not None:
        tables.fill()


def _by_name(option: str, typed: Sequence[str]) -> dict[str, list[str]]:
    """visit=2024.parquet and visit=2025.parquet as the files of a table."""
    files: dict[str, list[str]] = {}
    for name, file in (_pair(option, each, "visit=visit.parquet") for each in typed):
        files.setdefault(name, []).append(file)
    return files


def _pair(option: str, typed: str, example: str) -> tuple[str, str]:
    first, equals, second = typed.partition("=")
    if not (first and equals and second):
        raise BadParameter(f"{option}={typed:.80}: a name, =, and what it stands for.", fix=f"{option}={example}")
    return first, second


def _check_users(tables: Tables, private: Sequence[str], user: str) -> None:
    """Refuse a private table that has neither the user column nor a link."""
    linked = [child.rpartition(".")[0] for child in tables.links]
    for name in private:
        if name not in linked and user not in tables[name].columns:
            raise BadParameter(
                f"table {name!r}: it has no column {user!r}, so nobody can tell whose row is whose.",
                fix=f"--link {name}.order=orders.order if its rows belong to those of another table, or --public "
                f"{name}=FILE if it holds nothing about these people",
            )


def _source(view: Path) -> str:
    if view.suffix.lower() == ".sql":
        raise NotATable(f"{view}: SQL text, and headcount checks Ibis expressions only.", fix=f"view.py with {EXAMPLE}")
    check_regular(view)
    try:
        return view.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise BadParameter(f"{view}: cannot be read ({why}).", fix=f"view=view.py with {EXAMPLE}") from None


def _evaluated(view: Path, source: str, tables: Tables) -> ir.Table:
    """The view that a file defines: an expression, or a function of the tables that returns one."""
    namespace: dict[str, Any] = {"tables": tables, "__name__": view.stem, "__file__": str(view)}
    try:
        exec(compile(source, str(view), "exec"), namespace)  # the user's own program
        found = namespace.get("view")
        found = found(tables) if callable(found) and not isinstance(found, ir.Table) else found
    except HeadcountError:
        raise
    except Exception as error:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        message = brief(f"{type(error).__name__}: {text}".splitlines()[0].rstrip("."))
        mended = ONE_TYPE if NOT_COMPARED in message else "mend that line"
        raise NotATable(f"{view}{_line(error, view)}: {message}.", fix=mended) from None
    return _checked(view, found)


def _checked(view: Path, value: Any) -> ir.Table:
    if isinstance(value, str):
        raise NotATable(f"{view}: SQL text, and headcount checks Ibis expressions only.", fix=EXAMPLE)
    if not isinstance(value, ir.Table):
        what = "it defines no view" if value is None else f"its view is of type {type(value).__name__}"
        raise NotATable(f"{view}: {what}, and an Ibis table is needed.", fix=EXAMPLE)
    return value


def _line(error: Exception, view: Path) -> str:
    """The line of a file that an error is in."""
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}"
    trace, lines = error.__traceback__, list[int]()
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(view):
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f", line {lines[-1]}" if lines else ""
