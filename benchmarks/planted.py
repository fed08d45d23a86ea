"""Planted bugs by folder: how many there are, and how many turn their test red (tests/privacy/planted).

python -m benchmarks.planted [--workers 2]
"""

import argparse
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from tests.privacy.planted import BUGS, Bug, caught


def main() -> int:
    """Print the tables; 1 if a bug is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    with ThreadPoolExecutor(parser.parse_args().workers) as pool:
        found = dict(zip([bug.name for bug in BUGS], pool.map(_caught, BUGS), strict=True))
    planted = Counter(_folder(bug) for bug in BUGS)
    red = Counter(_folder(bug) for bug in BUGS if found[bug.name])
    print("| folder | bugs | caught |\n|---|---|---|")
    for folder in sorted(planted):
        print(f"| {folder} | {planted[folder]} | {red[folder]} |")
    print(f"\n| planted bugs | number |\n|---|---|\n| all | {len(found)} |\n| caught | {sum(found.values())} |")
    return int(not all(found.values()))


def _caught(bug: Bug) -> bool:
    red = caught(bug)
    print(f"{'caught' if red else 'MISSED'}: {bug.name}", file=sys.stderr, flush=True)
    return red


def _folder(bug: Bug) -> str:
    return bug.file.partition("/")[0]


if __name__ == "__main__":
    sys.exit(main())
