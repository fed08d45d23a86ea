"""What a user does first, in an environment that has headcount: a step each, as a line of JSON with its name and what
went wrong. A script: it imports nothing of this repository."""

import json
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from fractions import Fraction
from functools import cache, partial
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import headcount as hc
from headcount.account.composition import compose
from headcount.account.events import Gaussian, Selection
from headcount.cli.app import app
from headcount.errors import MissingPackage
from headcount.jobs import JOBS

PEOPLE = 2000
SONG = "song 0001"
PROGRAM = Path(sys.executable).with_name("headcount")
ARGUMENTS: dict[str, dict[str, Any]] = {
    "histogram": {"by": "song"},
    "aggregate": {"by": "country", "metrics": ["people", "mean(price)", "median(price)"], "range": (0, 50)},
    "top": {"by": "song", "k": 3},
    "heavy_hitters": {"by": "song", "share": 0.05, "people": PEOPLE},
    "quantiles": {"value": "price", "range": (0, 50)},
    "ranges": {"value": "price", "ranges": [(0, 10), (10, 50)]},
    "shape": {"by": "song"},
    "distribution": {"by": "country", "keys": ["DE", "FR", "IT"]},
    "profile": {"by": "song"},
    "total": {"sum": "price"},
}
"""Of every job, arguments beside user and epsilon."""
EVENTS = (Gaussian(Fraction(1785), squared_sensitivity=Fraction(100), cells=100), Selection(Fraction(1, 10)))


@cache
def rows() -> pa.Table:
    """Who played which song, where, and for how much."""
    plays = hc.example(people=PEOPLE)
    indices = range(plays.num_rows)
    return plays.append_column("country", [[("DE", "FR", "IT")[index % 3] for index in indices]]).append_column(
        "price", [[float(index % 50) for index in indices]]
    )


def check_counts(data: Any) -> None:
    """A release of these rows, however they are read, counts the most common song rightly."""
    release = hc.histogram(data, user="user", by="song", keys=[SONG, "song 0002"], epsilon=20, bound="auto")
    truth = len({row["user"] for row in rows().to_pylist() if row["song"] == SONG})
    shown = {row["song"]: row["count"] for row in release}
    assert abs(shown[SONG] - truth) < truth / 4, (shown, truth)


