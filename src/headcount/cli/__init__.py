"""The command line. Results on stdout, progress on stderr; exit code 2 for wrong arguments, 3 if the budget refuses,
130 or 143 if it is interrupted.

job.py       what all jobs have in common: options, the plan, the release
app.py       all commands
stopping.py  signals
progress.py  how far it is
"""

import sys

from headcount.cli import stopping
from headcount.wording import visible


def main() -> None:
    """Run the command line. What takes long to import is imported once signals are heard."""
    stopping.listen()
    try:
        _run()
    except stopping.Stopped as stopped:
        print(f"headcount: interrupted: {visible(stopped.told)}", file=sys.stderr)
        sys.exit(stopped.exit_code)
    finally:
        stopping.ignore()


def _run() -> None:
    from headcount.cli.app import app, as_options
    from headcount.errors import HeadcountError

    try:
        app()
    except HeadcountError as error:
        print(f"headcount: {as_options(str(error))}", file=sys.stderr)
        sys.exit(error.exit_code)
