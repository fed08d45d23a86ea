"""The noise alone: seconds that a mechanism takes for a million items that are bounded and counted already.

    python -m benchmarks.scale.with_noise TINY MECHANISM BOUND

A first run with another epsilon imports what it needs; tables of noise for this epsilon are new.
"""

import json
import sys
import time
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.scale.events import names
from benchmarks.scale.once import memory
from headcount.bound import Bounded
from headcount.jobs.registry import plan
from headcount.noise import SystemEntropy

ITEMS = 1_000_000


def taken(tiny: str, mechanism: Any, bound: int, epsilon: float) -> dict[str, float]:
    """Wall and CPU seconds of the noise."""
    keys = ["item 0000000"] if mechanism == "clipped" else None
    asked: dict[str, Any] = {"user": "user_id", "by": "item", "delta": 1e-6, "mechanism": mechanism, "bound": bound}
    run = plan("histogram", tiny, **asked, epsilon=epsilon, keys=keys).mechanism
    totals = np.maximum(1, 3 * ITEMS // np.arange(1, ITEMS + 1)) * run.bounding.unit
    items = pa.table({"item0": names(ITEMS)})
    bounded = Bounded(items, totals.astype(np.int64), run.bounding.sensitivity)
    since, before = time.perf_counter(), time.process_time()
    run.run(bounded, SystemEntropy())
    return {"wall": round(time.perf_counter() - since, 4), "cpu": round(time.process_time() - before, 4)}


if __name__ == "__main__":
    taken(sys.argv[1], sys.argv[2], int(sys.argv[3]), 0.5)
    print(json.dumps(taken(sys.argv[1], sys.argv[2], int(sys.argv[3]), 1.0) | {"memory": round(memory(), 1)}))
