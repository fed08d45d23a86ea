"""Good items of the default beside other systems: put together from files of docs/evidence, nothing is run.

    python -m benchmarks.comparison

*good.json* has the default's, *peers.json* other systems with the true 95th or 99th percentile of items per person as
bound, *hindsight.json* OpenDP with the noise and the bound that turned out best.
"""

from collections.abc import Mapping, Sequence
from statistics import geometric_mean

from benchmarks.evidence.record import Table, read
from benchmarks.truth import TABLES

NAMES = {
    "npm_deps2016_all": "npm dependencies",
    "ubuntu_irc_words": "Ubuntu IRC words",
    "online_retail": "online retail",
    "reddit_titles500k_words": "Reddit title words",
    "reddit_domain": "Reddit domains",
}


def kept(name: str) -> Table:
    """The first table of a file."""
    found = read(name)
    if found is None:
        raise SystemExit(f"docs/evidence/{name}.json is missing. Fix: python -m benchmarks.evidence run {name}")
    return found.tables[0]


def number(cell: str) -> float:
    """The first number of a cell; 0 if there is none."""
    first = cell.split("/")[0].replace(",", "").strip()
    return float(first) if first.replace(".", "").isdigit() else 0.0


def ours() -> dict[str, float]:
    """Good items of the default, by table."""
    table = kept("good")
    return {name: number(table.cell(name, "good")) for name in TABLES}


def best(peer: str) -> dict[str, float]:
    """Good items of a peer's best setting, by table."""
    table = kept("peers")
    rows = [row for row in table.rows if row[0].startswith(peer)]
    indices = {column.split(" ")[0]: index for index, column in enumerate(table.columns)}
    return {name: max(number(row[indices[name]]) for row in rows) for name in TABLES}


def line(name: str, good: Mapping[str, float], max_items: Mapping[str, float]) -> str:
    """A row, the most of each table in bold."""
    cells = [
        f"**{good[table]:,.0f}**" if good[table] == max_items[table] else f"{good[table]:,.0f}" for table in TABLES
    ]
    return f"| {' | '.join([name, *cells])} |"


def systems() -> dict[str, dict[str, float]]:
    """Good items of each system, by table."""
    peers: Sequence[str] = list(dict.fromkeys(row[0].split(",")[0] for row in kept("peers").rows))
    return {"headcount, default": ours(), **{f"{peer}, best setting": best(peer) for peer in peers}}


def main() -> None:
    """Print both tables."""
    every = systems()
    max_items = {table: max(good[table] for good in every.values()) for table in TABLES}
    print(f"| good items | {' | '.join(NAMES.values())} |\n|{'---|' * (len(NAMES) + 1)}")
    for name, good in every.items():
        print(line(name, good, max_items))
    default, hindsight = ours(), kept("hindsight")
    theirs = {name: max(number(hindsight.cell(name, "OpenDP 0.16")), 1.0) for name in TABLES}
    print("\n| good items | headcount, default | OpenDP 0.16, best bound in hindsight | ratio |\n|---|---|---|---|")
    for name in TABLES:
        ratio = default[name] / theirs[name]
        print(f"| {NAMES[name]} | {default[name]:,.0f} | {theirs[name]:,.0f} | {ratio:.2f} |")
    print(f"| geometric mean | | | {geometric_mean(default[name] / theirs[name] for name in TABLES):.1f} |")


if __name__ == "__main__":
    main()
