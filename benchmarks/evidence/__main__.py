"""The command: list, run, render."""

import argparse
import sys
from collections.abc import Sequence

from benchmarks.evidence.experiment import Experiment
from benchmarks.evidence.pages import render
from benchmarks.evidence.record import read
from benchmarks.evidence.registry import EXPERIMENTS
from benchmarks.evidence.run import run


def main(typed: Sequence[str]) -> int:
    """Do what the command line says; 1 if an experiment failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evidence", description=__doc__)
    parser.add_argument("what", choices=("list", "run", "render"))
    parser.add_argument("names", nargs="*", help="experiments; all if there is none")
    parser.add_argument("--quick", action="store_true", help="what README.md and the front page show")
    parser.add_argument("--again", action="store_true", help="measure also what is not stale")
    options = parser.parse_args(typed)
    if unknown := set(options.names) - set(EXPERIMENTS):
        parser.error(f"no experiment is called {', '.join(sorted(unknown))}; there are {', '.join(EXPERIMENTS)}")
    chosen = [each for each in EXPERIMENTS.values() if _wanted(each, options)]
    if options.what == "list":
        print(*map(line, chosen), sep="\n")
        return 0
    failed = run(chosen, again=options.again) if options.what == "run" else []
    render()
    print(f"not measured: {', '.join(failed)}" if failed else "README.md and docs/index.md: written", file=sys.stderr)
    return int(bool(failed))


def _wanted(experiment: Experiment, options: argparse.Namespace) -> bool:
    return (experiment.name in options.names or not options.names) and (experiment.quick or not options.quick)


def line(experiment: Experiment) -> str:
    """State, duration and command of an experiment."""
    kept = read(experiment.name)
    state = "missing" if kept is None else "stale" if kept.stale else "fresh"
    made = f"{kept.commit[:8]}{'*' if kept.dirty else ' '} {kept.date[:10]}" if kept else ""
    when = "quick" if experiment.quick else "night"
    return f"{experiment.name:16s} {when} {experiment.minutes:4g} min  {state:8s}{made:21s} {experiment.typed}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
