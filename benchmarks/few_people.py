"""How many items small tables show: people per song of the example table, epsilon 1, by default.

python -m benchmarks.few_people
"""

from collections.abc import Sequence
from statistics import fmean

import headcount as hc
from benchmarks.truth import true_counts_of

PEOPLE = (100, 200, 500, 1_000, 2_000, 5_000, 20_000)
RUNS = 20


def row(people: int) -> Sequence[str]:
    """People, their songs, and means over some releases: songs shown, and those at most 10% off."""
    plays = hc.example(people=people)
    truth = true_counts_of(plays, "user", "song")
    releases = [hc.histogram(plays, user="user", by="song", epsilon=1).table.to_pylist() for _ in range(RUNS)]
    shown = fmean(len(rows) for rows in releases)
    good = fmean(sum(abs(row["count"] / truth[row["song"]] - 1) <= 0.1 for row in rows) for rows in releases)
    return f"{people:,}", f"{len(truth):,}", f"{shown:.0f}", f"{good:.0f}"


def main() -> None:
    """Print the table."""
    print("| people | songs | shown | at most 10% off |\n|---|---|---|---|")
    for people in PEOPLE:
        print(f"| {' | '.join(row(people))} |", flush=True)
    print(f"\nMeans of {RUNS} releases.")


if __name__ == "__main__":
    main()
