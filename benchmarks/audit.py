"""What `make audit` finds, as tables that state how many runs each mechanism had.

    python -m benchmarks.audit exact                       every sequence of draws on tiny tables
    python -m benchmarks.audit mechanisms [--runs 100000]  black-box audits of every mechanism, and of planted mistakes
    python -m benchmarks.audit ledger [--kills 1000]       kills of a ledger's writers
    python -m benchmarks.audit retries [--lines 60]        stops of a release; 0 for all lines

The exit code is 1 if an honest mechanism is refuted, a mistake is not, or a protocol is violated. Mistakes always have
100,000 runs: fewer do not tell noise that is 10% too small. Slow mechanisms, honest or not, have 4 to 50 times fewer.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import astuple
from pathlib import Path

from audits.registry import enumerations, specimens
from audits.specimen import Specimen
from headcount.audit import chaos, retries
from headcount.exact import written

MISTAKE_RUNS = 100_000
MIN_RUNS = 400
"""An audit takes no fewer."""


def show(columns: Sequence[str], *rows: Sequence[str]) -> None:
    """Print a table."""
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for row in rows:
        line(row)


def line(cells: Sequence[str]) -> None:
    """Print a row."""
    print(f"| {' | '.join(cells)} |", flush=True)


def exact(options: argparse.Namespace) -> bool:
    """Exact deltas beside their prices; True if none is above."""
    show(("mechanism", "neighbours", "epsilon", "delta priced", "exact delta"))
    found = []
    for each in enumerations():
        limits = f"{float(each.exact.low):.6f} .. {float(each.exact.high):.6f}"
        line((each.name, each.neighbours, written(each.epsilon), f"{float(each.price):.6f}", limits))
        found.append(each.sound)
    print()
    show(("exact deltas", "number"), ("all", str(len(found))), ("above their price", str(found.count(False))))
    return all(found)


def mechanisms(options: argparse.Namespace) -> bool:
    """Audits of every specimen; True if all honest ones pass and all mistakes are flagged."""
    show(("mechanism", "is", "claim", "runs on each side", "epsilon shown", "verdict"))
    flagged: dict[bool, list[bool]] = {True: [], False: []}
    runs: dict[bool, list[int]] = {True: [], False: []}
    for each in specimens():
        each_runs = max((options.runs if each.honest else MISTAKE_RUNS) // each.slow, MIN_RUNS)
        flagged[each.honest].append(_audited(each, each_runs))
        runs[each.honest].append(each_runs)
    print()
    show(("audited", "number", "passed", "flagged", "fewest runs", "most runs"))
    for name, honest in (("mechanisms", True), ("mistakes", False)):
        numbers = (len(flagged[honest]), flagged[honest].count(False), sum(flagged[honest]))
        line((name, *map(str, numbers), f"{min(runs[honest]):,}", f"{max(runs[honest]):,}"))
    return not any(flagged[True]) and all(flagged[False])


def _audited(specimen: Specimen, runs: int) -> bool:
    """Audit a specimen and print its row; True if it is flagged."""
    found = specimen.audit(runs * specimen.slow)
    kind = "honest" if specimen.honest else "a mistake"
    claim = f"({written(specimen.epsilon)}, {float(specimen.delta):.2g})"
    verdict = "flagged" if found.flagged else "passed"
    line((specimen.name, kind, claim, f"{runs:,}", f"{found.epsilon:.2f}", verdict))
    return found.flagged


def ledger(options: argparse.Namespace) -> bool:
    """Kills of writers, also of a protocol in the wrong order; True if that one is caught and the right one stands."""
    show(("protocol", "kills", "steps", "free releases", "under-counts", "second draws", "lost spends"))
    tallies = [_killed("charge first", chaos.charge_first, options.kills)]
    tallies.append(_killed("release first (a mistake)", chaos.release_first, options.kills))
    with tempfile.TemporaryDirectory() as folder:
        spent = chaos.contend(Path(folder))
    print()
    show(("writers", "requests of epsilon 1", "budget", "charged"), ("32", "640", "50", written(spent.epsilon)))
    return tallies[0].violations == 0 and tallies[1].violations > 0 and spent.epsilon == 50


def _killed(name: str, protocol: chaos.Protocol, kills: int) -> chaos.Tally:
    with tempfile.TemporaryDirectory() as folder:
        every = chaos.kill_at_every_step(Path(folder) / "steps", protocol)
        tally = every + chaos.kill_at_random(Path(folder) / "random", kills - every.kills, protocol)
    line((name, *(f"{number:,}" for number in astuple(tally))))
    return tally


def stops(options: argparse.Namespace) -> bool:
    """Stops of a release after its first draw; True if every retry repeats it under its one charge."""
    with tempfile.TemporaryDirectory() as folder:
        tally = retries.stop_everywhere(Path(folder), options.lines or None)
    columns = ("stops", "lines", "second draws", "second charges")
    show(columns, [str(n) for n in (tally.kills, tally.steps, tally.second_draws, tally.under_counts)])
    return tally.violations == 0 and tally.lost_spends > 0


PARTS: dict[str, Callable[[argparse.Namespace], bool]] = {
    "exact": exact,
    "mechanisms": mechanisms,
    "ledger": ledger,
    "retries": stops,
}


def main() -> int:
    """Print the tables of a part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--lines", type=int, default=60)
    options = parser.parse_args()
    return int(not PARTS[options.part](options))


if __name__ == "__main__":
    sys.exit(main())
