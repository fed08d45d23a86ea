"""Audit what is seen of federated rounds: `python -m audits.views [--runs N]`.

First come tiny secure sums, of which every mask is enumerated: given the sum, the server's view must be
uniform. Then come the views, as black boxes. The exit code is 1 if a view that holds is refuted, or a mistake is not.
"""

import argparse
import sys

from audits.views import reports, secure_rounds, secure_sum
from headcount.errors import visible

HEADS = ["view", "epsilon claimed", "delta", "epsilon shown", "verdict", "by the event"]


def audit_exactly() -> bool:
    """True if views of tiny sums are uniform, and the same for people who swap."""
    first, second = secure_sum.exact_law((1, 0, 0)), secure_sum.exact_law((0, 1, 0))
    late = [secure_sum.exact_law((1, 0, 1, last), late=True) for last in (0, 1)]
    right = first == second and late[0] == late[1] and all(len(set(law.values())) == 1 for law in (first, *late))
    print(f"Every mask of tiny sums: the views are {'uniform, given the sum' if right else 'WRONG'}.\n")
    return right


def audit_views(runs: int) -> bool:
    """True if all views that hold pass, and all mistakes are found."""
    print(f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}")
    right = True
    for view in (*secure_sum.views(), *secure_rounds.views(), *reports.views()):
        found = view.audit(runs)
        outcome = "flagged" if found.flagged else "passed"
        verdict = outcome if found.flagged != view.honest else f"{outcome}: WRONG"
        row = [view.name, f"{float(view.epsilon):g}", f"{float(view.delta):g}", f"{found.epsilon:.2f}", verdict]
        print(f"| {' | '.join([*row, visible(found.event[:60])])} |", flush=True)
        right &= found.flagged != view.honest
    return right


def main() -> int:
    """Print both parts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=2_000, help="runs on each of two neighbours")
    chosen = parser.parse_args()
    return int(not (audit_exactly() & audit_views(chosen.runs)))


if __name__ == "__main__":
    sys.exit(main())
