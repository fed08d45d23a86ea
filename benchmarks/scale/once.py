"""One measurement, in a process of its own, by the Python of any environment: needs nothing but the standard library.

    python once.py SCRIPT TINY TABLE BOUND HOW OUT

SCRIPT is one of `with_*.py`: its `release(table, bound, how)` is called on a tiny table, which imports what it needs,
and then on the table. Only the second call is in the time. Prints wall and CPU seconds and the peak memory in MiB, of
this process and of those that it started (Java). OUT gets what was released.
"""

import importlib.util
import json
import os
import resource
import sys
import time
from pathlib import Path
from types import ModuleType


def loaded(script: str) -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location(Path(script).stem, script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def started(pid: int) -> list[int]:
    """The processes that this one started, and those that they started."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for task in tasks for child in task.read_text().split()]
    return [each for child in children for each in (child, *started(child))]


def cpu() -> float:
    """CPU seconds so far."""
    tick, ticks = os.sysconf("SC_CLK_TCK"), 0
    for child in started(os.getpid()):
        fields = Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])  # user, system
    return time.process_time() + ticks / tick


def memory() -> float:
    """The most memory so far, in MiB. What `getrusage` says may be of the process that started this one."""
    if not Path("/proc/self/status").exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    states = [Path(f"/proc/{pid}/status").read_text() for pid in (os.getpid(), *started(os.getpid()))]
    return sum(int(state.split("VmHWM:")[1].split()[0]) for state in states if "VmHWM:" in state) / 1024


def main(script: str, tiny: str, table: str, bound: str, how: str, out: str) -> None:
    """Measure, tell, write."""
    way = loaded(script)
    way.release(tiny, int(bound), how)
    before, since = cpu(), time.perf_counter()
    found = way.release(table, int(bound), how)
    wall = time.perf_counter() - since
    cost = {"wall": round(wall, 4), "cpu": round(cpu() - before, 4), "memory": round(memory(), 1)}
    way.write(found, out)
    print(json.dumps(cost))


if __name__ == "__main__":
    main(*sys.argv[1:])
