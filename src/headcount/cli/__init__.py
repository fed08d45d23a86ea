"""The command line. Results on stdout, progress on stderr; exit code 2 for wrong arguments, 3 if the budget refuses,
4 if the data changed since the request was charged, 5 if its release is not finished, 128 and the signal's number if it
is interrupted (130 for Ctrl-C).

app.py       all commands
job.py       commands of jobs: from options to a plan and a release
options.py   options from the parameters of a job
option_objects.py  values with options of their own
panels.py    options in groups
spelling.py  messages and hints in the spelling of options
examples.py  examples at the end of the help
audit.py     `headcount audit`
demo.py      `headcount demo`
ledger.py    `headcount ledger`
federated.py `headcount federated`
people.py    items of each person in files
suggestions.py  what was probably meant
stopping.py  signals
progress.py  the progress line
"""

import sys
from io import TextIOWrapper

from headcount.cli import stopping
from headcount.errors import visible


def main() -> None:
    """Run the command line. Slow imports come after the signal handlers are installed."""
    _write_utf8()
    stopping.listen()
    try:
        _run()
    except stopping.Stopped as stopped:
        stopping.say(visible(stopped.outcome))
        sys.exit(stopped.exit_code)
    finally:
        stopping.ignore()


def _write_utf8() -> None:
    """Write UTF-8 to files and pipes on Windows too, whose own encoding there lacks most items."""
    for stream in (sys.stdout, sys.stderr):
        if sys.platform == "win32" and isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _run() -> None:
    from headcount.cli.app import app
    from headcount.errors import HeadcountError

    try:
        app()
    except HeadcountError as error:
        print(f"headcount: {_as_options(str(error))}", file=sys.stderr)
        sys.exit(error.exit_code)


def _as_options(message: str) -> str:
    from headcount.cli.spelling import as_options

    return as_options(message, _option_names(sys.argv[1].replace("-", "_") if len(sys.argv) > 1 else ""))


def _option_names(command: str) -> list[str]:
    if command == "federated":
        from headcount.cli import federated

        return federated.option_names()
    from headcount.cli import job

    return job.option_names(command)
