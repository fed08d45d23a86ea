"""`make reproduce NAME=bounding-table1`: a paper's experiment, run again, beside the numbers that it prints."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from experiments import EXPERIMENTS, experiment
from headcount.errors import BadParameter, HeadcountError
from headcount.wording import visible

if TYPE_CHECKING:
    from experiments.report import Tell

Name = Annotated[str, typer.Argument(help=f"One of {', '.join(EXPERIMENTS)}.", show_default=False)]


def reproduce(
    name: Name,
    out: Annotated[Path | None, typer.Option(help="A folder for the table (.md) and the picture (.png, .svg).")] = None,
    data: Annotated[Path, typer.Option(help="The folder with the real tables.")] = Path("../shared/data"),
    quick: Annotated[bool, typer.Option("--quick", help="A small version, in seconds.")] = False,
) -> None:
    """Run a paper's experiment again: our numbers beside the printed ones. Not a release: nothing here is private."""
    run = experiment(name)
    _check(out)
    from experiments.report import Setting

    with progress(name) as tell:
        found = run(Setting(data, quick), tell)
    if out is None:
        print(found.markdown(), end="")
        return
    for path in found.save(out):
        print(f"wrote {visible(str(path))}")


def _check(out: Path | None) -> None:
    """Refuse what is no folder, before anything is computed."""
    if out is not None and out.exists() and not out.is_dir():
        raise BadParameter(f"{out}: not a folder.", fix="--out reproduced")


@contextmanager
def progress(name: str) -> Iterator["Tell"]:
    """A bar on a terminal's stderr; on anything else nothing."""
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(name, total=1.0)
        yield lambda what, done: bar.update(task, description=f"{name}: {what}", completed=done)


def main() -> None:
    """Run the experiment that is named; a mistake is one line and the exit code of the command line."""
    app = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    app.command()(reproduce)
    try:
        app()
    except HeadcountError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
