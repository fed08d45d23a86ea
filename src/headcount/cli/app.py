"""All commands, and messages in their words."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from headcount import __version__
from headcount.cli import audit, demo, distribution, histogram, ledger, numbers, people, shape, top
from headcount.cli.job import job
from headcount.plans import Job
from headcount.visible import visible

OPTIONS = (
    "user|by|k|epsilon|delta|rho|target_error|count|keys|keys_file|bins|sum|bound|share|grid|where|mechanism|variant|"
    "kbar|first_epsilon|selection_delta|p|theta|rule|value|q|range|ranges|edges|cells|loss|estimator|buckets|sizes|debias|people|neighbours|dataset|ledger|again|"
    "memory|spill|engine|master"
)
ASSIGNED = rf"\b({OPTIONS})=(\[.*?\]|\(.*?\)|\{{.*?\}}|'[^']*'|\"[^\"]*\"|[^\s,:;]+)"
"""`bound=20`, `keys=["a", "b"]`, `bins={'age': [0, 10]}`."""

JOBS: dict[Job, Callable[..., dict[str, Any]]] = {
    "histogram": histogram.histogram,
    "top": top.top,
    "heavy_hitters": top.heavy_hitters,
    "quantiles": numbers.quantiles,
    "ranges": numbers.ranges,
    "shape": shape.shape,
    "distribution": distribution.distribution,
    "profile": people.profile,
    "total": people.total,
}
"""Each job, and what makes a plan's arguments of its own options."""


class Commands(TyperGroup):
    """The commands; what Typer says of wrong arguments repeats them without what a terminal would obey."""

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Read the arguments of all commands."""
        with _visible_errors():
            return super().make_context(*args, **options)

    def invoke(self, *args: Any, **options: Any) -> Any:
        """Read the arguments of one command, and run it."""
        with _visible_errors():
            return super().invoke(*args, **options)


@contextmanager
def _visible_errors() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if isinstance(message := getattr(error, "message", None), str):  # Typer's, not ours
            error.message = visible(message)  # type: ignore[attr-defined]
        raise


app = typer.Typer(
    cls=Commands,
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


for name, asked in JOBS.items():
    app.command(name.replace("_", "-"))(job(name, asked))
app.command("demo")(demo.demo)
app.command("audit")(audit.audit)
app.add_typer(ledger.app, name="ledger")


def as_options(message: str) -> str:
    """A message in the words of the command line: `bound=20` becomes `--bound 20`, where it begins and after `Fix:`."""
    said, fix, line = message.partition(" Fix: ")
    opening = re.match(ASSIGNED, said)
    said = _option(opening) + said[opening.end() :] if opening else said
    return said + fix + (line if "Ledger(" in line else re.sub(ASSIGNED, _option, line))


def _option(found: re.Match[str]) -> str:
    name, value = found.groups()
    pairs = re.sub(r"\((\S+), (\S+)\)", r"\1..\2", value)
    signs = r"['\"]" if name == "master" else r"[\[\]{}'\"]"  # local[2] is the name of a Spark
    plain = re.sub(signs, "", pairs).replace(", ", ",").replace(": ", "=")
    return f"--{name.replace('_', '-')}{'' if plain == 'True' else f' {plain}'}"
