"""Kill servers and clients of federated rounds: `python -m audits.killed_rounds [--kills N]`.

Half of the kills are in rounds of a secure sum, half in rounds with a trusted aggregator; then come mistakes that must
be found. The exit code is 1 if one is not, or if anything was found without a mistake.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from audits.killed_rounds import ends
from audits.killed_rounds.trial import Tally, kill_at_random

HEADS = ["rounds of", "killed: servers", "clients", "results", "nothing opened", "results that lack somebody"]
HEADS += ["free rounds", "second answers", "wrong results", "second results"]


def tallies(folder: Path, kills: int) -> Iterator[tuple[str, bool, Tally]]:
    """The name of each part, whether it has a mistake, and what was found."""
    for number, kind in enumerate((ends.SUM, ends.REPORTS)):
        yield kind.name, False, kill_at_random(folder / f"right{number}", kind, kills // 2)
    search = partial(kill_at_random, kind=ends.REPORTS, kills=kills, mistake=True)
    yield "mistake: charged at the end", True, search(folder / "uncharged", server=ends.serve_uncharged)
    yield "mistake: clients that keep nothing", True, search(folder / "forgetful", client=ends.take_part_and_forget)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=200, help="processes to kill in rounds without a mistake")
    as_expected = True
    print(f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}")
    with tempfile.TemporaryDirectory() as folder:
        for name, mistake, tally in tallies(Path(folder), parser.parse_args().kills):
            row = [tally.server_kills, tally.client_kills, tally.results, tally.unopened, tally.incomplete]
            row += [tally.free_rounds, tally.second_answers, tally.wrong_results, tally.second_results]
            print(f"| {' | '.join([name, *map(str, row)])} |", flush=True)
            as_expected &= bool(tally.violations) == mistake
    return 0 if as_expected else 1


if __name__ == "__main__":
    sys.exit(main())
