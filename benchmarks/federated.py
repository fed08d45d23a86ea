"""A round with a million people, each an object of its own: how long it takes, and how near the counts are.

    python -m benchmarks.federated [--clients N]

Everybody has one of 5,000 songs, a few of which are far more liked than others. Epsilon 1, delta 1e-6, one person
replaced by another. Reports go as objects, or are written as text and read again. Seconds are of one core. Last comes
the time for one device to read a round and to check its promise.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from time import process_time

import numpy as np

from headcount.account.curves import sampled
from headcount.federated import Aggregator, Analyst, Client, Invitation, Report, Result, Round

SONGS = 5_000
HEADS = [
    "asked",
    "messages",
    "people",
    "answers",
    "seconds",
    "µs an answer",
    "items shown",
    "mean error",
    "of the top 100",
    "within",
]


def favourites(people: int) -> list[str]:
    """Everybody's song."""
    return [f"song {index:04}" for index in np.floor(SONGS ** (np.arange(people) * 0.6180339887 % 1)).astype(int)]


def answered(asked: Round, songs: list[str], invitations: tuple[Invitation, ...], *, text: bool) -> Iterator[Report]:
    """The reports of all who are asked, each from a new client."""
    who = ((songs[one.person], one) for one in invitations) if asked.people else ((song, None) for song in songs)
    for song, invitation in who:
        report = Client([song]).answer(asked, invitation)
        yield Report.from_json(report.to_json()) if text else report


def line(songs: list[str], *, invite: bool, text: bool) -> list[str]:
    """One round."""
    analyst, people = Analyst(), len(songs)
    asked = analyst.publish("Which?", epsilon=1, neighbours="replace", people=people if invite else None)
    start = process_time()
    aggregator = Aggregator(asked)
    for report in answered(asked, songs, aggregator.invitations, text=text):
        aggregator.add(report)
    result = aggregator.close()
    found = analyst.read(Result.from_json(result.to_json()) if text else result)
    seconds = process_time() - start
    truth = Counter(songs)
    names, counts, low, high = (found.table[name].to_pylist() for name in ("item", "count", "low", "high"))
    true = np.array([truth[name] for name in names])
    error = np.abs(np.array(counts) - true) / true
    within = (np.array(low) <= true) & (true <= np.array(high))
    answers = asked.invited or people
    return [
        *("invited" if invite else "everybody", "text" if text else "objects", f"{people:,}", f"{answers:,}"),
        *(f"{seconds:.1f}", f"{1e6 * seconds / answers:.1f}", f"{len(names):,}"),
        *(f"{part:.1%}" for part in (error.mean(), error[:100].mean(), within.mean())),
    ]


def checked(people: int | None) -> str:
    """Milliseconds for reading a round and checking its promise."""
    text = Analyst().publish("Which?", epsilon=1, neighbours="replace", people=people).to_json()
    sampled.delta.cache_clear()
    start = process_time()
    assert Round.from_json(text).holds
    return f"{1e3 * (process_time() - start):.1f} ms"


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--clients", type=int, default=1_000_000)
    songs = favourites(arguments.parse_args().clients)
    print(f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}")
    for invite in (False, True):
        for text in (False, True):
            print(f"| {' | '.join(line(songs, invite=invite, text=text))} |", flush=True)
    print(f"\nreading and checking a round: {checked(None)}; one that invites: {checked(len(songs))}")


if __name__ == "__main__":
    main()
