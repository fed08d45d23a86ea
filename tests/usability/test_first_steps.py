"""What a newcomer types first: three lines, and a plan before."""

import inspect
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.jobs import of_every_job

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.errors import BadParameter
from headcount.exact import Integers
from headcount.jobs.registry import FUNCTIONS
from headcount.noise import NoiseDistribution

PLAN = """\
people per song, from plays.parquet

  cost    epsilon 1, delta 1e-06
  error   Expected error (95%, noise only): 37 people.
  appear  To appear, each song needs about 103 people.
  promise Adding or removing any one person (user), with all their rows, changes
          the probability of any outcome by at most a factor of 2.718 (e^1),
          plus 1e-06.

  1. headcount reads the columns user and song of plays.parquet. It drops rows
     that lack a value in one of them.
  2. Each person counts once for each song, and at most 20 times in all. If a
     person has more, headcount keeps only that many, chosen by a keyed hash
     with a fresh secret.
  3. headcount adds discrete Gaussian noise with a standard deviation of 18.9 to
     the count of every song that is left.
  4. It shows those whose noisy count is at least 103. All others stay hidden.

This plan read only the schema and spent nothing."""


@pytest.fixture
def plays(tmp_path: Path) -> Path:
    pq.write_table(hc.example(people=3000), tmp_path / "plays.parquet")
    return tmp_path / "plays.parquet"


def test_three_lines(plays: Path) -> None:
    release = hc.histogram(plays, user="user", by="song", epsilon=1, bound=20)
    assert release.table.num_rows > 5
    assert release.fresh


def test_a_plan_reads_nothing(plays: Path) -> None:
    """The schema is enough: the rows are gone."""
    nobody = pa.table({"user": pa.array([], pa.int64()), "song": pa.array([], pa.string())})
    pq.write_table(nobody, plays)
    plan = hc.plan("histogram", plays, user="user", by="song", epsilon=1.0, bound=20)
    assert str(plan) == PLAN


def test_a_plan_goes_to_json_and_back(plays: Path) -> None:
    asked: dict[str, Any] = {"user": "user", "by": "song", "epsilon": 0.3, "bound": 20}
    different: list[dict[str, Any]] = [
        {},
        {"keys": ["song 0001", "é"]},
        {"count": "events"},
        {"neighbours": "replace", "delta": "1e-9"},
    ]
    for more in different:
        plan = hc.plan("histogram", plays, **asked, **more)
        again = hc.Plan.from_json(plan.to_json())
        assert again == plan
        assert str(again) == str(plan)
        assert again.release(plays, entropy=Fixed(0)).content == plan.release(entropy=Fixed(0)).content
        with pytest.raises(BadParameter, match="this plan came from text: it needs its data"):
            again.release()


def test_a_plan_with_dates_and_bins_goes_to_json_and_back() -> None:
    days = pa.table({"user": [1], "day": [date(2024, 1, 1)], "age": [4]})
    different: list[dict[str, Any]] = [
        {"by": "day", "bins": [date(2024, 1, 1), date(2025, 1, 1)]},
        {"by": "day", "keys": [date(2024, 1, 1)]},
        {"by": ["age", "day"], "bins": {"age": [0, 2.5, 10]}},
    ]
    for more in different:
        plan = hc.plan("histogram", days, user="user", epsilon=1, bound=2, **more)
        again = hc.Plan.from_json(plan.to_json())
        assert again.release(days, entropy=Fixed(500)).content == plan.release(entropy=Fixed(500)).content


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"headcount": 8}', "null", "[" * 100_000])
def test_texts_that_are_no_plans(text: str) -> None:
    with pytest.raises(BadParameter, match="this is not a plan"):
        hc.Plan.from_json(text)


@pytest.mark.parametrize("text", ['{"headcount": 1}', '{"headcount": 6, "question": {}}', '{"headcount": "7"}'])
def test_plans_of_another_version(text: str) -> None:
    with pytest.raises(BadParameter, match="made by another version of headcount"):
        hc.Plan.from_json(text)


def test_a_plan_for_other_columns_is_refused(plays: Path) -> None:
    plan = hc.plan("histogram", plays, user="user", by="song", epsilon=1, bound=20)
    other = pa.table({"user": ["x"], "song": ["y"]})
    with pytest.raises(BadParameter, match="the data's columns are not those of the plan"):
        plan.release(other)


def test_a_plan_that_was_tampered_with_is_refused(plays: Path) -> None:
    text = hc.plan("histogram", plays, user="user", by="song", epsilon=1, bound=20).to_json()
    with pytest.raises(BadParameter, match="another version"):
        hc.Plan.from_json(text.replace('"threshold":103', '"threshold":90'))
    for old, new in (
        ('"song":"string"', '"song":"float64"'),
        ('"song":"string"', '"song":"x"'),
        ('"int64"', '"array"'),
    ):
        with pytest.raises(BadParameter, match="this is not a plan"):
            hc.Plan.from_json(text.replace(old, new))


