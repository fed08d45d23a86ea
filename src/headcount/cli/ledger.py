"""The budget of all data about the same people, and what was spent: `headcount ledger new|show|verify`."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from headcount.account import Cost, Ledger, Spend
from headcount.account.ledger.stores.sqlite import SqliteStore
from headcount.account.relation import RELATIONS
from headcount.cli.suggestions import SuggestingGroup
from headcount.errors import LedgerError, visible
from headcount.exact import written
from headcount.release.published import check_sealed
from headcount.wording import counted_noun

app = typer.Typer(
    cls=SuggestingGroup, help="The budget of all data about the same people, and what was spent.", no_args_is_help=True
)

File = Annotated[Path, typer.Argument(help="The ledger's file.", show_default=False)]

UNFINISHED = "not finished: ask again, it is paid"
LAST_PARTS = 10
"""Parts of a charge that are shown: the last ones that were begun."""
ROWS = "(each charge is a row of the ledger, and so is the seal of its release: the head is the last row)"


@app.command()
def new(
    file: File,
    epsilon: Annotated[str, typer.Option(help="The total epsilon of these people, for ever.", show_default=False)],
    delta: Annotated[str, typer.Option(help="The total delta.")] = "0",
    neighbours: Annotated[
        str | None, typer.Option(help=f"What it adds up: {', '.join(RELATIONS)}; else as the first charge.")
    ] = None,
    serves: Annotated[
        bool, typer.Option("--serves", help="Answer for others, whoever opens it; see --no-serves.")
    ] = False,
) -> None:
    """Make a ledger with its total budget."""
    if not SqliteStore.at(file).is_missing():
        raise LedgerError(f"{file}: there is a file already.", fix=f"headcount ledger show {file}")
    ledger = Ledger(file, epsilon=epsilon, delta=delta, neighbours=neighbours, serves=serves)  # type: ignore[arg-type]
    print(f"{visible(str(file))}: {_budget(ledger)}\nhead {ledger.head}")


@app.command()
def show(file: File, as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False) -> None:
    """What was spent, what is left, and what all charges cost by a tighter count."""
    ledger = Ledger(file)
    print(json.dumps(as_dict(ledger), indent=2)) if as_json else print_ledger(ledger)


@app.command()
def verify(
    file: File,
    head: Annotated[
        str | None, typer.Option(help="The newest head that was kept: finds a rollback to before it.")
    ] = None,
    release: Annotated[
        Path | None,
        typer.Option(
            help="Was it sealed here? A .parquet, or a .csv, .json, .html or .yaml made from it.", exists=True
        ),
    ] = None,
) -> None:
    """Check every row: nothing edited, deleted, reordered or rolled back."""
    ledger = Ledger(file)
    found = ledger.verify(head)
    parts = "".join(f"\n{visible(spend.title)}: {spend.state}" for spend in ledger.spends() if spend.part_names)
    verdict = f"\n{visible(str(release))}: {check_sealed(ledger, release)}" if release else ""
    print(f"{visible(str(file))}: sound{parts}\nhead {found}{verdict}")


def print_ledger(ledger: Ledger) -> None:
    """Print the ledger as a table for people."""
    console = plain_console()
    console.print(Text(visible(f"{ledger.path.name}: {_budget(ledger)}")), soft_wrap=True)
    console.print(_charges(ledger.spends()))
    console.print(f"spent {describe_cost(ledger.spent)}\nleft  {describe_cost(ledger.left)}")
    if ledger.spends():
        console.print(f"{_tighter(ledger)}\n{ROWS}")
    console.print(f"head  {ledger.head}", soft_wrap=True)


def _tighter(ledger: Ledger) -> str:
    """What all charges cost by a tighter count, or that it finds no less."""
    tighter = ledger.tighter()
    return (
        f"by zCDP, all charges together cost {describe_cost(tighter)}" if tighter else "by zCDP: no less than the sum"
    )


def _charges(spends: Sequence[Spend]) -> Table:
    """Make the table of all charges; analyst and purpose have a column if one of them states it."""
    stated = [name for name in ("analyst", "purpose") if any(getattr(spend, name) for spend in spends)]
    heads = ("row", "when", "what", "dataset", *stated, "epsilon", "delta", "release")
    table = Table(*heads, box=None, header_style="bold", pad_edge=False)
    for spend in spends:
        texts = (spend.title, spend.dataset, *(getattr(spend, name) for name in stated))
        shown = [Text(visible(text)) for text in texts]
        table.add_row(str(spend.number), spend.at, *shown, *_amounts(spend.cost), _release(spend))
        for row in _parts(spend, cells=len(heads) - 4):
            table.add_row(*row)
    return table


def _parts(spend: Spend, cells: int) -> list[tuple[str | Text, ...]]:
    """Rows of the table for the last parts of a charge, with some empty cells: their price is in the charge."""
    rows: list[tuple[str | Text, ...]] = [
        (str(part.number), part.at, Text(f"  {visible(part.name)}"), *[""] * cells, _part_state(part.sealed))
        for part in spend.parts[-LAST_PARTS:]
    ]
    earlier = len(spend.parts) - LAST_PARTS
    return [("", "", f"  ... and {counted_noun(earlier, 'earlier part')}"), *rows] if earlier > 0 else rows


def _part_state(sealed: bool) -> str:
    return "sealed" if sealed else UNFINISHED


def _budget(ledger: Ledger) -> str:
    """Describe the total budget and its neighbours."""
    serves = ", serves others" if ledger.made_to_serve else ""
    if ledger.neighbours is None:
        return f"{describe_cost(ledger.budget)}{serves}"
    mixed = "" if ledger.neighbours in RELATIONS else ": these do not add up, so the total holds for none of them"
    return f"{describe_cost(ledger.budget)}, for neighbours {ledger.neighbours}{mixed}{serves}"


def plain_console() -> Console:
    """Console without highlighting; except on a terminal, tables are not squeezed into 80 columns."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 200)


