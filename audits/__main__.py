"""Audit headcount's own parts: `python -m audits [--runs N] [--kills N] [--lines N] [--only WORD]`.

Every mechanism is enumerated on tiny data and attacked as a black box, mistakes among them; then come the parts that
`headcount audit` has as well: kills of a ledger's writers, and stops of a release. The exit code is 1 if an exact delta
is above its price, an honest mechanism is refuted, a mistake is not, or a protocol is violated.
"""

import argparse
import sys

from rich.table import Table

from audits.registry import enumerations, specimens
from headcount.audit import Finding
from headcount.cli.audit import audit_ledger, audit_retries, progress
from headcount.cli.ledger import plain_console
from headcount.errors import visible
from headcount.exact import written


def audit_exactly() -> bool:
    """Enumerate the mechanisms on tiny data; True if no exact delta is above its price."""
    table = Table("mechanism", "neighbours", "epsilon", "delta priced", "exact delta", box=None, header_style="bold")
    sound = True
    for each in enumerations():
        exact = f"{float(each.exact.low):.6f} .. {float(each.exact.high):.6f}"
        table.add_row(each.name, each.neighbours, written(each.epsilon), f"{float(each.price):.6f}", exact)
        sound &= each.sound
    plain_console().print(table)
    return sound


def audit_specimens(runs: int, only: str = "") -> bool:
    """Audit every specimen, or those with a name; True if all honest ones pass and all wrong ones are caught."""
    table = Table("mechanism", "claim", "epsilon shown", "verdict", "by the event", box=None, header_style="bold")
    right = True
    for each in (each for each in specimens() if only in each.name):
        with progress(each.name, runs) as advance:
            seen = each.audit(runs * each.slow if only else runs, advance)
        claim = f"({written(each.epsilon)}, {float(each.delta):.2g})"
        table.add_row(each.name, claim, f"{seen.epsilon:.2f}", verdict(each.honest, seen), visible(seen.event[:60]))
        right &= seen.flagged != each.honest
    plain_console().print(table)
    return right


def verdict(honest: bool, found: Finding) -> str:
    """Describe the outcome of an audit, and mark a wrong one."""
    outcome = "flagged" if found.flagged else "passed"
    return outcome if found.flagged != honest else f"{outcome}: WRONG"


def options(arguments: list[str]) -> argparse.Namespace:
    """Read the options; a word that is in no name is refused."""
    parser = argparse.ArgumentParser(prog="python -m audits", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=100_000, help="runs on each dataset")
    parser.add_argument("--kills", type=int, default=500, help="kills of a ledger's writer")
    parser.add_argument("--lines", type=int, default=60, help="lines at which a release is stopped; 0 for all")
    parser.add_argument("--only", default="", help="only mechanisms with this in their name, each with all runs")
    chosen = parser.parse_args(arguments)
    if not any(chosen.only in each.name for each in specimens()):
        parser.error(f"--only {chosen.only!r}: no mechanism has this in its name. Fix: --only weighted")
    return chosen


def main(arguments: list[str]) -> int:
    """Run the audit; 0 if everything is as it should be."""
    chosen = options(arguments)
    if chosen.only:
        return int(not audit_specimens(chosen.runs, chosen.only))
    sound = audit_exactly() & audit_specimens(chosen.runs) & audit_ledger(chosen.kills) & audit_retries(chosen.lines)
    return int(not sound)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
