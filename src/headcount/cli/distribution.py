"""`headcount distribution FILE`: which part of what people do falls to each item of a public list."""

from pathlib import Path
from typing import Annotated, Any

import typer

from headcount.cli.histogram import (
    By,
    Delta,
    Epsilon,
    Share,
    as_bins,
    as_keys,
    number_or_text,
)


def distribution(
    by: By,
    epsilon: Epsilon = None,
    delta: Delta = "1e-6",
    keys: Annotated[str | None, typer.Option(help="The items: apple,pear,plum.")] = None,
    keys_file: Annotated[Path | None, typer.Option(help="The same, a line each.")] = None,
    bins: Annotated[
        list[str] | None,
        typer.Option(help="Public edges of a number or a date: 0,10,100; of one of several: age=0,10,100."),
    ] = None,
    bound: Annotated[str, typer.Option(help="How many samples of a person count; auto chooses it privately.")] = "auto",
    people: Annotated[
        str | None, typer.Option(help="How many people have at least so many samples, if that is public.")
    ] = None,
    sizes: Annotated[
        str, typer.Option(help="private; or public, if everybody may know how many samples each person has.")
    ] = "private",
    mechanism: Annotated[
        str,
        typer.Option(help="auto, recentred, laplace, gaussian, sample-one, ks, hypothesis-selection or sparse."),
    ] = "auto",
    share: Share = None,
) -> dict[str, Any]:
    """Which part of what people do falls to each item, if everybody draws from one distribution: each row a sample."""
    return {
        "by": by,
        "epsilon": epsilon,
        "delta": delta,
        "keys": as_keys(keys, keys_file),
        "bins": as_bins(bins),
        "bound": number_or_text(bound),
        "people": None if people is None else number_or_text(people),
        "sizes": sizes,
        "mechanism": mechanism,
        "share": share,
    }
