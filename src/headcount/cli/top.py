"""`headcount top FILE` and `headcount heavy-hitters FILE`: the k most common items, and what a part of all has."""

from typing import Annotated, Any

import typer

from headcount.cli.histogram import (
    Bound,
    By,
    Delta,
    Epsilon,
    Kbar,
    P,
    Rho,
    Rule,
    Theta,
    Variant,
    number_or_text,
)


def top(
    by: By,
    k: Annotated[str, typer.Option(help="How many items are wanted.")] = "20",
    epsilon: Epsilon = None,
    delta: Delta = "1e-6",
    rho: Rho = None,
    count: Annotated[str, typer.Option(help="users tells the counts, none the items alone.")] = "users",
    target_error: Annotated[str | None, typer.Option(help="The part of a count by which most may be off.")] = None,
    variant: Variant = "level",
    kbar: Kbar = "10000",
) -> dict[str, Any]:
    """The k most common items, with their counts or without."""
    return {
        "by": by,
        "k": number_or_text(k),
        "epsilon": epsilon,
        "delta": delta,
        "rho": rho,
        "count": count,
        "target_error": target_error,
        "variant": variant,
        "kbar": number_or_text(kbar),
    }


def heavy_hitters(
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
) -> dict[str, Any]:
    """The items that at least a part of all people have, and of which that is certain."""
    return {
        "by": by,
        "share": share,
        "epsilon": epsilon,
        "delta": delta,
        "people": None if people is None else number_or_text(people),
        "bound": number_or_text(bound),
        "mechanism": mechanism,
        "p": p,
        "theta": None if theta is None else number_or_text(theta),
        "rule": rule,
    }
