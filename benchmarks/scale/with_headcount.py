"""A release by headcount: the whole way from the path to the sorted table with intervals, epsilon 1, delta 1e-6.

HOW is a mechanism with the bound that is given, or with one that is chosen ("... auto"); "auto" if nothing is said but
epsilon; "known" with the list of items beside the table. "seeded" and "limited" draw the same noise whenever they run,
with all memory and with 4 GB: what they release must be the same. SciPy is imported here, as all imports are before
the time: a release of a tiny table shows nothing and does without.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.special  # noqa: F401

import headcount as hc
from headcount.jobs.histogram import histogram
from headcount.jobs.registry import plan
from headcount.noise.entropy import Uniform64

ASKED: dict[str, Any] = {"user": "user_id", "by": "item", "epsilon": 1, "delta": 1e-6}
MEMORY = "4GB"


class Seeded(Uniform64):
    """The same chance in every run: to compare runs, never for a release."""

    production = False

    def __init__(self) -> None:
        self._random = np.random.default_rng(1)

    def random_bytes(self, count: int) -> bytes:
        return self._random.bytes(count)


def release(table: str, bound: int, how: str) -> pa.Table:
    """(item, count, low, high)"""
    if how in ("seeded", "limited"):
        data = hc.table(table, memory=MEMORY if how == "limited" else None)
        return plan("histogram", data, **ASKED).release(entropy=Seeded()).table
    return histogram(table, **ASKED, **said(table, bound, how)).table


def said(table: str, bound: int, how: str) -> dict[str, Any]:
    """The remaining arguments of the call."""
    if how == "known":
        return {"keys": pq.read_table(Path(table).with_suffix(".items.parquet"))["item"].to_pylist()}
    mechanism, *chosen = how.split()
    return {"mechanism": mechanism, "bound": bound if mechanism == "thresholded" and not chosen else "auto"}


def write(found: pa.Table, out: str) -> None:
    """To a file."""
    pq.write_table(found, out)
