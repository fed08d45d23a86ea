"""`headcount audit`: attack a function of yours, or a ledger and a release on this machine."""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from headcount.cli.ledger import plain_console
from headcount.errors import BadParameter, visible
from headcount.exact import written

Target = Annotated[
    str | None,
    typer.Argument(help="Your mechanism, `module:function`: takes a dataset, returns a release.", show_default=False),
]
MECHANISMS = "headcount's mechanisms are audited from a clone of its repository: make audit"
Side = Annotated[str, typer.Option(help="A dataset, as JSON; the other one is its neighbour.")]


def audit(
    target: Target = None,
    left: Side = "null",
    right: Side = "null",
    epsilon: Annotated[str, typer.Option(help="The claimed epsilon.")] = "1",
    delta: Annotated[str, typer.Option(help="The claimed delta.")] = "0",
    runs: Annotated[int, typer.Option(help="Runs on each dataset.")] = 100_000,
    kills: Annotated[
        int, typer.Option(help="Kills of a ledger's writer: one at every step, the rest at random.")
    ] = 500,
    lines: Annotated[
        int, typer.Option(help="Lines between the first look and the seal at which a release is stopped; 0 for all.")
    ] = 60,
) -> None:
    """Audit a function of yours; or, without one, kill a ledger's writers and stop releases on this machine."""
    if target:
        sound = audit_target(_load(target), *_sides(left, right), epsilon, delta, runs)
    else:
        _check_signals()
        print(MECHANISMS)
        sound = audit_ledger(kills) & audit_retries(lines)
    raise typer.Exit(0 if sound else 1)


def audit_target(run: Callable[[Any], Any], left: Any, right: Any, epsilon: str, delta: str, runs: int) -> bool:
    """Audit a user's function; True if its claim stands."""
    from headcount.audit import statistical  # imported here so that no other command waits for them
    from headcount.audit.outputs import Seen, observe

    failed = [observe(lambda: run(left)), observe(lambda: run(right))]
    if all(isinstance(each, Seen) and each.kind == "raised" for each in failed):
        raise BadParameter(f"the function fails on both datasets: {failed[0]}.", fix="a function of one dataset")
    with progress("audit", runs) as advance:
        found = statistical.audit(run, left, right, epsilon=epsilon, delta=delta, runs=runs, progress=advance)
    outcome = "REFUTED" if found.flagged else "not refuted"
    print(f"{outcome}: epsilon {epsilon}, delta {delta}, {runs} runs on each dataset")
    print(f"epsilon is at least {found.epsilon:.3f}, by the event: {visible(found.event)}")
    print(f"which happened in {found.left:.5f} of the runs on the left and in {found.right:.5f} on the right")
    return not found.flagged


def _check_signals() -> None:
    if not hasattr(os, "fork"):
        raise BadParameter(
            "audit: writers are killed by signals of POSIX.", fix="headcount audit module:function, or WSL for the rest"
        )


def audit_ledger(kills: int) -> bool:
    """Kill writers; True if the real protocol has no violation and the planted wrong order is caught."""
    from headcount.audit import chaos

    columns = ("protocol", "kills", "steps", "free releases", "under-counts", "second draws", "lost spends")
    table = Table(*columns, box=None, header_style="bold")
    tallies = {}
    for name, protocol in (("charge first", chaos.charge_first), ("release first (planted)", chaos.release_first)):
        with tempfile.TemporaryDirectory() as folder, progress(f"killing writers, {name}", None) as advance:
            every = chaos.kill_at_every_step(Path(folder) / "steps", protocol, advance)
            random = chaos.kill_at_random(Path(folder) / "random", kills - every.kills, protocol, advance)
        tallies[name] = tally = every + random
        table.add_row(name, *map(str, astuple(tally)))
    with tempfile.TemporaryDirectory() as folder, progress("32 writers", None):
        spent = chaos.contend(Path(folder))
    plain_console().print(table)
    print(f"32 writers, 640 requests of 1, a budget of 50: charged {written(spent.epsilon)}")
    honest, planted = tallies.values()
    return honest.violations == 0 and planted.violations > 0 and spent.epsilon == 50


def audit_retries(lines: int) -> bool:
    """Stop a release after its first draw; True if every retry repeats it under its one charge."""
    from headcount.audit import retries

    with tempfile.TemporaryDirectory() as folder, progress("stopping a release", None) as advance:
        tally = retries.stop_everywhere(Path(folder), lines or None, progress=advance)
    print(
        f"a release stopped {tally.kills} times, at {tally.steps} lines between its first look and its seal: "
        f"{tally.second_draws} second draws, {tally.under_counts} second charges"
    )
    return tally.violations == 0 and tally.lost_spends > 0


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar on stderr, if that is a terminal, for the duration of the block. It has no thread of its own: the
    chaos test forks."""
    hidden = not sys.stderr.isatty()
    with Progress(console=Console(stderr=True), transient=True, auto_refresh=False, disable=hidden) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done, refresh=True)


def _load(target: str) -> Callable[[Any], Any]:
    module, _, name = target.partition(":")
    sys.path.insert(0, "")
    try:
        found: Callable[[Any], Any] = getattr(import_module(module), name)
    except Exception as error:
        raise BadParameter(f"{target}: {error}.", fix="headcount audit mymodule:mechanism") from None
    if not callable(found):
        raise BadParameter(f"{target}: not a function.", fix="headcount audit mymodule:mechanism")
    return found


def _sides(left: str, right: str) -> tuple[Any, Any]:
    if left == right:
        raise BadParameter("two datasets are needed, one with a person more.", fix="--left '[1, 2]' --right '[1]'")
    return _json(left), _json(right)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise BadParameter(f"{text!r}: not JSON ({error.msg}).", fix="--left '[1, 2, 3]' --right '[1, 2]'") from None
