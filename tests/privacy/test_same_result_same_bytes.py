"""Same private result, different data: nothing that can be seen differs (I9, I10).

Every command and every format runs as a process of its own on neighbouring tables, with noise that leads both to the
same result. Exit code, stdout, stderr, every byte of every file, and which files there are, must be equal. The second
table has one person more, with every poisonous thing that a row can hold. Some are started from scratch, each with a
hash seed of its own (FRESH); the others are forked.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headcount import Ledger
from headcount.account import Cost
from headcount.audit.choices import Fixed
from headcount.bound.selection.draws import MostDrawn
from headcount.bound.selection.profile import Profile
from headcount.exact import Integers
from headcount.mechanism import Recentred
from headcount.mechanism.distribution.recentred import CentredPeople as People
from headcount.mechanism.distribution.strategy import DistributionStrategy
from headcount.mechanism.shape.staircase import staircase
from headcount.noise import NoiseDistribution
from tests import process

AIMED = Path(__file__).with_name("aimed.py")
MANY = [(f"person {number}", item) for number in range(30) for item in "abc"]
POISON: list[tuple[Any, Any]] = [
    ("me", "=cmd()"),
    ("me", "<script>"),
    ("me", "x" * 100_000),
    ("me", "\x1b[2J"),
    ("me", None),
    (None, "a"),
    ("me", ""),
    ("me", "\ufffd"),
    ("me", "a"),
    *[("me", "z")] * 1000,
]
ASKED = ("--user", "user", "--by", "item", "--epsilon", "1", "--bound", "20")
KNOWN = (*ASKED, "--keys", "a,b,q")
RESULT = {"a": 250, "b": 120, "q": 7}
FILES = ("r.parquet", "r.csv", "r.json", "r.html", "r.yaml", "r.png", "r.svg", "r.pdf")
FRESH = ("files", "distribution")
"""Commands whose two runs have different hash seeds: all kinds of files, and the job with most numbers of its own."""


@dataclass(frozen=True)
class Seen:
    """Everything that can be seen of a run."""

    exit_code: int
    stdout: str
    stderr: str
    files: dict[str, bytes]


def people_per_item(rows: list[tuple[Any, Any]]) -> Counter[str]:
    return Counter(item for _, item in {row for row in rows if None not in row})


def noise_for(rows: list[tuple[Any, Any]], *, known: bool) -> list[int]:
    """The noise that makes RESULT of these rows; whatever is not in it sinks far below the threshold."""
    there = people_per_item(rows)
    if known:
        return [1024 * (RESULT[item] - there[item]) for item in ("a", "b", "q")]
    return [RESULT[item] - there[item] if item in RESULT else -(10**6) for item in sorted(there, key=str.encode)]


def write(rows: list[tuple[Any, Any]], path: Path) -> None:
    table = pa.table({"user": [user for user, _ in rows], "item": [item for _, item in rows]})
    if path.suffix == ".csv":
        table.to_pandas().to_csv(path, index=False)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        pq.write_table(table, path)


def run(
    folder: Path,
    rows: list[tuple[Any, Any]],
    name: str,
    arguments: tuple[str, ...],
    noise: list[int],
    *,
    amount: bool = False,
    coins: bool = False,
    fresh: bool = False,
) -> Seen:
    """What is seen of a command; with noise that is given, and, if there are `coins`, a 0 or a 1 for each."""
    folder.mkdir()
    write(rows, folder / name)
    if amount:  # of the new person, things that are none
        table = pq.read_table(folder / name)
        strange = [float("nan"), None, -1e300]
        amounts = [strange[row % 3] if user == "me" else 1.0 for row, (user, _) in enumerate(rows)]
        pq.write_table(table.append_column("amount", pa.array(amounts, pa.float64())), folder / name)
    before = set(folder.iterdir())
    env = {**os.environ, "NOISE": json.dumps(noise), "FOUND": "[0, 1]", "COINS": json.dumps(coins)}
    start = from_scratch if fresh else process.run
    done = start(AIMED, *arguments, cwd=folder, env=env, timeout=120)
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path not in before}
    return Seen(done.returncode, done.stdout, done.stderr, files)


def from_scratch(
    script: Path, *arguments: str, cwd: Path, env: dict[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """The same by an interpreter of its own, which draws its own hash seed."""
    seeded = {**env, "PYTHONHASHSEED": "random"}
    return subprocess.run(
        [sys.executable, script, *arguments], cwd=cwd, env=seeded, capture_output=True, text=True, timeout=timeout
    )


COMMANDS: dict[str, tuple[str, tuple[str, ...], bool]] = {
    "text": ("t.parquet", ASKED, False),
    "json": ("t.parquet", (*ASKED, "--json"), False),
    "files": ("t.parquet", (*ASKED, *(part for name in FILES for part in ("--out", name))), False),
    "csv in": ("t.csv", ASKED, False),
    "jsonl in": ("t.jsonl", ASKED, False),
    "events": ("t.parquet", (*KNOWN, "--count", "events"), True),
    "known": ("t.parquet", (*KNOWN, "--json"), True),
    "known files": ("t.parquet", (*KNOWN, *(part for name in FILES for part in ("--out", name))), True),
    "replace": ("t.parquet", (*ASKED, "--neighbours", "replace"), False),
    "plan": ("t.parquet", (*ASKED, "--dry-run"), False),
    "plan json": ("t.parquet", (*ASKED, "--dry-run", "--json"), False),
    "refused": ("t.parquet", (*ASKED, "--delta", "2"), False),
    "unknown column": ("t.parquet", ("--user", "user", "--by", "itm", "--epsilon", "1", "--bound", "20"), False),
}


@pytest.mark.slow(but=["json", "csv in", "known files", "refused"])
@pytest.mark.parametrize("command", COMMANDS)
def test_same_result_same_bytes(tmp_path: Path, command: str) -> None:
    name, arguments, known = COMMANDS[command]
    released = command not in ("plan", "plan json", "refused", "unknown column")
    seen = []
    for number, rows in enumerate((MANY, MANY + POISON)):
        if command == "events":
            rows = [row for row in rows if row != ("me", "a")]
        if command == "csv in":
            rows = [row for row in rows if row != ("me", "")]  # in a CSV nothing and no text are the same
        noise = noise_for(rows, known=known) if released else []
        asked = ("histogram", name, *arguments)
        seen.append(run(tmp_path / str(number), rows, name, asked, noise, fresh=command in FRESH))
    one, other = seen
    assert one == other
    if released:
        assert one.exit_code == 0, one.stderr
        assert "250" in one.stdout
    assert one.stderr == "" or not released
    assert set(one.files) == (set(FILES) if "files" in command else set())


FINDING: dict[str, tuple[str, ...]] = {
    "found": ("histogram", "--mechanism", "count-release"),
    "top": ("top", "--k", "5"),
    "top alone": ("top", "--k", "5", "--count", "none"),
    "sums": ("histogram", "--mechanism", "count-release", "--sum", "amount", "--bound", "10"),
}


@pytest.mark.slow(but=["top alone"])
@pytest.mark.parametrize("command", FINDING)
def test_found_one_after_another(tmp_path: Path, command: str) -> None:
    """Items a and b are found first, with the same values, then nothing more: whatever else a person has, and however
    much."""
    job, *asked = FINDING[command]
    alone = command == "top alone"
    names = [name for name in FILES if not (alone and name[2:] in ("png", "svg", "pdf"))]
    seen = []
    for number, rows in enumerate((MANY, MANY + POISON)):
        there = people_per_item(rows)
        scale = 1024 * 10 if command == "sums" else 0
        noise = [] if alone else [scale or RESULT[item] - there[item] for item in "ab"]
        out = [part for name in names for part in ("--out", name)]
        arguments = (job, "t.parquet", "--user", "user", "--by", "item", "--epsilon", "1", *asked, *out)
        folder, amount, fresh = tmp_path / str(number), command == "sums", command in FRESH
        seen.append(run(folder, rows, "t.parquet", arguments, noise, amount=amount, fresh=fresh))
    assert seen[0] == seen[1]
    assert seen[0].exit_code == 0, seen[0].stderr
    assert "2 rows" in seen[0].stdout
    assert set(seen[0].files) == set(names)


def coins(kept: int, people: int) -> list[int]:
    """So many of these people are in the sample."""
    return [1] * kept + [0] * (people - kept)


def sampled_items(more: bool) -> list[int]:
    """Coins that leave 25 people of a and 22 of b."""
    there = people_per_item(MANY + POISON * more)
    return [
        coin for item in sorted(there, key=str.encode) for coin in coins({"a": 25, "b": 22}.get(item, 0), there[item])
    ]


ROWS, MINE = 3 * 1024 * 30, 3 * 1024 - 1
"""In units: everybody has three rows in the second cell of the scale; the new one has many in the first, of which three
are left, rounded down."""


def tree(more: bool) -> list[int]:
    """Noise on all cells that leaves the same."""
    return [500 - MINE * more, 100_000 - ROWS, -700, 900]


def stairs(more: bool) -> list[int]:
    """Noise on rows and columns that leaves the same."""
    counts = np.array(list(people_per_item(MANY + POISON * more).values()), dtype=np.int64)
    noise: list[int] = (
        np.array([35, 30, 1, 4, 2, 0, 0, 0, 0, 0, 0, 2]) - np.concatenate(staircase(counts, 11, 1))
    ).tolist()
    return noise


def listed(more: bool) -> list[int]:
    """The same for the items a and b."""
    there = people_per_item(MANY + POISON * more)
    return [RESULT[item] - there[item] for item in "ab"]


ONE = Fraction(1)
TARGET = 3000
"""What every number of a distribution is with its noise, in units of its own."""


class Aiming(Fixed):
    """Noise that makes the same of whatever was measured last."""

    def __init__(self, measured: int) -> None:
        super().__init__(0)
        self.last: Any = measured
        self.noise: list[int] = []

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        drawn: Integers = np.full(size, TARGET << (30 if size == 3 else 10)) - self.last
        self.noise += drawn.tolist()
        return drawn

    def remember(self, measure: Any) -> Any:
        """The same, remembering what comes out of it."""

        def measured(*arguments: Any) -> Any:
            self.last = measure(*arguments)
            return self.last

        return measured


def samples(more: bool) -> dict[str, list[int]]:
    """How often people have the listed items: a, b, q."""
    people: dict[str, list[int]] = {}
    for user, item in MANY + POISON * more:
        if user is not None and item in ("a", "b", "q"):
            people.setdefault(user, [0, 0, 0])["abq".index(item)] += 1
    return people


def rounds(more: bool) -> list[int]:
    """Noise that leaves the same in all bins of the profile, and in all that is measured with the bound it leads to."""
    budget = Cost(ONE, ONE / 10**6)
    strategy = DistributionStrategy(budget=budget, neighbours="add-remove", cells=3, method="recentred")
    choice, counts = strategy.selection, np.array(list(samples(more).values()))
    assert isinstance(choice, MostDrawn)
    bins = np.bincount(
        np.searchsorted(choice.starts, counts.sum(axis=1), side="right") - 1, minlength=len(choice.edges)
    )
    told = np.where(np.arange(len(bins)) == 1, 10**6, 0)
    made = strategy.mechanism(choice.chosen(Profile(choice.edges, told, 2**0.5 * float(choice.scale))))
    assert isinstance(made, Recentred)
    there = counts > 0
    starts = np.append(0, np.cumsum(there.sum(axis=1)))
    bounded = made.bounding.of(pa.table({"item0": list("abq")}), starts, np.nonzero(there)[1], counts[there])
    entropy = Aiming(int(bounded.totals.sum()))
    with pytest.MonkeyPatch.context() as patched:
        for name in ("within", "mean", "energy"):
            patched.setattr(People, name, entropy.remember(getattr(People, name)))
        made.run(bounded, entropy)
    return [*(told - bins).tolist(), *entropy.noise]


def chosen(more: bool) -> list[int]:
    """Noise that leaves as many people, and as many with each item; and two places in the grid."""
    there = len(samples(more))
    return [500 - there, 7, 9, 300 - there, 3]


SAMPLE = ("--mechanism", "sample-threshold", "--theta", "12", "--bound", "9")
SCALE = ("--value", "amount", "--range", "0..4", "--cells", "4", "--q", "0.3,0.5")
NUMBERS: dict[str, tuple[tuple[str, ...], Any]] = {
    "heavy hitters": (
        ("heavy-hitters", "--by", "item", "--share", "0.5", *SAMPLE),
        lambda more: [*sampled_items(more), 10 - more],  # and 40 people
    ),
    "quantiles": (("quantiles", *SCALE, "--bound", "3"), tree),
    "shape": (("shape", "--by", "item", "--bound", "9", "--people", "1"), stairs),
    "a list's shape": (("shape", "--by", "item", "--bound", "9", "--mechanism=buckets", "--keys=a,b"), listed),
    "distribution": (("distribution", "--by", "item", "--keys=a,b,q", "--mechanism=recentred"), rounds),
    "chosen shares": (("distribution", "--by", "item", "--keys=a,q", "--mechanism=sparse", "--bound", "1"), chosen),
    "ranges": (("ranges", "--value", "amount", "--ranges", "0..2,2..4", "--bound", "3"), lambda more: [70, 80]),
}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("command", NUMBERS)
def test_samples_and_numbers(tmp_path: Path, command: str) -> None:
    """What is in the sample, or the noisy tree, is the same, whoever else there is, with whatever numbers."""
    (job, *asked), noise = NUMBERS[command]
    arguments = (job, "t.parquet", "--user", "user", "--epsilon", "1", *asked, "--out", "r.csv")
    seen = []
    for more in (False, True):
        folder, rows, fresh = tmp_path / str(more), MANY + POISON * more, command in FRESH
        seen.append(run(folder, rows, "t.parquet", arguments, noise(more), amount=True, coins=True, fresh=fresh))
    assert seen[0].exit_code == 0, seen[0].stderr
    assert seen[0] == seen[1]
    assert set(seen[0].files) == {"r.csv"}


@pytest.mark.slow(sibling="test_same_result_same_bytes")
def test_with_a_ledger(tmp_path: Path) -> None:
    """What the ledger itself adds is its own head and the time; all else is the same, and so is a refusal."""
    seen = []
    for number, rows in enumerate((MANY, MANY + POISON)):
        folder = tmp_path / str(number)
        Ledger(tmp_path / f"{number}.db", epsilon=1, delta=1e-5)
        ledger = str(tmp_path / f"{number}.db")
        asked = ("histogram", "t.parquet", *ASKED, "--ledger", ledger)
        first = run(folder, rows, "t.parquet", (*asked, "--json"), noise_for(rows, known=False))
        again = run(folder / "again", rows, "t.parquet", asked, [])
        refused = run(folder / "more", rows, "t.parquet", (*asked, "--delta", "2e-6"), [])
        shown = run(folder / "shown", rows, "t.parquet", ("ledger", "show", ledger, "--json"), [])
        seen.append([plain(each) for each in (first, again, refused, shown)])
    assert seen[0] == seen[1]
    assert [each.exit_code for each in seen[0]] == [0, 0, 3, 0]
    assert "sealed before" in seen[0][1].stderr


def plain(seen: Seen) -> Seen:
    """Without heads and times."""
    out = re.sub(r"\d+:[0-9a-f]{64}|\d{4}-\d\d-\d\dT[\d:+]+|\d\.db", "...", seen.stdout)
    return Seen(seen.exit_code, out, re.sub(r"\d\.db", "...", seen.stderr), seen.files)


def test_reading_that_fails_says_the_same_whatever_the_row(tmp_path: Path) -> None:
    """An engine's own error would quote the row."""
    import duckdb

    import headcount as hc
    from headcount.errors import ReadingFailed

    messages = []
    for secret in ("alice", "bob"):
        connection = duckdb.connect()
        connection.execute(f"CREATE TABLE t AS SELECT 1 AS user, '{secret}' AS word")
        broken = connection.sql("SELECT user, CAST(word AS INTEGER) AS item FROM t")
        ledger = hc.Ledger(tmp_path / f"{secret}.db", epsilon=1, delta=1e-5)
        asked: dict[str, Any] = {"user": "user", "by": "item"}
        with pytest.raises(ReadingFailed) as failed:
            hc.histogram(
                hc.table(broken, name="words", promise="each row belongs to one person"),
                **asked,
                epsilon=1,
                bound=1,
                ledger=ledger,
            )
        messages.append(str(failed.value))
        assert failed.value.__cause__ is None
        assert failed.value.__suppress_context__
        assert ledger.spent.epsilon == 0  # looked at before the charge
    assert messages[0] == messages[1]
    assert "alice" not in messages[0]
