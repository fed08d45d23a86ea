"""Numbers that pages, help and docstrings tell are the code's own."""

from pathlib import Path

import pytest

from experiments.shape import hashing
from headcount.errors import BadParameter
from headcount.estimate.shape.table import BUCKETS_PER_ITEM
from headcount.federated.shape import analyst
from headcount.mechanism.shape import buckets
from headcount.mechanism.shape.options import Buckets, parse_buckets

ROOT = Path(__file__).parents[2]
SAID = [
    ("docs/how-to/shape.md", f"There are {buckets.BUCKETS_PER_CONTRIBUTION} buckets for each contribution"),
    ("docs/how-to/shape.md", f"take {BUCKETS_PER_ITEM} for each different item"),
    ("docs/how-to/stream.md", f"Take {BUCKETS_PER_ITEM} buckets for each different item"),
    ("docs/how-to/shuffle.md", f"(by default {analyst.BUCKETS_PER_PERSON} for each person)"),
    ("docs/proofs/buckets.md", f"or it is {buckets.BUCKETS_PER_CONTRIBUTION} for each contribution"),
    ("docs/reproduce/shape.md", f"By default it takes B = {buckets.BUCKETS_PER_CONTRIBUTION}n."),
    ("src/headcount/stream/counter.py", f"{BUCKETS_PER_ITEM} for each expected item"),
]


@pytest.mark.parametrize(("page", "text"), SAID)
def test_how_many_buckets_is_told_everywhere_alike(page: str, text: str) -> None:
    assert text in (ROOT / page).read_text()


def test_how_many_buckets_is_told_by_refusals_and_experiments_alike() -> None:
    with pytest.raises(BadParameter, match=f"about {buckets.BUCKETS_PER_CONTRIBUTION} for each contribution"):
        parse_buckets("buckets", 1, {})
    assert f"by default {buckets.BUCKETS_PER_CONTRIBUTION} for each contribution" in (Buckets.__doc__ or "")
    assert f"By default it takes B = {buckets.BUCKETS_PER_CONTRIBUTION}n." in " ".join(hashing.NOTES)