def as_dict(ledger: Ledger) -> dict[str, object]:
    """Convert the ledger to JSON values, for programs."""
    tighter = ledger.tighter()
    return {
        "budget": _plain(ledger.budget),
        "neighbours": ledger.neighbours,
        "serves": ledger.made_to_serve,
        "spent": _plain(ledger.spent),
        "left": _plain(ledger.left),
        "by_zcdp": _plain(tighter) if tighter else None,
        "head": ledger.head,
        "charges": [_charge(spend) for spend in ledger.spends()],
    }


def _charge(spend: Spend) -> dict[str, object]:
    about = {"row": spend.number, "at": spend.at, "what": spend.request, "dataset": spend.dataset}
    stated = {"analyst": spend.analyst or None, "purpose": spend.purpose or None}
    parts = {"parts": _parts_as_dict(spend)} if spend.part_names else {}
    return {**about, **stated, "neighbours": spend.neighbours, "sealed": spend.sealed, **_plain(spend.cost), **parts}


def _parts_as_dict(spend: Spend) -> list[dict[str, object]]:
    """All parts that were paid for; one that was not begun has no row."""
    begun = {part.name: part for part in spend.parts}
    rows = [(name, begun.get(name)) for name in spend.part_names]
    return [
        {"part": name, "row": part and part.number, "at": part and part.at, "sealed": part is not None and part.sealed}
        for name, part in rows
    ]


def describe_cost(cost: Cost) -> str:
    """Describe a cost in words."""
    return "epsilon {}, delta {}".format(*_amounts(cost))


def _amounts(cost: Cost) -> tuple[str, str]:
    return written(cost.epsilon), written(cost.delta)


def _plain(cost: Cost) -> dict[str, str]:
    epsilon, delta = _amounts(cost)
    return {"epsilon": epsilon, "delta": delta}


def _release(spend: Spend) -> str:
    return UNFINISHED if spend.state == "not finished" else spend.state
