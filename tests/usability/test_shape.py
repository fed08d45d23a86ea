"""The shape of a histogram: as a user asks for it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.packed import packed

import headcount as hc
from headcount.errors import BadParameter
from headcount.release import pack

PEOPLE = 20_000
ASKED: dict[str, Any] = {"user": "user", "by": "word", "epsilon": 1}
MECHANISMS: list[dict[str, Any]] = [
    {},
    {"people": PEOPLE},
    {"loss": "l2"},
    {"bound": 2},
    {"neighbours": "replace"},
    {"mechanism": "buckets"},
    {"mechanism": "buckets", "people": PEOPLE},
    {"mechanism": hc.Buckets(buckets=60_000), "loss": "l2"},
    {"mechanism": hc.Buckets(estimator="paper")},
    {"mechanism": "buckets", "keys": list(range(10_000))},
]


@pytest.fixture(scope="module")
def words() -> np.ndarray[Any, Any]:
    """One of 10,000 words for each person: some are common, most are rare."""
    return (10_000 * np.random.default_rng(3).random(PEOPLE) ** 3).astype(np.int64)


@pytest.fixture(scope="module")
def table(words: np.ndarray[Any, Any]) -> pa.Table:
    return pa.table({"user": np.arange(PEOPLE), "word": words})


def away(counts: np.ndarray[Any, Any], words: np.ndarray[Any, Any]) -> int:
    """The differences of all counts, added up."""
    true = np.sort(np.bincount(words))[::-1]
    length = max(len(counts), len(true))
    both = [np.pad(each, (0, length - len(each))) for each in (counts, true)]
    return int(np.abs(both[0] - both[1]).sum())


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("how", MECHANISMS, ids=" ".join)
def test_a_shape(table: pa.Table, words: np.ndarray[Any, Any], how: dict[str, Any]) -> None:
    """A staircase is off by some hundred of 20,000 contributions, buckets by a few thousand."""
    shape = hc.shape(table, **ASKED, **how)
    assert shape.table.column_names == [
        "count",
        "low",
        "high",
        "items",
        "at_least",
        "at_least_low",
        "at_least_high",
    ]
    assert shape.counts.dtype == np.int64
    assert (np.diff(shape.counts) <= 0).all()
    assert away(shape.counts, words) < (5000 if "mechanism" in how else 800)
    assert np.array_equal(np.sort(np.repeat(shape.prevalences.counts, shape.prevalences.items)), shape.counts[::-1])
    assert (shape.cost.epsilon, shape.cost.delta) == (1, 0)
    assert "No word is named." in " ".join(shape.explain().split())
    for row in shape.table.to_pylist():
        assert row["low"] <= row["count"] <= row["high"]
        assert row["at_least_low"] <= row["at_least"] <= row["at_least_high"]


def test_what_follows_from_a_shape(table: pa.Table, words: np.ndarray[Any, Any]) -> None:
    shape = hc.shape(table, **ASKED)
    part = np.bincount(words)[np.bincount(words) > 0] / PEOPLE
    assert abs(float(shape.distinct()) - len(part)) < 30
    assert abs(float(shape.entropy()) + (part * np.log(part)).sum()) < 0.02
    assert shape.entropy(of="source").value > shape.entropy().value
    assert shape.coverage(PEOPLE // 2).value < shape.distinct().value < shape.coverage(2 * PEOPLE).value
    assert 9000 < shape.support_size(min_share=1e-5).value < 30_000
    for each in (shape.distinct(), shape.entropy(), shape.coverage(40_000), shape.support_size(min_share=1e-4)):
        assert each.low <= each.value <= each.high
        assert f"{each.value:,.0f}"[:2] in str(each) or f"{each.value:.1f}"[:3] in str(each)


@pytest.mark.parametrize("mechanism", ["staircase", "buckets"])
def test_more_people_never_have_fewer_items(table: pa.Table, mechanism: Any) -> None:
    shape = hc.shape(table.slice(0, 3000), **ASKED, mechanism=mechanism)
    people = int(shape.counts.sum())
    found = [shape.coverage(part * people // 4) for part in (1, 2, 3, 4, 5, 8, 16, 24, 36)]
    values = [each.value for each in found]
    assert values == pytest.approx(sorted(values), rel=5e-3)
    for each in found[4:]:
        assert each.low >= shape.distinct().low
    sizes = [shape.support_size(min_share=share).value for share in (1e-4, 1e-5, 1e-6, 1e-9)]
    assert sizes == pytest.approx(sorted(sizes), rel=0.05)  # each is the most of a few numbers of people on the way


def test_more_people_than_a_person_may_be(table: pa.Table) -> None:
    """Somebody with a thousand words counts for one, or for as many as the bound allows."""
    greedy = pa.table({"user": [0] * 1000 + list(range(1, 2001)), "word": list(range(1000)) + [5000] * 2000})
    assert float(hc.shape(greedy, **ASKED).distinct()) < 30
    assert float(hc.shape(greedy, **{**ASKED, "epsilon": 20}, bound=1000).distinct()) > 400


@pytest.fixture(scope="module")
def songs() -> pa.Table:
    """2,000 people have ten of 40 songs each."""
    random = np.random.default_rng(1)
    chosen = np.argsort(random.random((2000, 40)), axis=1)[:, :10]
    return pa.table({"user": np.repeat(np.arange(2000), 10), "word": chosen.ravel()})


@pytest.mark.slow(but=["10-25"])
@pytest.mark.parametrize(("bound", "far"), [(1, 3), (4, 12), (10, 25), (40, 100)])
def test_different_items_by_bound(songs: pa.Table, bound: int, far: int) -> None:
    """40 of them: on average of ten releases, and within most intervals. A false alarm is a matter of 1e-6: nine
    deviations of the mean, and 7 misses of 5% in 10."""
    found = [hc.shape(songs, **ASKED, bound=bound).distinct() for _ in range(10)]
    assert abs(np.mean([each.value for each in found]) - 40) < far
    assert sum(each.low <= 40 <= each.high for each in found) >= 4


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("known", [{"keys": [0, 1, 2, 3]}, {"bins": [0, 10, 20, 30, 40]}], ids=["keys", "bins"])
@pytest.mark.parametrize("mechanism", ["staircase", "buckets"])
def test_no_more_items_than_are_listed(songs: pa.Table, known: dict[str, Any], mechanism: Any) -> None:
    """Whatever the noise: in the table, in the source, and in every interval."""
    for bound in (1, 10, 40):
        shape = hc.shape(songs, **ASKED, **known, bound=bound, mechanism=mechanism, people=2000)
        assert shape.distinct().high <= 4
        assert shape.entropy().high <= np.log(4) + 1e-9
        assert len(shape.counts) <= 4
        assert shape.counts.max(initial=0) <= 2000 or mechanism == "buckets"
        assert shape.coverage(2000).high <= 4
        assert shape.support_size(min_share=0.01).high <= 4


def test_a_shape_of_an_earlier_version(songs: pa.Table) -> None:
    """Its rows can be read; what follows is refused, as its intervals did not hold."""
    shape = hc.shape(songs, **ASKED)
    old = hc.Shape(pack(shape.table, replace(shape.about, measured='{"columns":9,"rows":9,"scale":1.0}')), fresh=False)
    assert "headcount 0.8" in old.summary()
    assert json.loads(old.to_json())["follows"] == {}
    with pytest.raises(BadParameter, match="its intervals did not hold"):
        old.distinct()


def test_few_people_and_none(table: pa.Table) -> None:
    for how in MECHANISMS:
        nobody = hc.shape(table.slice(0, 0), **ASKED, **how)
        assert nobody.counts.sum() < 6000
        for estimate in (nobody.distinct(), nobody.entropy(), nobody.coverage(1), nobody.support_size(min_share=1e-6)):
            assert estimate.low <= estimate.value <= estimate.high
        nobody.summary(), nobody.plot(), nobody.explain()


def test_too_few_buckets_are_refused_without_a_second_draw(table: pa.Table, tmp_path: Path) -> None:
    """It says so and what would do; it is sealed and paid for, so that nobody can draw again."""
    ledger = hc.Ledger(tmp_path / "words.db", epsilon=3, delta=1e-6)
    shape = hc.shape(hc.table(table, name="words"), **ASKED, mechanism=hc.Buckets(buckets=2000), ledger=ledger)
    assert shape.table.num_rows == 0
    assert "Nothing was learned: of 2,000 buckets about " in shape.summary()
    assert "seem empty, and half must be, as too many items share one. Fix: buckets=" in " ".join(
        shape.summary().split()
    )
    with pytest.raises(BadParameter, match="seem empty, and half must be"):
        shape.distinct()
    assert not hc.shape(hc.table(table, name="words"), **ASKED, mechanism=hc.Buckets(buckets=2000), ledger=ledger).fresh
    shape.plot(tmp_path / "nothing.png")


def test_it_is_a_release_like_others(table: pa.Table, tmp_path: Path) -> None:
    ledger = hc.Ledger(tmp_path / "words.db", epsilon=1, delta=1e-6)
    shape = hc.shape(hc.table(table, name="words"), **ASKED, ledger=ledger)
    again = hc.shape(hc.table(table, name="words"), **ASKED, ledger=ledger)
    assert isinstance(again, hc.Shape)
    assert (again.fresh, again.content) == (False, shape.content)
    for kind in (".parquet", ".csv", ".json", ".html", ".png", ".svg"):
        assert shape.save(tmp_path / f"shape{kind}").stat().st_size > 0
    loaded = hc.load(tmp_path / "shape.parquet")
    assert isinstance(loaded, hc.Shape)
    assert loaded.distinct() == shape.distinct()
    assert "different items" in shape.summary()
    assert "entropy (nats)" in shape.summary()


@pytest.mark.parametrize("how", MECHANISMS, ids=" ".join)
def test_a_plan_as_text(table: pa.Table, how: dict[str, Any]) -> None:
    plan = hc.plan("shape", table, **ASKED, **how)
    assert hc.Plan.from_json(plan.to_json()) == plan
    assert json.loads(plan.to_json())["job"] == "shape"
    assert "Expected error of all counts together:\n          about " in str(plan)


def test_an_error_that_is_wanted(table: pa.Table) -> None:
    plan = hc.plan("shape", table, user="user", by="word", target_error=5)
    assert plan.error <= 5
    assert 0.3 < plan.cost.epsilon < 1


MISTAKES = [
    ({"bound": "profile"}, "bound='profile': of a shape it is a number. Fix: bound=1, the most items of one person"),
    ({"bound": 0}, "bound=0: a whole number of at least 1 is needed."),
    ({"people": "count"}, 'people="count": whatever is needed is counted anyway.'),
    ({"people": 0}, "people=0: a whole number of at least 1"),
    ({"loss": "l3"}, "loss='l3'"),
    ({"mechanism": "weighted"}, "mechanism='weighted'"),
    ({"mechanism": hc.SampleThreshold()}, "shape does not take it. Fix: one of hc.Buckets"),
    ({"mechanism": "buckets", "buckets": 1}, "buckets=1: a whole number of at least 2"),
    ({"mechanism": "buckets", "buckets": 10**9}, "buckets=1000000000: at most 16,777,216."),
    ({"mechanism": "buckets", "estimator": "mean"}, "estimator='mean'"),
    (
        {"mechanism": "buckets", "buckets": 8000, "epsilon": 0.01},
        "more than the 4,000 contributions that there may be. Fix: epsilon=0.15, or more buckets, or mechanism=",
    ),
    ({"mechanism": "buckets", "people": 1000, "epsilon": 0.1}, "the 1,000 contributions that there may be"),
    ({"epsilon": None}, "how much may it cost?"),
    ({"epsilon": 0}, "epsilon=0"),
    ({"by": "wrod"}, "did you mean 'word'?"),
    ({"user": "word"}, "are the same column"),
]


@pytest.mark.parametrize(("wrong", "said"), MISTAKES, ids=[said for _, said in MISTAKES])
def test_mistakes(table: pa.Table, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(hc.HeadcountError, match="Fix: ") as caught:
        hc.shape(table, **packed({**ASKED, **wrong}, hc.Buckets))
    assert said in str(caught.value)


def test_mistakes_afterwards(table: pa.Table) -> None:
    shape = hc.shape(table, **ASKED)
    with pytest.raises(BadParameter, match='of="table", or of="source"'):
        shape.entropy(of="both")  # type: ignore[arg-type]
    for m in (0, -1, 1.5, 10**7):
        with pytest.raises(BadParameter, match="m="):
            shape.coverage(m)  # type: ignore[arg-type]
    for part in (0, 1.5, "x", 0.5):
        with pytest.raises(BadParameter, match="min_share="):
            shape.support_size(min_share=part)
