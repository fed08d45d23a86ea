"""Values that nobody should type, and somebody does: for every parameter of every job."""

import datetime
import itertools
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from tests.jobs import of_every_job

PEOPLE = 300
TABLE = pa.table(
    {
        "user": list(range(PEOPLE)) * 2,
        "word": [["a", "b", "c"][index % 3] for index in range(2 * PEOPLE)],
        "price": [float(index % 7) for index in range(2 * PEOPLE)],
    }
)
PERSON: dict[str, Any] = {"user": "user", "epsilon": 1}
ITEM: dict[str, Any] = {"by": "word"}
OWN: dict[str, dict[str, Any]] = {
    "histogram": ITEM,
    "aggregate": {**ITEM, "metrics": ["people", "sum(price)"]},
    "top": {**ITEM, "k": 2},
    "heavy_hitters": ITEM,
    "quantiles": {"value": "price", "range": (0, 10), "cells": 16},
    "ranges": {"value": "price", "ranges": [(0, 3), (3, 7)]},
    "shape": ITEM,
    "distribution": {**ITEM, "keys": ["a", "b"]},
    "profile": ITEM,
    "total": {},
}
JOBS = {
    job: {**PERSON, **asked} for job, asked in of_every_job(OWN, item="word", number="price", listed=["a", "b"]).items()
}
"""Arguments of each job that are right."""


class Silent:
    """An object that cannot be written down."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 3, -1, 20240506, 2**53 + 1, 2**63, 10**400, 10**5000, 2024.5, 0.5, 1e308, 5e-324),
    *(float("nan"), float("inf"), -float("inf"), Decimal("NaN"), Decimal("1e999999"), Fraction(1, 3), 1 + 2j),
    *("", " ", "no", "False", "auto", "count", "events", "word", "price", "0,5", "a\nb", "a\0b", "\ud800", "x" * 5000),
    *(f"1.{'0' * 450}1", b"word", b"", Path("visits"), datetime.date(2024, 5, 6), datetime.datetime.now(datetime.UTC)),
    *([], [0], [1, 2, 3], ["a", "a"], ["a", None], [float("inf")], [float("nan")], [[["a"]]], [10**5000], (), (1, 2)),
    *(
        ("a", "b"),
        {},
        {"word": "a"},
        {"word": ["a", "b"]},
        {"price": (1, 2)},
        {"price": 10**5000},
        {5: 5},
        {"a"},
        set(),
    ),
    *({"word": "month"}, {"sum(price)": 3}, {"people": float("nan")}, range(3), range(10**9), range(0)),
    *(
        np.int64(3),
        np.float64(0.5),
        np.bool_(True),
        np.str_("word"),
        np.array(1),
        np.array([1, 2]),
        np.array(["a", "b"]),
    ),
    *(np.eye(2), np.datetime64("2024-01-01"), np.array([], dtype=object), pd.NA, pd.NaT),
    *(
        pd.Series(["a", "b"]),
        pd.DataFrame({"a": [1]}),
        pd.Timestamp("2024-01-01"),
        pd.Index(["a"]),
        pa.array(["a", "b"]),
    ),
    *(
        pa.scalar("word"),
        pa.array(["a", "b"]),
        pa.chunked_array([["a"], ["b"]]),
        pa.array([1, 2]),
        pa.array([None, "a"]),
        pa.table({"a": [1]}),
        object(),
        Silent(),
    ),
    *(str, len, itertools.count(1), ..., memoryview(b"word")),
)