@pytest.mark.slow(one_in=4)
@pytest.mark.parametrize("target", [5, 20, 100])
@pytest.mark.parametrize("more", [{}, {"keys": ["song 0001"]}, {"count": "events"}])
def test_the_least_epsilon_for_an_error(plays: Path, target: int, more: dict[str, Any]) -> None:
    asked: dict[str, Any] = {"user": "user", "by": "song", "bound": 20, **more}
    plan = hc.plan("histogram", plays, target_error=target, **asked)
    assert plan.error <= target
    less = hc.plan("histogram", plays, epsilon=float(plan.budget.epsilon) * 0.99, **asked)
    assert less.error > target


NEEDED = of_every_job(
    {
        **{job: {"by": "song"} for job in ("histogram", "heavy_hitters", "top", "profile", "shape")},
        "aggregate": {"by": "song", "metrics": ["people", "median(minutes)"], "range": (0, 9)},
        "total": {},
        "distribution": {"by": "song", "keys": ["song 0001", "song 0002"]},
        "quantiles": {"value": "minutes", "range": (0, 9)},
        "ranges": {"value": "minutes", "ranges": [(0, 1)]},
    },
    item="song",
    number="minutes",
    listed=["song 0001", "song 0002"],
)


@pytest.mark.parametrize("job", NEEDED)
def test_a_plan_takes_the_arguments_of_every_job(job: str) -> None:
    """With the same defaults. Only what a ledger is asked for is no part of a plan."""
    plays = pa.table({"user": [1, 2], "song": ["a", "b"], "minutes": [1.5, 2.0]})
    needed = {"user": "user", "epsilon": 1, **NEEDED[job]}
    parameters = inspect.signature(FUNCTIONS[job]).parameters
    own = {name: each.default for name, each in parameters.items() if name not in ("data", "ledger")}
    plan = hc.plan(job, plays, **needed)
    assert hc.plan(job, plays, **{**own, **needed}).to_json() == plan.to_json()
    for name in ("ledger", "data_"):
        with pytest.raises(BadParameter, match=f"{name}: {job} has no such parameter"):
            hc.plan(job, plays, **needed, **{name: None})


def test_test_noise_is_never_charged(plays: Path, tmp_path: Path) -> None:
    ledger = hc.Ledger(tmp_path / "plays.db", epsilon=3, delta=1e-5)
    plan = hc.plan("histogram", plays, user="user", by="song", epsilon=1, bound=20)
    with pytest.raises(BadParameter, match="a ledger is charged for real noise only"):
        plan.release(ledger=ledger, entropy=Fixed(0))
    assert ledger.spent.epsilon == 0


def test_asking_again_returns_the_same_bytes(plays: Path, tmp_path: Path) -> None:
    ledger = hc.Ledger(tmp_path / "plays.db", epsilon=3, delta=1e-5)
    asked: dict[str, Any] = {"user": "user", "by": "song", "epsilon": 1, "bound": 20}
    first, second = (hc.histogram(plays, **asked, ledger=ledger) for _ in range(2))
    assert first.content == second.content
    assert (first.fresh, second.fresh) == (True, False)
    assert ledger.spent.epsilon == 1
    anew = hc.plan("histogram", plays, **asked).release(ledger=ledger, again=True)
    assert anew.content != first.content
    assert ledger.spent.epsilon == 2
    assert ledger.verify(release=first.content)
    assert first.about.head.startswith("1:")


def test_what_cannot_be_packed_fails_before_any_noise(plays: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that fails is done again under its charge: so it must not fail by what was drawn."""
    drawn = []

    class Watched(Fixed):
        def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
            drawn.append(size)
            return super().draw(distribution, size)

    written = pq.write_table

    def write(table: pa.Table, *arguments: Any, **options: Any) -> None:
        if len(table):
            raise OverflowError("too late")
        written(table, *arguments, **options)

    plan = hc.plan("histogram", plays, user="user", by="song", epsilon=1, bound=20)
    monkeypatch.setattr("headcount.release.release.pq.write_table", write)
    with pytest.raises(hc.HeadcountError, match="could not be read to their end"):
        plan.release(entropy=Watched(0))
    assert drawn == []


def test_work_that_failed_is_done_again_under_its_charge(plays: Path, tmp_path: Path) -> None:
    ledger = hc.Ledger(tmp_path / "plays.db", epsilon=1, delta=1e-5)
    plan = hc.plan("histogram", plays, user="user", by="song", epsilon=1, bound=20)

    def stop(step: str) -> None:
        if step == "reading":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plan.release(ledger=ledger, progress=stop)
    assert ledger.spent.epsilon == 1
    assert plan.release(ledger=ledger).fresh
    assert ledger.spent.epsilon == 1
