"""What people drew: as arrays, the same whatever the order of rows; and so many draws of everybody."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from headcount.bound import Sensitivity, attained
from headcount.bound.boundings import draws as module
from headcount.bound.boundings.draws import BoundedDraws, Draws, ExactDraws
from headcount.source import contributions, open_events
from headcount.source.contributions.contributions import Contributions

WORDS = ["a", "b", "c", "d"]
KEYS = pa.table({"item0": WORDS})
SHARES = [0.4, 0.3, 0.2, 0.1]


def rows(sizes: list[int], seed: int = 1) -> pa.Table:
    """People with so many draws."""
    rng = np.random.default_rng(seed)
    users = np.repeat([f"person {number}" for number in range(len(sizes))], sizes)
    return pa.table({"user": users, "word": rng.choice(WORDS, len(users), p=SHARES)})


def drawn(table: pa.Table, keys: pa.Table = KEYS) -> Contributions:
    events = open_events(table, ("user", "word"), "words")
    return contributions(events.table(), [None], events=True, keys=keys)


def counts(bounded: BoundedDraws) -> list[list[int]]:
    """Each person's counts, sorted: people have no order."""
    people = np.zeros((len(bounded.starts) - 1, len(bounded.items)), dtype=np.int64)
    np.add.at(
        people,
        (np.repeat(np.arange(len(people)), np.diff(bounded.starts)), bounded.indices),
        bounded.counts,
    )
    return sorted(people.tolist())


def test_everybody_s_counts() -> None:
    table = pa.table({"user": [1, 1, 1, 2, 2, 3], "word": ["a", "b", "a", "d", "x", "y"]})
    bounded = Draws(2, 2).bound(drawn(table), b"", KEYS)
    assert counts(bounded) == [[0, 0, 0, 1], [2, 1, 0, 0]]
    assert bounded.totals.tolist() == [1365, 682, 0, 1024]  # 2 of 3 draws of the first count, in 1024ths
    assert bounded.sensitivity == Sensitivity(items=2048, largest=2048, total=2048, squared=2048**2)


@pytest.mark.parametrize("bounding", [Draws(7, 7), ExactDraws(7)], ids=["all", "exactly"])
def test_the_order_of_rows_does_not_matter(bounding: Any) -> None:
    table = rows([3, 7, 8, 20, 100, 7])
    shuffled = table.take(np.random.default_rng(2).permutation(len(table)))
    one, other = (bounding.bound(drawn(each), b"key", KEYS) for each in (table, shuffled))
    assert counts(one) == counts(other)
    assert one.totals.tolist() == other.totals.tolist()


def test_totals_are_those_of_scaled_counts() -> None:
    done = drawn(rows([1, 5, 9, 50]))
    plain = super(Draws, Draws(9, 9)).bound(done, b"", KEYS)
    assert Draws(9, 9).bound(done, b"", KEYS).totals.tolist() == plain.totals.tolist()


def test_exactly_so_many_draws_of_everybody() -> None:
    done, bounding = drawn(rows([3, 7, 8, 20, 100, 7, 6])), ExactDraws(7)
    bounded = bounding.bound(done, b"key", KEYS)
    assert bounded.sizes.tolist() == [7] * 5
    assert counts(bounded) != counts(bounding.bound(done, b"another key", KEYS))
    assert bounding.sensitivity.covers(attained(bounding.kept(done, b"key")))
    assert attained(bounding.kept(done, b"key")).total == 7


def test_what_is_kept_of_somebody_depends_on_nobody_else() -> None:
    alone, among = rows([20]), rows([20, 50, 50, 8])
    kept = counts(ExactDraws(7).bound(drawn(alone), b"key", KEYS))[0]
    assert kept in counts(ExactDraws(7).bound(drawn(among.slice(0, 20)), b"key", KEYS))
    assert kept in counts(ExactDraws(7).bound(drawn(among), b"key", KEYS))


def test_what_is_kept_are_draws_from_the_same_distribution() -> None:
    """Of 20,000 people with 30 draws 5 are kept: means and variances are those of 5 draws."""
    bounded = ExactDraws(5).bound(drawn(rows([30] * 20_000)), b"key", KEYS)
    people, shares = np.array(counts(bounded)), np.array(SHARES)
    assert people.mean(axis=0) == pytest.approx(5 * shares, abs=0.04)
    assert people.var(axis=0) == pytest.approx(5 * shares * (1 - shares), rel=0.06)


def test_many_draws_are_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    done = drawn(rows([30, 3, 40, 5, 10, 64, 1] * 20))
    whole = counts(ExactDraws(5).bound(done, b"key", KEYS))
    monkeypatch.setattr(module, "CHUNK_DRAWS", 64)
    assert counts(ExactDraws(5).bound(done, b"key", KEYS)) == whole


def test_of_somebody_with_very_many_draws_a_part_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK_DRAWS", 1000)
    bounded = ExactDraws(500).bound(drawn(rows([10**6, 500])), b"key", KEYS)
    assert bounded.sizes.tolist() == [500, 500]
    assert bounded.totals / 1000 == pytest.approx(SHARES, abs=0.08)


def test_nobody() -> None:
    for bounding in (Draws(3, 3), ExactDraws(3)):
        bounded = bounding.bound(drawn(rows([5]).slice(0, 0)), b"", KEYS)
        assert bounded.totals.tolist() == [0] * 4
        assert len(bounded.sizes) == 0
