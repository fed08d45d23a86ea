"""`headcount demo`: plan, release, plot and ledger on an example table, in half a minute."""

from pathlib import Path
from typing import Annotated

import pyarrow.parquet as pq
import typer
from rich.markup import escape

from headcount.account import Ledger
from headcount.account.ledger.stores.sqlite import SqliteStore
from headcount.cli.ledger import plain_console, print_ledger
from headcount.cli.progress import steps
from headcount.errors import BadParameter, BudgetExceeded, visible
from headcount.jobs.registry import Plan, plan
from headcount.source.example import example

Folder = Annotated[Path, typer.Option(help="Where the table, the releases and the ledger go.")]


def demo(folder: Folder = Path("headcount-demo")) -> None:
    """Make a table, plan, release, plot, and look at the ledger."""
    console = plain_console()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadParameter(f"{folder}: {error.strerror}.", fix="--folder demo") from None
    table = folder / "plays.parquet"
    console.print(f"[bold]1. A table[/bold]: {_shown(table)}, who played which song; 20,000 people", soft_wrap=True)
    pq.write_table(example(), table)
    songs = plan("histogram", table, user="user", by="song", epsilon=1)
    console.print("\n[bold]2. A plan[/bold]: what it will cost, how far off it will be")
    print(songs)
    ledger = _ledger(folder / "plays.db")
    console.print("\n[bold]3. A release[/bold], charged to a ledger before the first random bit is drawn")
    _release(songs, ledger, folder)
    console.print(
        "\n[bold]4. The ledger[/bold]: asking again costs nothing and returns the same bytes; asking too much"
    )
    _exceed_budget(table, ledger)
    print_ledger(ledger)


def _shown(path: Path) -> str:
    """Escape a path for Rich: its brackets are no markup."""
    return escape(visible(str(path)))


def _ledger(path: Path) -> Ledger:
    return Ledger(path, epsilon=2, delta=1e-5) if SqliteStore.at(path).is_missing() else Ledger(path)


def _release(songs: Plan, ledger: Ledger, folder: Path) -> None:
    with steps() as progress:
        release = songs.release(ledger=ledger, progress=progress)
    print(release.summary())
    for name in ("songs.parquet", "songs.csv", "songs.png", "songs.html"):
        print(f"wrote {visible(str(release.save(folder / name)))}")
    assert songs.release(ledger=ledger).content == release.content


def _exceed_budget(table: Path, ledger: Ledger) -> None:
    try:
        plan("histogram", table, user="user", by="song", epsilon=1.5).release(ledger=ledger)
    except BudgetExceeded as refusal:
        print(f"refused: {refusal}\n")
