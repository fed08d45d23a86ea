"""Half a minute: the default beside the plain query by DuckDB and by Polars, and beside the ratios that are recorded.

python -m benchmarks.gate            prints; exit code 1 if the default costs a quarter more CPU than recorded
python -m benchmarks.gate --record   writes the ratios of this machine to benchmarks/gate.json

All are called by turns in one process, after a first call that loads what they need. The least of several calls is
taken: other work on the machine makes calls slower, never faster.
"""

import json
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from tempfile import gettempdir

from benchmarks.scale import with_duckdb, with_headcount, with_polars
from benchmarks.scale.events import table

RECORDED = Path(__file__).with_suffix(".json")
SIZES = {10_000: 15, 100_000: 15, 1_000_000: 9, 5_000_000: 3}
"""Number of events, and of calls."""
SLOWER = 1.25
"""A ratio of CPU seconds this many times as large as the recorded one is a change of the code, not of the day."""
Ratios = Mapping[str, float]
WAYS: dict[str, Callable[[str], object]] = {
    "DuckDB": lambda path: with_duckdb.release(path, 0, ""),
    "Polars": lambda path: with_polars.release(path, 0, ""),
    "headcount": lambda path: with_headcount.release(path, 0, "auto"),
}


def seconds(call: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds of a call."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def ratios(path: str, calls: int) -> dict[str, float]:
    """The default over each plain query, by kind of seconds."""
    _, *turns = [{name: seconds(partial(way, path)) for name, way in WAYS.items()} for _ in range(calls + 1)]
    least = {name: [min(turn[name][kind] for turn in turns) for kind in (0, 1)] for name in WAYS}
    ours, others = least.pop("headcount"), least.items()
    return {f"{kind}, {name}": ours[at] / each[at] for name, each in others for at, kind in enumerate(("wall", "CPU"))}


def measured() -> Iterator[tuple[str, dict[str, float]]]:
    """Ratios of each number of events."""
    for events, calls in SIZES.items():
        yield f"{events:,}", ratios(str(table(events, Path(gettempdir()) / "headcount-gate")), calls)


def slower(now: Ratios, before: Ratios) -> list[str]:
    """The ratios of CPU seconds that are far above the recorded ones."""
    return [name for name in now if name.startswith("CPU") and now[name] > SLOWER * before.get(name, now[name])]


def line(events: str, now: Ratios, before: Ratios) -> str:
    """A line of the table: each ratio, and the recorded one."""
    cells = (f"{ratio:.2f} ({before[name]:.2f})" if name in before else f"{ratio:.2f}" for name, ratio in now.items())
    return f"| {events} | {' | '.join(cells)} |"


def recorded() -> dict[str, dict[str, Ratios]]:
    """The recorded ratios, by machine and number of events."""
    found: dict[str, dict[str, Ratios]] = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    return found


def write(now: Mapping[str, Ratios]) -> None:
    """Record the ratios of this machine."""
    rounded = {events: {name: round(each, 3) for name, each in some.items()} for events, some in now.items()}
    RECORDED.write_text(json.dumps({**recorded(), platform.machine(): rounded}, indent=2) + "\n")


def main(record: bool) -> int:
    """Print the table; the exit code."""
    before, now = recorded().get(platform.machine(), {}), dict[str, Ratios]()
    print(f"The default over the plain query, {platform.machine()} (recorded):\n")
    print("| events | wall, DuckDB | CPU, DuckDB | wall, Polars | CPU, Polars |\n|---|---|---|---|---|")
    for events, now[events] in measured():
        print(line(events, now[events], before.get(events, {})), flush=True)
    if record:
        write(now)
        return 0
    worse = [f"{events} events, {name}" for events in now for name in slower(now[events], before.get(events, {}))]
    print(*(f"\nSlower than recorded: {each}" for each in worse), sep="")
    return bool(worse)


if __name__ == "__main__":
    sys.exit(main("--record" in sys.argv[1:]))
