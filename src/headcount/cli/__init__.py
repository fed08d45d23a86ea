"""The command line. Results on stdout, progress on stderr; exit code 2 for wrong arguments, 3 if the budget refuses."""

import re
import sys
from typing import Annotated

import typer

from headcount import __version__
from headcount.cli import audit, demo, distribution, histogram, ledger, numbers, people, reproduce, shape, top
from headcount.errors import HeadcountError

OPTIONS = (
    "user|by|k|epsilon|delta|rho|target_error|count|keys|keys_file|bins|sum|bound|share|grid|where|mechanism|variant|"
    "kbar|p|theta|rule|value|q|range|ranges|edges|cells|loss|estimator|buckets|sizes|debias|people|neighbours|dataset|ledger|again"
)
ASSIGNED = rf"\b({OPTIONS})=(\[.*?\]|\(.*?\)|\{{.*?\}}|'[^']*'|\"[^\"]*\"|[^\s,:;]+)"
"""`bound=20`, `keys=["a", "b"]`, `bins={'age': [0, 10]}`."""

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


app.command("histogram")(histogram.histogram)
app.command("top")(top.top)
app.command("heavy-hitters")(top.heavy_hitters)
app.command("quantiles")(numbers.quantiles)
app.command("ranges")(numbers.ranges)
app.command("shape")(shape.shape)
app.command("distribution")(distribution.distribution)
app.command("profile")(people.profile)
app.command("total")(people.total)
app.command("demo")(demo.demo)
app.command("audit")(audit.audit)
app.command("reproduce")(reproduce.reproduce)
app.add_typer(ledger.app, name="ledger")


def main() -> None:
    """Run the command line."""
    try:
        app()
    except HeadcountError as error:
        print(f"headcount: {as_options(str(error))}", file=sys.stderr)
        sys.exit(error.exit_code)


def as_options(message: str) -> str:
    """A message in the words of the command line: `bound=20` becomes `--bound 20`, where it begins and after `Fix:`."""
    said, fix, line = message.partition(" Fix: ")
    opening = re.match(ASSIGNED, said)
    said = _option(opening) + said[opening.end() :] if opening else said
    return said + fix + (line if "Ledger(" in line else re.sub(ASSIGNED, _option, line))


def _option(found: re.Match[str]) -> str:
    name, value = found.groups()
    pairs = re.sub(r"\((\S+), (\S+)\)", r"\1..\2", value)
    plain = re.sub(r"[\[\]{}'\"]", "", pairs).replace(", ", ",").replace(": ", "=")
    return f"--{name.replace('_', '-')} {plain}"
