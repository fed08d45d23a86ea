"""`headcount shape FILE`: how many items have how many people, none of them named."""

from pathlib import Path
from typing import Annotated

import typer

from headcount.cli.histogram import (
    Again,
    AsJson,
    By,
    Dataset,
    DryRun,
    Epsilon,
    File,
    LedgerPath,
    Neighbours,
    Out,
    User,
    as_bins,
    as_keys,
    carry_out,
    check_targets,
    number_or_text,
)
from headcount.plans import plan


def shape(
    file: File,
    user: User,
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
    neighbours: Neighbours = "add-remove",
    dataset: Dataset = None,
    ledger: LedgerPath = None,
    again: Again = False,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """How many items have how many people, without naming an item; how many there are, and how evenly spread."""
    check_targets(out or [])
    made = plan(
        "shape",
        file,
        user=user,
        by=by,
        epsilon=epsilon,
        target_error=target_error,
        bound=number_or_text(bound),
        keys=as_keys(keys, keys_file),
        bins=as_bins(bins),
        loss=loss,  # type: ignore[arg-type]
        mechanism=mechanism,  # type: ignore[arg-type]
        estimator=estimator,  # type: ignore[arg-type]
        buckets=None if buckets is None else number_or_text(buckets),  # type: ignore[arg-type]
        people=None if people is None else number_or_text(people),
        neighbours=neighbours,  # type: ignore[arg-type]
        dataset=dataset,
    )
    carry_out(made, ledger=ledger, again=again, out=out or [], dry_run=dry_run, as_json=as_json)
