"""On other engines too, names of columns are names, with decoys beside them; and one broken text is repaired alone."""

from typing import Any

import pytest
from tests.tables import released

from headcount.errors import BadParameter
from headcount.source import open_events
from headcount.source.engines.registry import to_arrow

pytestmark = [pytest.mark.spark, pytest.mark.slow(sibling="test_names_that_differ_in_capitals_only_are_refused")]

NAMES = ["visits.user", "`user`", "user`", "*", "user ", "^user$", "${user}", "us\x00er", "column1", "user.user"]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_name_is_a_name(spark: Any, name: str) -> None:
    rows = [(row, row, row % 10, row, "a") for row in range(40)]
    frame = spark.createDataFrame(rows, ["user", "x", name, "y", "item"]).alias("visits")
    people = open_events(frame, [name, "item"]).table().select("column0").distinct()
    assert to_arrow(people).num_rows == 10


def test_names_that_differ_in_capitals_only_are_refused(spark: Any) -> None:
    frame = spark.createDataFrame([(1, 1, "a")], ["User", "user", "item"])
    with pytest.raises(BadParameter, match="there are columns 'user' and 'User', which differ in capitals only"):
        open_events(frame, ["user", "item"])


def test_a_text_that_is_no_utf8_is_repaired_alone(spark: Any) -> None:
    """As in memory: tests/source/test_kinds.py."""
    broken = [b"apple", b"app\xffle", b"\xf0\x9f\x98", b"apple"]
    rows = [(index, bytearray(cell)) for index, cell in enumerate(broken)]
    frame = spark.createDataFrame(rows, ["user", "bytes"]).selectExpr("user", "CAST(bytes AS STRING) AS item")
    expected = {"apple": 2, **{cell.decode("utf-8", "replace"): 1 for cell in broken[1:3]}}
    assert released(frame, keys=list(expected)) == expected
