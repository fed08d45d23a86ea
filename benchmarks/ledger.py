"""The ledger under load: publications a second, and the time to open and verify a long one.

python -m benchmarks.ledger
"""

import multiprocessing
import tempfile
from fractions import Fraction
from pathlib import Path
from time import perf_counter

from headcount.account import Charge, Cost, Ledger
from headcount.account.ledger.record.append import charge_row, seal_row
from headcount.account.ledger.record.history import History
from headcount.account.ledger.record.rows import follow
from headcount.account.ledger.stores.sqlite import SqliteStore

PRICE = Cost(Fraction("0.001"), Fraction(0))
LONG = 100_000


def publish(path: Path, writer: int, requests: int) -> float:
    """The longest time that one of `requests` publications took."""
    ledger, longest = Ledger(path), 0.0
    for number in range(requests):
        start = perf_counter()
        ledger.publish(Charge(f"{writer}-{number}", PRICE), lambda head, secret: b"a release")
        longest = max(longest, perf_counter() - start)
    return longest


def rate(folder: Path, writers: int, requests: int = 320) -> tuple[float, float]:
    """Publications per second by `writers` processes together, and the longest wait of one."""
    path = folder / f"{writers}.db"
    Ledger(path, epsilon=10**6)
    with multiprocessing.get_context("fork").Pool(writers) as pool:
        start = perf_counter()
        longest = pool.starmap(publish, [(path, writer, requests // writers) for writer in range(writers)], chunksize=1)
        return requests / (perf_counter() - start), max(longest)


def long_ledger(path: Path, rows: int) -> None:
    """A ledger of `rows` rows, written in one transaction with the package's own functions."""
    Ledger(path, epsilon=10**8)
    fields = {"nonce": "", "data": "", "secret": ""}
    with SqliteStore.at(path).writing() as transaction:
        history = History()
        follow(history, transaction, SqliteStore.at(path))
        for number in range(1, rows // 2):
            charge = charge_row(history, Charge(str(number), PRICE), fields)
            history.add(charge)
            transaction.append(charge)
            seal = seal_row(history, charge, b"a release")
            history.add(seal)
            transaction.append(seal)


def main() -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("| writers | publications a second | longest wait |\n|---|---|---|")
        for writers in (1, 8, 32):
            speed, longest = rate(folder, writers)
            print(f"| {writers} | {speed:.0f} | {longest:.2f} s |")
        long_ledger(folder / "long.db", LONG)
        start = perf_counter()
        Ledger(folder / "long.db")
        print(f"\nopening a ledger of {LONG:,} rows, every row checked: {perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
