"""The command line. Results on stdout, progress on stderr; exit code 2 for wrong arguments, 3 if the budget refuses."""

import sys

import typer

from headcount.cli import audit, demo, ledger
from headcount.errors import HeadcountError

app = typer.Typer(
    help="Histograms about people, under user-level differential privacy.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
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