def run(*words: str | Path) -> str:
    """Run a program; its output."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    assert done.returncode == 0, f"{words}: {done.stderr[-1500:]}"
    assert "Traceback" not in done.stderr, done.stderr
    assert "leaked" not in done.stderr, done.stderr
    return done.stdout


def readme() -> None:
    release = hc.histogram(hc.table(hc.example(), name="plays"), user="user", by="song", epsilon=1)
    assert "people per song, from plays" in str(release)
    release.plot("songs.png", most=10)
    assert Path("songs.png").read_bytes().startswith(b"\x89PNG")


def job(name: str) -> None:
    release = getattr(hc, name)(rows(), user="user", epsilon=2, **ARGUMENTS[name])
    assert release.table.num_rows
    assert str(release)


def parquet() -> None:
    pq.write_table(rows(), "plays.parquet")
    check_counts("plays.parquet")
    check_counts("play*.parquet")


def parquet_in_little_memory() -> None:
    pq.write_table(rows(), "plays.parquet")
    assert hc.top(hc.table("plays.parquet", memory="200MB"), user="user", by="song", k=3, epsilon=1).table.num_rows


def delimited() -> None:
    for name, separator in (("plays.csv", ","), ("plays.tsv", "\t")):
        lines = ["user\tsong", *(f"{row['user']}\t{row['song']}" for row in rows().to_pylist())]
        Path(name).write_text("\n".join(lines).replace("\t", separator) + "\n")
        check_counts(name)


def json_lines() -> None:
    Path("plays.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows().to_pylist()))
    check_counts("plays.jsonl")


def arrow() -> None:
    check_counts(rows())


def pandas() -> None:
    if find_spec("pandas"):
        check_counts(rows().to_pandas())
        assert list(_release().to_pandas().columns) == ["song", "count", "low", "high"]
    else:
        _misses(lambda: _release().to_pandas())


def polars() -> None:
    if find_spec("polars"):
        import polars as pl

        check_counts(pl.from_arrow(rows()))
        check_counts(pl.DataFrame(rows().to_pydict()).lazy())
        assert _release().to_polars().columns == ["song", "count", "low", "high"]
    else:
        _misses(lambda: _release().to_polars())


def duckdb() -> None:
    import duckdb as engine

    connection, plays = engine.connect(), rows()
    connection.register("frame", plays)
    connection.execute("CREATE TABLE plays AS SELECT * FROM frame")
    check_counts(connection.table("plays"))


def ibis() -> None:
    import ibis as expressions

    pq.write_table(rows(), "plays.parquet")
    check_counts(expressions.duckdb.connect().read_parquet("plays.parquet"))
    check_counts(expressions.memtable(rows()))


def plan() -> None:
    made = hc.plan("histogram", rows(), user="user", by="song", epsilon=1)
    assert "song" in str(made)
    assert json.loads(made.to_json())


def ledger() -> None:
    opened = hc.Ledger("budget.db", epsilon=3, delta=1e-5)
    first, second = (_release(ledger=opened, name="plays") for _ in range(2))
    assert (first.fresh, second.fresh, second.content) == (True, False, first.content)
    assert opened.spent.epsilon == 1
    opened.verify()


def saved() -> None:
    release = _release()
    for name in ("plays.parquet", "r.csv", "r.json", "r.html", "r.yaml", "r.png", "r.svg", "r.pdf"):
        release.save(name)
    assert hc.load("plays.parquet").table == release.table


def chart() -> None:
    if find_spec("altair"):
        assert _release().chart().to_dict()["layer"]
    else:
        _misses(lambda: _release().chart())


def tight_composition() -> None:
    delta = Fraction(1, 10**6)
    if find_spec("dp_accounting"):
        assert compose.tightest(EVENTS, delta).epsilon < Fraction(109, 100)
    else:
        _misses(lambda: compose.tightest(EVENTS, delta))


def simulate() -> None:
    found = hc.simulate("histogram", rows(), user="user", by="song", epsilon=[1, 4], runs=2)
    assert found.table.num_rows == 2
    assert str(found)
    assert found.plot()


def noise() -> None:
    assert len(hc.noise.discrete_laplace(20, 1000)) == 1000


def stream() -> None:
    counter = hc.stream.Counter(domain=["apple", "pear"], epsilon=1)
    counter.add(["apple", "pear", "apple"])
    assert counter.shape().table.column_names  # by chance it has no row


def federated() -> None:
    asked = hc.federated.Analyst().publish("Which songs did you play?", epsilon=1, items=3)
    aggregator = hc.federated.Aggregator(asked)
    for _ in range(200):
        aggregator.add(hc.federated.Client([SONG]).answer(asked))
    assert aggregator.close().counts


def versions() -> None:
    assert run(PROGRAM, "--version") == run(sys.executable, "-m", "headcount", "--version")


def help_of_every_command() -> None:
    commands = [*(name.replace("_", "-") for name in JOBS), "demo", "audit", "ledger", "ledger new", "ledger show"]
    for command in ("", *commands):
        with redirect_stdout(StringIO()) as shown, suppress(SystemExit):
            app([*command.split(), "--help"], prog_name="headcount")
        assert "Usage" in shown.getvalue(), command


def demo() -> None:
    assert "epsilon" in run(PROGRAM, "demo")


def command() -> None:
    pq.write_table(rows(), "plays.parquet")
    run(PROGRAM, "ledger", "new", "money.db", "--epsilon", "3", "--delta", "1e-5")
    words = ("histogram", "plays.parquet", "--user", "user", "--by", "song", "--epsilon", "1")
    run(PROGRAM, *words, "--ledger", "money.db", "--out", "page.html")
    assert "song 0001" in Path("page.html").read_text()
    assert "spent" in run(PROGRAM, "ledger", "show", "money.db")


def spark() -> None:
    from pyspark.sql import SparkSession

    pq.write_table(rows(), "plays.parquet")
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    frame = session.read.parquet("plays.parquet")
    check_counts(frame)
    for name in ("histogram", "top", "shape", "total", "aggregate"):
        assert getattr(hc, name)(frame, user="user", epsilon=2, **ARGUMENTS[name]).table.num_rows, name


def spark_command() -> None:
    pq.write_table(rows(), "plays.parquet")
    words = ("top", "plays.parquet", "--engine", "spark", "--user", "user", "--by", "song", "--epsilon", "1")
    assert SONG in run(PROGRAM, *words)


def _release(name: str | None = None, **options: Any) -> hc.Release:
    return hc.histogram(hc.table(rows(), name=name), user="user", by="song", keys=[SONG], epsilon=1, bound=5, **options)


def _misses(call: Callable[[], Any]) -> None:
    try:
        call()
    except MissingPackage:
        return
    raise AssertionError("nothing was refused")


def steps(tier: str) -> Iterator[tuple[str, Callable[[], None]]]:
    """All steps, or those with Spark."""
    if tier == "spark":
        yield from (("Spark", spark), ("spark on the command line", spark_command))
        return
    yield "the README's example", readme
    for name in ARGUMENTS:
        yield name, partial(job, name)
    readers = (parquet, parquet_in_little_memory, delimited, json_lines, arrow, pandas, polars, duckdb, ibis)
    results = (plan, ledger, saved, chart, tight_composition, simulate, noise, stream, federated)
    for step in (*readers, *results, versions, help_of_every_command, demo, command):
        yield step.__name__.replace("_", " "), step


def outcome(step: Callable[[], None]) -> str:
    """What went wrong; empty if nothing did."""
    try:
        step()
    except Exception as error:
        causes = [error, error.__cause__ or error.__context__]
        return " | ".join("".join(traceback.format_exception(each))[-1500:] for each in causes if each)
    return ""


if __name__ == "__main__":
    for title, function in steps(sys.argv[1]):
        print(json.dumps([title, outcome(function)]), flush=True)
