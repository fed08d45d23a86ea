"""One release by diffprivlib 0.6.6: people per item, items known in advance.

    .venv-diffprivlib/bin/python with_diffprivlib.py TABLE BOUND NOISE OUT      NOISE: gaussian or laplace

diffprivlib knows rows and no people, and its histograms need their bins, so what its user has to do is done here: keep
BOUND random items of each person, count the people of each item of a public list (ITEMS beside the table, one column
`item`), and give each count to a mechanism, one after another, as its interface has it. The mechanism sees one number
and takes the sensitivity on trust: BOUND for Laplace noise (its geometric mechanism), the root of BOUND for Gaussian
noise. Random numbers are its own; the bounding here is by NumPy, without a secret.
"""

import sys
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from diffprivlib import mechanisms  # type: ignore[import-not-found]
from numpy.typing import NDArray

EPSILON, DELTA = 1.0, 1e-6
Integers = NDArray[np.int64]


def bounded(users: Integers, items: Integers, bound: int) -> Integers:
    """The items that are kept: of each person each once, and a random BOUND of them."""
    width = int(items.max(initial=0)) + 1
    pairs = np.unique(users * width + items)
    pairs = np.random.default_rng().permutation(pairs)
    pairs = pairs[np.argsort(pairs // width, kind="stable")]  # by person, each one's in random order
    people = pairs // width
    first = np.flatnonzero(np.diff(people, prepend=-1))
    index = np.arange(len(pairs)) - np.repeat(first, np.diff(first, append=len(pairs)))
    kept: Integers = pairs[index < bound] % width
    return kept


def mechanism(noise: str, bound: int) -> Any:
    """For one count."""
    if noise == "laplace":
        return mechanisms.Geometric(epsilon=EPSILON, sensitivity=bound)
    return mechanisms.GaussianAnalytic(epsilon=EPSILON, delta=DELTA, sensitivity=sqrt(bound))


def release(table: str, bound: int, noise: str) -> pa.Table:
    """(item, count)"""
    rows, keys = pq.read_table(table, columns=["user_id", "item"]), public(table)
    indices = pa.compute.index_in(rows["item"], value_set=keys).combine_chunks()
    listed = indices.is_valid()
    users = rows["user_id"].combine_chunks().filter(listed).cast(pa.int64()).to_numpy()
    kept = bounded(users, indices.drop_null().to_numpy().astype(np.int64), bound)
    drawn = mechanism(noise, bound)
    counts = [round(drawn.randomise(count)) for count in np.bincount(kept, minlength=len(keys)).tolist()]
    return pa.table({"item": keys, "count": pa.array(counts, pa.int64())})


def public(table: str) -> pa.Array:
    """The items that are asked for."""
    return pq.read_table(Path(table).with_suffix(".items.parquet"), columns=["item"])["item"].combine_chunks()


def write(found: pa.Table, out: str) -> None:
    """To a file."""
    pq.write_table(found, out)


if __name__ == "__main__":
    write(release(sys.argv[1], int(sys.argv[2]), sys.argv[3]), sys.argv[4])
