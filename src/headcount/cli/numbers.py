"""`headcount quantiles FILE` and `headcount ranges FILE`: numbers on a public scale."""

from typing import Annotated, Any

import typer

from headcount.cli.histogram import (
    Delta,
    Epsilon,
    P,
    Rule,
    Share,
    Theta,
    as_grid,
    number_or_text,
)
from headcount.errors import BadParameter

Value = Annotated[str, typer.Option(help="The column of numbers.")]
Bound = Annotated[str, typer.Option(help="How many rows of one person count in full; auto chooses it privately.")]
Ranks = Annotated[
    str | None, typer.Option(help="Instead of epsilon: 19 of 20 are off by at most so many ranks, or rows.")
]


def quantiles(
    value: Value,
    q: Annotated[list[str] | None, typer.Option(help="The parts: 0.1,0.5,0.9; else all tenths.")] = None,
    range: Annotated[  # noqa: A002
        str | None, typer.Option(help="The lowest and the highest value that can be, which are public: 0..1000.")
    ] = None,
    edges: Annotated[str | None, typer.Option(help="Instead of a range: public edges of cells, 0,1,5,10,100.")] = None,
    cells: Annotated[str | None, typer.Option(help="How many cells of one width a range is cut into.")] = None,
    epsilon: Epsilon = None,
    delta: Delta = "1e-6",
    target_error: Ranks = None,
    bound: Bound = "auto",
    share: Share = None,
    mechanism: Annotated[
        str, typer.Option(help="auto (tree) or search, with noise; sample-threshold or sample-search, without.")
    ] = "auto",
    p: P = None,
    theta: Theta = None,
    rule: Rule = "exact",
) -> dict[str, Any]:
    """Below which value there is so large a part of all rows: of 0.5, the median."""
    return {
        "value": value,
        "q": as_grid(",".join(q)) if q else None,
        "range": None if range is None else _pair("range", range),
        "edges": as_grid(edges),
        "cells": None if cells is None else number_or_text(cells),
        "epsilon": epsilon,
        "delta": delta,
        "target_error": target_error,
        "bound": number_or_text(bound),
        "share": share,
        "mechanism": mechanism,
        "p": p,
        "theta": None if theta is None else number_or_text(theta),
        "rule": rule,
    }


def ranges(
    value: Value,
    ranges: Annotated[list[str], typer.Option(help="The ranges, each up to but without its end: 0..10,10..50.")],
    epsilon: Epsilon = None,
    delta: Delta = "1e-6",
    target_error: Ranks = None,
    bound: Bound = "auto",
    share: Share = None,
    mechanism: Annotated[str, typer.Option(help="auto (tree), with noise; sample-threshold, without.")] = "auto",
    p: P = None,
    theta: Theta = None,
    rule: Rule = "exact",
) -> dict[str, Any]:
    """How many rows have a value in each range."""
    return {
        "value": value,
        "ranges": [_pair("ranges", each) for each in ",".join(ranges).split(",")],
        "epsilon": epsilon,
        "delta": delta,
        "target_error": target_error,
        "bound": number_or_text(bound),
        "share": share,
        "mechanism": mechanism,
        "p": p,
        "theta": None if theta is None else number_or_text(theta),
        "rule": rule,
    }


def _pair(name: str, typed: str) -> Any:
    """Two numbers, as 0..1000."""
    low, dots, high = typed.partition("..")
    if not dots:
        fix = "range=(0, 1000)" if name == "range" else "ranges=[(0, 10), (10, 50)]"
        raise BadParameter(f"{name}={typed}: a lower and an upper end.", fix=fix)
    return low, high
