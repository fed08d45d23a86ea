"""`headcount shape FILE`: how many items have how many people, none of them named."""

from pathlib import Path
from typing import Annotated, Any

import typer

from headcount.cli.histogram import (
    By,
    Epsilon,
    as_bins,
    as_keys,
    number_or_text,
)


def shape(
    by: By,
    epsilon: Epsilon = None,
    target_error: Annotated[
        str | None, typer.Option(help="Instead of epsilon: 19 of 20 numbers of the staircase this close.")
    ] = None,
    bound: Annotated[str, typer.Option(help="The most items of one person that count.")] = "1",
    keys: Annotated[str | None, typer.Option(help="The items, if known in advance: apple,pear,plum.")] = None,
    keys_file: Annotated[Path | None, typer.Option(help="The same, a line each.")] = None,
    bins: Annotated[
        list[str] | None,
        typer.Option(help="Public edges of a number or a date: 0,10,100; of one of several: age=0,10,100."),
    ] = None,
    loss: Annotated[str, typer.Option(help="What is to be small: l1, all differences; l2, their squares.")] = "l1",
    mechanism: Annotated[str, typer.Option(help="auto (staircase), or buckets.")] = "auto",
    estimator: Annotated[str, typer.Option(help="Of buckets: em, or paper.")] = "em",
    buckets: Annotated[str | None, typer.Option(help="Of buckets: how many; else 2 for each contribution.")] = None,
    people: Annotated[str | None, typer.Option(help="How many people there are, if that is public.")] = None,
) -> dict[str, Any]:
    """How many items have how many people, without naming an item; how many there are, and how evenly spread."""
    return {
        "by": by,
        "epsilon": epsilon,
        "target_error": target_error,
        "bound": number_or_text(bound),
        "keys": as_keys(keys, keys_file),
        "bins": as_bins(bins),
        "loss": loss,
        "mechanism": mechanism,
        "estimator": estimator,
        "buckets": None if buckets is None else number_or_text(buckets),
        "people": None if people is None else number_or_text(people),
    }
