"""Commands and options that there are not: what was probably meant, as a user types it."""

import sys
from pathlib import Path

import pytest
from tests import process

COMMAND = Path(sys.executable).with_name("headcount")
EVENTS = "user,country,amount\n1,US,2\n2,DE,3\n"
BY = ("events.csv", "--user", "user", "--by", "country")


def said(*arguments: str, cwd: Path) -> str:
    """What is said, in one line."""
    (cwd / "events.csv").write_text(EVENTS)
    run = process.run(COMMAND, *arguments, cwd=cwd)
    assert (run.returncode, run.stdout) == (2, "")
    return " ".join(run.stderr.replace("│", " ").split())


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("histogrm",), "No such command 'histogrm'. Fix: did you mean headcount histogram?"),
        (("heavy_hitters",), "No such command 'heavy_hitters'. Fix: did you mean headcount heavy-hitters?"),
        (
            ("plan",),
            "No such command 'plan'. Fix: --dry-run shows the plan: headcount histogram visits.csv ... --dry-run",
        ),
        (
            ("simulate",),
            "No such command 'simulate'. Fix: it is Python only: hc.simulate(\"histogram\", data, ...)",
        ),
        (("ledger", "create", "x.db"), "No such command 'create'. Fix: headcount ledger new"),
        (("ledger", "init", "x.db"), "No such command 'init'. Fix: headcount ledger new"),
        (("histogram", *BY, "--eps", "1"), "No such option: --eps (Possible options: --epsilon)"),
        (("top", *BY, "--n", "5"), "No such option: --n (Possible options: --k)"),
        (
            ("histogram", *BY, "--keys", "US", "DE", "--epsilon", "1"),
            "headcount: DE: there is no such file. Keys are typed without spaces between them. Fix: --keys US,DE",
        ),
        (
            ("aggregate", *BY, "--metric", "avg(amount)", "--epsilon", "1"),
            "headcount: --metric: 'avg(amount)' is no metric. Fix: did you mean mean(amount)?",
        ),
        (
            ("histogram", *BY, "--epsilon", "0,5"),
            "headcount: --epsilon 0,5: a finite number is needed. Fix: --epsilon 0.5, with a decimal point",
        ),
    ],
)
def test_what_was_meant(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    assert message in said(*arguments, cwd=tmp_path)
