"""All commands. A command is loaded when it runs: help and version need none of them."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from headcount.cli.examples import GENERAL, epilog, examples_of
from headcount.cli.suggestions import SuggestingGroup, options_meant
from headcount.errors import brief, visible
from headcount.jobs import JOBS

OTHERS = {
    "demo": ("demo", "Make a table, plan, release, plot, and look at the ledger."),
    "federated": ("app", "What a collection from people who keep their data takes, before anybody takes part."),
    "audit": ("audit", "Audit a function of yours."),
    "ledger": ("app", "The budget of all data about the same people, and what was spent."),
}
"""Commands that are no jobs, each in a module of its name here: the function, or the group; and what it does."""

EXIT_CODES = (
    "Exit codes: 0 done; 1 the ledger or the rows cannot be trusted or read; 2 wrong arguments; 3 the budget refuses; "
    "4 the data changed since the request was charged, which is for the operator alone; 5 its release is not finished "
    "(only if the ledger serves others)."
)


class LazyCommand(TyperCommand):
    """A command whose module is imported when it runs. Its help comes from the source."""

    def __init__(self, name: str, summary: str, panel: str, load: Callable[[], typer.Typer]) -> None:
        super().__init__(name, help=summary, rich_help_panel=panel)
        self._load = load

    @cached_property
    def loaded(self) -> Any:
        """The command itself."""
        return typer.main.get_command(self._load())

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Read the arguments, by the command itself."""
        return self.loaded.make_context(*args, **options)


def _job(name: str) -> typer.Typer:
    from headcount.cli.job import command
    from headcount.cli.panels import JobCommand

    return _alone(name, command(name), cls=JobCommand, epilog=epilog(examples_of(name)))


def _other(name: str) -> typer.Typer:
    found = getattr(import_module(f".{name}", __package__), OTHERS[name][0])
    return found if isinstance(found, typer.Typer) else _alone(name, found)


def _alone(name: str, function: Callable[..., None], **settings: Any) -> typer.Typer:
    app = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    app.command(name.replace("_", "-"), **settings)(function)
    return app


def _commands() -> dict[str, LazyCommand]:
    """Every command, in the order in which they are listed."""
    jobs = {
        name.replace("_", "-"): LazyCommand(
            name.replace("_", "-"),
            summary,
            "Statistics",
            lambda name=name: _job(name),  # type: ignore[misc]
        )
        for name, summary in JOBS.items()
    }
    others = {
        name: LazyCommand(
            name,
            summary,
            "Other commands",
            lambda name=name: _other(name),  # type: ignore[misc]
        )
        for name, (_, summary) in OTHERS.items()
    }
    return jobs | others


class Commands(SuggestingGroup):
    """The commands; what Typer says of wrong arguments repeats them without what a terminal would obey."""

    @cached_property
    def lazy(self) -> dict[str, LazyCommand]:
        """The commands by name."""
        return _commands()

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names."""
        return list(self.lazy)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name."""
        return self.lazy.get(cmd_name)

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
            error.message = visible(brief(message))  # type: ignore[attr-defined]
        if (option := getattr(error, "option_name", None)) and (context := getattr(error, "ctx", None)):
            known = [name for each in context.command.params for name in each.opts if name.startswith("--")]
            error.possibilities = options_meant(option, known)  # type: ignore[attr-defined]
            _say_where_it_went(error, context.command.name.replace("-", "_"), option)
        raise


def _say_where_it_went(error: Any, command: str, option: str) -> None:
    """Add what a former option of a command is typed as now."""
    if command in JOBS:
        from headcount.cli.option_objects import moved_option

        if instead := moved_option(command, option, sys.argv):
            error.message, error.possibilities = f"No such option: {option}. Fix: {visible(brief(instead))}", []


app = typer.Typer(
    cls=Commands,
    help="Statistics about people, under user-level differential privacy.",
    epilog=f"{epilog(GENERAL)}\n\n{EXIT_CODES}",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        note = "" if _has_kernels() else " (without compiled kernels: slower, same results)"
        print(f"headcount {version('headcount')}{note}")
        raise typer.Exit


def _has_kernels() -> bool:
    """True if the compiled kernels can be loaded here. Their own module would import all that reads tables."""
    from ctypes import CDLL
    from pathlib import Path

    try:
        CDLL(str(Path(__file__).parents[1].joinpath("source", "kernels", "kernels.bin")))
    except OSError:
        return False
    return True


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Options that stand before a command."""
