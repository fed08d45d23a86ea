"""What was measured as tables in Markdown, by the name of a section, and as a picture."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from benchmarks.scale.alone import MUCH_ON_SPARK, NOISY, ON_SPARK
from benchmarks.scale.pictures import bars
from benchmarks.scale.rows import Row, Rows
from benchmarks.scale.ways import CLUSTER, MEMORY, WAYS

HEADS = (
    "way",
    "wall x",
    "CPU x",
    "memory x",
    "wall s",
    "peak MiB",
    "released",
    "l1",
    "median off",
    "off by over 10%",
)
LARGE, MIDDLE = "events_100000000", "events_10000000"


def sections(rows: Rows) -> Iterator[str]:
    """Each section for which something was measured, below its name."""
    for name, made in BLOCKS.items():
        if text := made(rows):
            yield f"## {name}\n\n{text}\n"


def draw(rows: Rows, folder: Path) -> None:
    """Draw the picture of the synthetic tables."""
    bars([row for row in _synthetic(rows) if row.table == MIDDLE] or _synthetic(rows)).savefig(
        folder / "scaling-ways.png", dpi=110
    )


def _synthetic(rows: Rows) -> list[Row]:
    found = [row for row in rows.rows.values() if row.table.startswith("events_")]
    return sorted(found, key=lambda row: (row.events, list(WAYS).index(row.way)))


def tables(found: Iterable[Row]) -> str:
    """A table of rows for each table of events."""
    named: dict[str, list[Row]] = {}
    for row in found:
        named.setdefault(row.table, []).append(row)
    return "\n\n".join(_titled(rows) for rows in named.values())


def _titled(rows: Sequence[Row]) -> str:
    first = rows[0]
    title = f"{first.events:,} synthetic events" if first.table.startswith("events_") else f"`{first.table}`"
    return f"**{title}**, {_rounds(rows)}; {first.machine}.\n\n{lined(HEADS, map(cells, rows))}"


def _rounds(rows: Sequence[Row]) -> str:
    counts = {len(row.rounds) for row in rows if row.rounds} or {0}
    fewer = f" (peers: {min(counts)})" if len(counts) > 1 else ""
    return f"medians of {max(counts)} rounds{fewer}" if max(counts) > 1 else "one round"


def cells(row: Row) -> list[str]:
    """A line of the table."""
    name = WAYS[row.way].name.format(bound=row.bound)
    if not row.rounds:
        return [name, row.problem, *("" for _ in HEADS[2:])]
    ratios = [f"{row.ratio(what):.2f}" for what in ("wall", "cpu", "memory")]
    costs = [f"{row.cost('wall'):.2f}", f"{row.cost('memory'):,.0f}"]
    offs = [f"{row.off(what):.3f}" for what in (("l1", "median", "beyond") if row.off("released") else ("l1",))]
    return [name, *ratios, *costs, f"{row.off('released'):,.0f}", *offs, *("-" for _ in range(3 - len(offs)))]


def lined(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    made = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join([*made, *("| " + " | ".join(line) + " |" for line in lines)])


def synthetic(rows: Rows) -> str:
    """The synthetic tables."""
    beside = {way.key for way in MEMORY}
    return tables(row for row in _synthetic(rows) if row.way not in beside)


def real(rows: Rows) -> str:
    """The real tables."""
    other = {NOISY, ON_SPARK, MUCH_ON_SPARK}
    found = [row for row in rows.rows.values() if row.table not in other and not row.table.startswith("events_")]
    return tables(sorted(found, key=lambda row: (-row.events, row.table, list(WAYS).index(row.way))))


def memory(rows: Rows) -> str:
    """100 million events within 4 GB, and without a limit."""
    there, tenth = rows.of(LARGE), rows.of(MIDDLE).get("auto")
    found = [there[way.key] for way in MEMORY if way.key in there]
    if len({row.digest for row in found if row.rounds}) == 0:
        return ""
    same = "the same" if len({row.digest for row in found if row.rounds}) == 1 else "NOT THE SAME"
    lines = [[*cells(row)[:6], f"{row.cost('wall') / tenth.cost('wall'):.1f}" if tenth else ""] for row in found]
    return f"{lined((*HEADS[:6], 'times 10 million'), lines)}\n\nWhat both released is {same}."


def spark(rows: Rows) -> str:
    """Ours over Spark's own query, by table."""
    tables = [[row for row in rows.of(name).values() if row.rounds] for name in (ON_SPARK, MUCH_ON_SPARK)]
    return "\n\n".join(_on_spark(found) for found in tables if found)


def _on_spark(found: Sequence[Row]) -> str:
    """One of the tables."""
    plain = sorted(each.plain.wall for each in found[0].rounds)[len(found[0].rounds) // 2]
    lines = [
        [f"headcount, {row.way}", f"{row.ratio('wall'):.2f}", f"{row.ratio('cpu'):.2f}", f"{row.cost('wall'):.2f}"]
        for row in found
    ]
    title = f"**{found[0].events:,} events**, {_rounds(found)}; {found[0].machine}."
    table = lined(("way", "wall x", "CPU x", "wall s"), [["Spark SQL, plain", "1.00", "1.00", f"{plain:.2f}"], *lines])
    return f"{title}\n\n{table}"


def noise(rows: Rows) -> str:
    """The noise alone."""
    found = [row for row in rows.of(NOISY).values() if row.rounds]
    lines = [[row.way, f"{row.cost('wall'):.2f}", f"{row.cost('cpu'):.2f}"] for row in found]
    return lined(("noise for a million items", "wall s", "CPU s"), lines) if lines else ""


def cluster(rows: Rows) -> str:
    """What 10^12 rows would take on 1,000 machines of 16 cores, by what was measured on Spark."""
    found = rows.of(ON_SPARK).get(f"auto{CLUSTER}")
    if found is None or not found.rounds:
        return ""
    rate = found.events / found.cost("cpu")
    each = NODE_ROWS / NODE_CORES / rate
    lines = [
        ["rows a machine", f"{NODE_ROWS:,}"],
        ["read a machine, 10 bytes a row", "10 GB"],
        ["pairs a machine, 40 bytes each, if none is repeated: through the network, and on its disks", "40 GB"],
        ["the same at 1 GB a second", "80 s for both ways"],
        ["rows that a core takes in a second, measured (nothing said but epsilon)", f"{rate:,.0f}"],
        [f"computing, {NODE_CORES} cores a machine", f"{each / 60:,.0f} minutes"],
        ["waiting for the slowest tasks, retries: guessed", f"as much again: {each / 30:,.0f} minutes in all"],
        ["items on the driver: 10 million", "1 GB, and some seconds of noise"],
    ]
    return lined(("what", "how much"), lines)


NODE_ROWS, NODE_CORES = 10**9, 16

BLOCKS: dict[str, Callable[[Rows], str]] = {
    "synthetic": synthetic,
    "real": real,
    "memory": memory,
    "spark": spark,
    "noise": noise,
    "cluster": cluster,
}
"""The sections; one for which nothing was measured is empty."""
