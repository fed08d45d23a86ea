"""`make reproduce NAME=bounding-table1`: run a paper's experiment again, beside the numbers that the paper prints.

Tables on stdout, progress on stderr; exit code 2 for wrong arguments, 130 or 143 if interrupted.
"""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from headcount.cli import stopping

if TYPE_CHECKING:
    from experiments.report import Progress

DESCRIPTION = "Run a paper's experiment again: our numbers beside the printed ones. Not a release: nothing is private."
EXAMPLE = "make reproduce NAME=bounding-table1"


def main() -> None:
    """Run the command line. Slow imports wait until signals are handled."""
    stopping.listen()
    try:
        sys.exit(run(sys.argv[1:]))
    except stopping.Stopped as stopped:
        print("reproduce: interrupted: the experiment is not finished", file=sys.stderr)
        sys.exit(stopped.exit_code)
    finally:
        stopping.ignore()


def run(arguments: Sequence[str]) -> int:
    """Run the experiment that the arguments name and return the exit code; a mistake is one line on stderr."""
    from headcount.errors import HeadcountError

    try:
        _reproduce(arguments)
    except HeadcountError as error:
        print(f"reproduce: {error}", file=sys.stderr)
        return error.exit_code
    return 0


class Parser(ArgumentParser):
    """Raises wrong arguments as the package's own error: one line, control characters replaced, and a fix."""

    def error(self, message: str) -> NoReturn:
        from headcount.errors import BadParameter

        raise BadParameter(f"{message}.", fix=f'{EXAMPLE} MORE="--quick --out reproduced"')


def _parser() -> Parser:
    from experiments import EXPERIMENTS

    parser = Parser("python -m experiments", description=DESCRIPTION, allow_abbrev=False)
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help=f"One of {', '.join(EXPERIMENTS)}.")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="Write the table (.md) and the picture (.png, .svg) to this folder."
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=Path("../shared/data"),
        metavar="FOLDER",
        help="Read the real tables from this folder (%(default)s).",
    )
    parser.add_argument("--quick", action="store_true", help="Run a small version, in seconds.")
    return parser


def _reproduce(arguments: Sequence[str]) -> None:
    from experiments import experiment
    from experiments.report import Setting
    from headcount.errors import visible

    options = _parser().parse_args(arguments)
    compute = experiment(options.name)
    _check(options.out, options.data)
    with _progress(options.name) as progress:
        reproduction = compute(Setting(options.data, options.quick), progress)
    if options.out is None:
        print(reproduction.markdown(), end="")
        return
    for path in reproduction.save(options.out):
        print(f"wrote {visible(str(path))}")


def _check(out: Path | None, data: Path) -> None:
    """Refuse folders that cannot be used before anything is computed. A missing data folder is allowed: see Setting."""
    from headcount.errors import BadParameter

    if data.exists() and not data.is_dir():
        raise BadParameter(f"{data}: not a folder.", fix="--data ../shared/data")
    if out is None:
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise BadParameter(f"{out}: not a folder.", fix="--out reproduced") from None
    except OSError as error:
        raise BadParameter(f"{out}: cannot be created ({error.strerror}).", fix="--out reproduced") from None
    if not os.access(out, os.W_OK | os.X_OK):
        raise BadParameter(f"{out}: cannot be written to.", fix="--out reproduced")


@contextmanager
def _progress(name: str) -> Iterator["Progress"]:
    """Show a bar if stderr is a terminal, and nothing otherwise."""
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(name, total=1.0)
        yield lambda step, fraction: bar.update(task, description=f"{name}: {step}", completed=fraction)


if __name__ == "__main__":
    main()
