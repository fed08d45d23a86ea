"""`headcount histogram FILE`: a table in, a private histogram out."""

import csv
import re
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import typer

from headcount.errors import BadParameter
from headcount.source.regular import check_regular

By = Annotated[list[str], typer.Option(help="The column that makes an item; several make one together.")]
Epsilon = Annotated[str | None, typer.Option(help="The cost.")]
Delta = Annotated[str, typer.Option(help="The chance that the promise fails.")]
Rho = Annotated[str | None, typer.Option(help="The cost as zCDP, instead of epsilon; of count-release.")]
Variant = Annotated[str, typer.Option(help="Of count-release: level, rogers, coarse or refined.")]
Kbar = Annotated[str, typer.Option(help="Of count-release: how many of the most common items are candidates.")]
FirstEpsilon = Annotated[
    str | None, typer.Option(help="Of the paper's variants: the epsilon of a selection in the first level, 0.0005.")
]
SelectionDelta = Annotated[str | None, typer.Option(help="Of variant rogers: the delta of every selection, 1e-11.")]
TargetError = Annotated[
    str | None,
    typer.Option(help="Instead of epsilon: 19 of 20 counts this close. Of count-release, with epsilon: relative, 0.1."),
]
P = Annotated[str | None, typer.Option("--p", help="Of a sample: the chance to be in it.")]
Theta = Annotated[str | None, typer.Option(help="Of a sample: from which count on something is shown.")]
Rule = Annotated[str, typer.Option(help="Of a sample: exact, or paper.")]
Counted = Annotated[str, typer.Option(help="users or events.")]
Bound = Annotated[
    str, typer.Option(help="The most that one person may contribute; auto, or another name, chooses it privately.")
]
Share = Annotated[str | None, typer.Option(help="The part of epsilon that choosing the bound takes.")]
Grid = Annotated[str | None, typer.Option(help="The bounds to choose from: 1,2,5,10.")]
Debias = Annotated[str, typer.Option(help="Undo what bounding took away: auto, none, ratio or poisson.")]
People = Annotated[
    str | None, typer.Option(help="For poisson: how many people there are, if that is public; count pays for it.")
]


def histogram(
    by: By,
    epsilon: Epsilon = None,
    delta: Delta = "1e-6",
    target_error: TargetError = None,
    count: Counted = "users",
    keys: Annotated[str | None, typer.Option(help="The items, if known in advance: apple,pear,plum.")] = None,
    keys_file: Annotated[Path | None, typer.Option(help="The same, a line each.")] = None,
    bins: Annotated[
        list[str] | None,
        typer.Option(help="Public edges of a number or a date: 0,10,100; of one of several: age=0,10,100."),
    ] = None,
    sum: Annotated[  # noqa: A002
        str | None, typer.Option(help="A column of amounts to add up, of each person at most the bound for an item.")
    ] = None,
    bound: Bound = "auto",
    share: Share = None,
    grid: Grid = None,
    mechanism: Annotated[
        str,
        typer.Option(
            help="auto, clipped, thresholded, weighted, count-release, sample-threshold; to compare with: plume, "
            "plume-threshold."
        ),
    ] = "auto",
    variant: Variant = "level",
    kbar: Kbar = "10000",
    first_epsilon: FirstEpsilon = None,
    selection_delta: SelectionDelta = None,
    rho: Rho = None,
    p: P = None,
    theta: Theta = None,
    rule: Rule = "exact",
    debias: Debias = "auto",
    people: People = None,
) -> dict[str, Any]:
    """How many people, or events, there are for each item; or what amounts add up to."""
    return {
        "by": by,
        "epsilon": epsilon,
        "delta": delta,
        "target_error": target_error,
        "count": count,
        "keys": as_keys(keys, keys_file),
        "bins": as_bins(bins),
        "sum": sum,
        "bound": number_or_text(bound),
        "share": share,
        "grid": as_grid(grid),
        "mechanism": mechanism,
        "variant": variant,
        "kbar": number_or_text(kbar),
        "first_epsilon": first_epsilon,
        "selection_delta": selection_delta,
        "rho": rho,
        "p": p,
        "theta": None if theta is None else number_or_text(theta),
        "rule": rule,
        "debias": as_debias(debias),
        "people": None if people is None else number_or_text(people),
    }


def as_keys(listed: str | None, file: Path | None) -> list[Any] | None:
    """The items, as a list or a line each."""
    if file is None:
        return None if listed is None else _listed(listed)
    if listed is not None:
        raise BadParameter("keys and keys_file: only one of them.", fix="keys_file=items.csv")
    check_regular(file)
    try:
        lines = StringIO(file.read_text(encoding="utf-8-sig"))  # lines end at line ends alone, not at U+2028
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise BadParameter(
            f"{file}: cannot be read ({why}).", fix="keys_file=items.csv, an item on each line"
        ) from None
    return [tuple(row) for row in csv_rows(csv.reader(lines), str(file)) if row]


def _listed(typed: str) -> list[str]:
    """apple,pear as a list."""
    return next(iter(csv_rows(csv.reader([typed], skipinitialspace=True), "keys")), [])


def csv_rows(rows: Iterable[list[str]], where: str) -> list[list[str]]:
    """Rows of items, read to their end."""
    try:
        return list(rows)
    except csv.Error as error:
        raise BadParameter(
            f"{where}: not a list of items ({error}).", fix='items with commas or line ends in quotes: "a,b"'
        ) from None


def as_bins(typed: list[str] | None) -> Any:
    """Edges; or, if a column is named, a mapping."""
    if not typed:
        return None
    named = (each.rpartition("=") for each in typed)
    edges = {column: [_number(edge.strip()) for edge in listed.split(",")] for column, _, listed in named}
    return edges[""] if list(edges) == [""] else edges


def _number(edge: str) -> float | int | str:
    for kind in (int, float):
        try:
            return kind(edge)
        except ValueError:
            continue
    return edge


def number_or_text(typed: str) -> int | str:
    """A whole number, if it is one."""
    return int(typed) if re.fullmatch("-?[0-9]{1,400}", typed) else typed


def as_grid(typed: str | None) -> list[Any] | None:
    """1,2,5 as a list of numbers."""
    return None if typed is None else [_number(each.strip()) for each in typed.split(",") if each.strip()]


def as_debias(typed: str) -> Any:
    """None is typed as `none`."""
    return None if typed == "none" else typed
