"""The command line. Results on stdout, progress on stderr; exit code 2 for wrong arguments, 3 if the budget refuses."""

import sys
from typing import Annotated

import typer

from headcount import __version__
from headcount.cli import audit, demo, ledger
from headcount.errors import HeadcountError

app = typer.Typer(
    help="Histograms about people, under user-level differential privacy.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _tell_version(asked: bool) -> None:
    if asked:
        print(f"headcount {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Tell the version.", callback=_tell_version, is_eager=True)
    ] = False,
) -> None:
    """Options that stand before a command."""


app.command("demo")(demo.demo)
app.command("audit")(audit.audit)
app.add_typer(ledger.app, name="ledger")


def main() -> None:
    """Run the command line."""
    try:
        app()
    except HeadcountError as error:
        print(f"headcount: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
