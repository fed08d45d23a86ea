"""`headcount top FILE` and `headcount heavy-hitters FILE`: the k most common items, and what a part of all has."""

from typing import Annotated

import typer

from headcount.cli.histogram import (
    Again,
    AsJson,
    Bound,
    By,
    Dataset,
    Delta,
    DryRun,
    Epsilon,
    File,
    Kbar,
    LedgerPath,
    Neighbours,
    Out,
    P,
    Rho,
    Rule,
    Theta,
    User,
    Variant,
    carry_out,
    check_targets,
    number_or_text,
)
from headcount.errors import BadParameter
from headcount.plans import plan
from headcount.release.release import PICTURES


def top(
    file: File,
    user: User,
    by: By,
    k: Annotated[str, typer.Option(help="How many items are wanted.")] = "20",
    epsilon: Epsilon = None,
    delta: Delta = "1e-6",
    rho: Rho = None,
    count: Annotated[str, typer.Option(help="users tells the counts, none the items alone.")] = "users",
    target_error: Annotated[str | None, typer.Option(help="The part of a count by which most may be off.")] = None,
    variant: Variant = "level",
    kbar: Kbar = "10000",
    neighbours: Neighbours = "add-remove",
    dataset: Dataset = None,
    ledger: LedgerPath = None,
    again: Again = False,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """The k most common items, with their counts or without."""
    check_targets(out or [])
    if count == "none" and any(path.suffix.lower() in PICTURES for path in out or []):
        raise BadParameter("out: items without counts have no picture.", fix="out=items.csv, or count=users")
    made = plan(
        "top",
        file,
        user=user,
        by=by,
        k=number_or_text(k),  # type: ignore[arg-type]
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        count=count,  # type: ignore[arg-type]
        target_error=target_error,
        variant=variant,  # type: ignore[arg-type]
        kbar=number_or_text(kbar),  # type: ignore[arg-type]
        neighbours=neighbours,  # type: ignore[arg-type]
        dataset=dataset,
    )
    carry_out(made, ledger=ledger, again=again, out=out or [], dry_run=dry_run, as_json=as_json)


def heavy_hitters(
    file: File,
    user: User,
    by: By,
    share: Annotated[str, typer.Option(help="The part of all people who have an item.")] = "0.01",
    epsilon: Epsilon = None,
    delta: Delta = "1e-6",
    people: Annotated[str | None, typer.Option(help="How many people there are, if public; else counted.")] = None,
    bound: Bound = "auto",
    mechanism: Annotated[str, typer.Option(help="auto and others by noise, sample-threshold by a sample.")] = "auto",
    p: P = None,
    theta: Theta = None,
    rule: Rule = "exact",
    neighbours: Neighbours = "add-remove",
    dataset: Dataset = None,
    ledger: LedgerPath = None,
    again: Again = False,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """The items that at least a part of all people have, and of which that is certain."""
    check_targets(out or [])
    made = plan(
        "heavy_hitters",
        file,
        user=user,
        by=by,
        share=share,
        epsilon=epsilon,
        delta=delta,
        people=None if people is None else number_or_text(people),
        bound=number_or_text(bound),
        mechanism=mechanism,  # type: ignore[arg-type]
        p=p,
        theta=None if theta is None else number_or_text(theta),  # type: ignore[arg-type]
        rule=rule,  # type: ignore[arg-type]
        neighbours=neighbours,  # type: ignore[arg-type]
        dataset=dataset,
    )
    carry_out(made, ledger=ledger, again=again, out=out or [], dry_run=dry_run, as_json=as_json)
