"""Random views for as long as one says: no certified one may mix people, and most refused ones should.

python -m benchmarks.views SECONDS [SEED [FOLDER]]

On DuckDB; or on the Postgres server whose socket is in a folder.
"""

import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from ibis.expr import types as ir

from benchmarks.views.databases import Databases, PostgresDatabases
from benchmarks.views.generator import Generator
from benchmarks.views.worlds import LETTERS
from headcount.errors import HeadcountError
from headcount.source.views.view import View

BASES = 14


@dataclass
class Tally:
    """What came out."""

    counts: Counter[str] = field(default_factory=Counter)
    violations: list[tuple[str, str, ir.Table]] = field(default_factory=list)
    """How, for which user column, and by which expression."""


def judge(expression: ir.Table, databases: Databases, tally: Tally) -> None:
    """Certify an expression, and search for a violation whatever the verdict is."""
    view = View(expression, **databases.declarations(expression))
    try:
        people = view.people()
    except HeadcountError:
        _judge_refused(expression, databases, tally)
        return
    tally.counts["certified"] += bool(people)
    for user in people:
        found = databases.violation(view.certified(user)[1], user)
        tally.counts["carriers checked"] += 1
        if found:
            tally.violations.append((found, user, expression))


def _judge_refused(expression: ir.Table, databases: Databases, tally: Tally) -> None:
    """A refusal is justified by a violation for a column that could pass for the user."""
    tally.counts["refused"] += 1
    users = [name for name in expression.columns if name.startswith("u")]
    if users:
        try:
            found = databases.violation(expression, users[0])
        except (databases.errors, ValueError):  # it does not run, or DuckDB confuses its columns
            return
        tally.counts["refused and run"] += 1
        tally.counts["refused with a violation"] += bool(found)


def main(seconds: float, seed: int, host: str = "") -> Tally:
    """Judge expressions until the time is over."""
    databases = PostgresDatabases(LETTERS, seed, BASES, host) if host else Databases(LETTERS, seed, BASES)
    tally = Tally()
    generator, end = Generator(databases.tables, seed), time.monotonic() + seconds
    while time.monotonic() < end:
        judge(generator.expression(), databases, tally)
    return tally


if __name__ == "__main__":
    result = main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1, *sys.argv[3:])
    print(dict(result.counts))
    for how, user, expression in result.violations:
        print(how, user, expression, sep="\n")
    sys.exit(bool(result.violations))
