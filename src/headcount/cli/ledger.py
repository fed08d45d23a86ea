"""`headcount ledger new|show|verify`."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from headcount.account import Cost, Ledger, Spend, store
from headcount.errors import LedgerError
from headcount.exact import written
from headcount.regular import check_regular
from headcount.visible import visible

app = typer.Typer(help="The budget of a dataset, and everything that was spent of it.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="The ledger's file.", show_default=False)]


@app.command()
def new(
    file: File,
    epsilon: Annotated[str, typer.Option(help="The total epsilon of the dataset, for ever.", show_default=False)],
    delta: Annotated[str, typer.Option(help="The total delta.")] = "0",
) -> None:
    """Make a ledger with its total budget."""
    if not store.is_missing(file):
        raise LedgerError(f"{file}: there is a file already.", fix=f"headcount ledger show {file}")
    ledger = Ledger(file, epsilon=epsilon, delta=delta)
    print(f"{visible(str(file))}: {told(ledger.budget)}\nhead {ledger.head}")


@app.command()
def show(file: File, as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False) -> None:
    """What was spent, what is left, and what all of it costs by a tighter count."""
    ledger = Ledger(file)
    print(json.dumps(plain(ledger), indent=2)) if as_json else tell(ledger)


@app.command()
def verify(
    file: File,
    head: Annotated[
        str | None, typer.Option(help="The newest head that was kept: finds a rollback to before it.")
    ] = None,
    release: Annotated[Path | None, typer.Option(help="A published file: was it sealed here?", exists=True)] = None,
) -> None:
    """Check every row: nothing edited, deleted, reordered or rolled back."""
    if release:
        check_regular(release)
    found = Ledger(file).verify(head, release.read_bytes() if release else None)
    print(f"{visible(str(file))}: sound\nhead {found}")


def tell(ledger: Ledger) -> None:
    """The ledger for people."""
    table = Table("row", "when", "what", "epsilon", "delta", "release", box=None, header_style="bold", pad_edge=False)
    for spend in ledger.spends():
        table.add_row(
            str(spend.number), spend.at, Text(visible(_title(spend.request))), *_amounts(spend.cost), _release(spend)
        )
    console = wide()
    owner = f" of {ledger.dataset}" if ledger.dataset else ""
    console.print(Text(visible(f"{ledger.path.name}{owner}: {told(ledger.budget)}")), soft_wrap=True)
    console.print(table)
    console.print(f"spent {told(ledger.spent)}\nleft  {told(ledger.left)}")
    if tighter := ledger.tighter():
        console.print(f"by zCDP, all of it together costs {told(tighter)}")
    console.print(f"head  {ledger.head}", soft_wrap=True)


def wide() -> Console:
    """Plain output; on anything but a terminal a table is not squeezed into 80 columns."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 200)


def plain(ledger: Ledger) -> dict[str, object]:
    """The ledger for programs."""
    tighter = ledger.tighter()
    return {
        "budget": _plain(ledger.budget),
        "spent": _plain(ledger.spent),
        "left": _plain(ledger.left),
        "by_zcdp": _plain(tighter) if tighter else None,
        "head": ledger.head,
        "charges": [
            {"row": spend.number, "at": spend.at, "what": spend.request, "sealed": spend.sealed, **_plain(spend.cost)}
            for spend in ledger.spends()
        ],
    }


def told(cost: Cost) -> str:
    """A cost in words."""
    return "epsilon {}, delta {}".format(*_amounts(cost))


def _amounts(cost: Cost) -> tuple[str, str]:
    return written(cost.epsilon), written(cost.delta)


def _plain(cost: Cost) -> dict[str, str]:
    epsilon, delta = _amounts(cost)
    return {"epsilon": epsilon, "delta": delta}


def _title(request: str) -> str:
    """What a request asked for: a plan's own words, else the request as it is."""
    try:
        said = json.loads(request)
    except ValueError:
        return request
    return str(said["what"]) if isinstance(said, dict) and "what" in said else request


def _release(spend: Spend) -> str:
    return "sealed" if spend.sealed else "not finished: ask again, it is paid"
