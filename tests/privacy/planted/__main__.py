"""Plant every bug and print which are caught."""

import sys

from tests.privacy.planted import BUGS, caught

if __name__ == "__main__":
    results = {bug.name: caught(bug) for bug in BUGS}
    for name, red in results.items():
        print(f"{'caught' if red else 'MISSED':7s} {name}")
    print(f"{sum(results.values())} of {len(results)} planted bugs caught")
    sys.exit(not all(results.values()))
