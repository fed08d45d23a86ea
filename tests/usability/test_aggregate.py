"""Several statistics of each group, as somebody would ask for them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import headcount as hc
from headcount.audit.choices import Fixed
from headcount.errors import HeadcountError
from headcount.jobs.parameters.metrics import parse_metric
from headcount.mechanism.groups.measured import MeasuredGroups
from headcount.noise import KeyedEntropy
from headcount.source.contributions import encoded

METRICS = ["people", "events", "sum(x)", "mean(x)", "mean(x) per person", "median(x)"]
LARGE = {"people": 2, "events": 8, "mean(x)": 600, "mean(x) per person": 600, "median(x)": 8}
"""More than anybody has."""
ALL: dict[str, Any] = {"metrics": METRICS, "range": (-100, 100), "bound": LARGE}
ORDERS = pd.DataFrame(
    {
        "user": np.arange(600) % 150,
        "g": np.array(["a", "b", "c"])[np.arange(600) * 7 // 5 % 3],
        "x": ((np.arange(600) * 37) % 150) - 60.25,
    }
)


def asked(data: Any = ORDERS, **more: Any) -> dict[str, Any]:
    return {"data": data, "user": "user", "by": "g", "epsilon": 1, **ALL, **more}


def exact(**more: Any) -> pd.DataFrame:
    """A release whose noise is 0, sorted by group."""
    arguments = asked(keys=["a", "b", "c"], **{"epsilon": 100, **more})
    data = arguments.pop("data")
    made = hc.plan("aggregate", data, **arguments).release(entropy=Fixed(0))
    return made.to_pandas().set_index("g").sort_index()


def truth(data: pd.DataFrame) -> pd.DataFrame:
    """The statistics of the table itself."""
    groups = data.groupby("g")
    found = {"people": groups["user"].nunique(), "events": groups.size(), "sum(x)": groups["x"].sum()}
    per_person = found["sum(x)"] / found["people"]
    return pd.DataFrame(
        {**found, "mean(x)": groups["x"].mean(), "mean(x) per person": per_person, "median(x)": groups["x"].median()}
    )


def test_without_noise_and_with_large_bounds_all_are_those_of_the_table() -> None:
    """Amounts of either sign; a median up to the width of its cell."""
    found, wanted = exact(), truth(ORDERS)
    assert found[["people", "events"]].to_numpy().tolist() == wanted[["people", "events"]].to_numpy().tolist()
    for metric in METRICS[2:5]:
        assert found[metric].to_numpy() == pytest.approx(wanted[metric].to_numpy(), rel=0.005, abs=0.02), metric
    assert np.abs(found["median(x)"] - wanted["median(x)"]).max() < 4 * 200 / 128


def test_intervals_hold_the_value_and_columns_come_in_order() -> None:
    found = exact()
    assert found.columns.tolist() == [f"{metric}{end}" for metric in METRICS for end in ("", "_low", "_high")]
    for metric in METRICS:
        assert (found[f"{metric}_low"] <= found[metric]).all()
        assert (found[metric] <= found[f"{metric}_high"]).all()


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_files_with_amounts_as_text(kind: str, tmp_path: Path) -> None:
    """Text in CSV and in JSON lines is read as numbers; what is none is missing, and its row counts for all else."""
    path, text = tmp_path / f"orders.{kind}", ORDERS.assign(x=ORDERS["x"].map(str))
    odd = pd.DataFrame({"user": [7, 8], "g": ["a", "b"], "x": ["n/a", ""]})
    if kind == "csv":
        pd.concat([text, odd]).to_csv(path, index=False)
    elif kind == "jsonl":
        path.write_text("\n".join(json.dumps(row) for row in pd.concat([text, odd]).to_dict("records")))
    else:
        ORDERS.to_parquet(path)
    added = np.array([1, 1, 0]) if kind != "parquet" else 0
    rows = [f"events{end}" for end in ("", "_low", "_high")]
    of_people = [f"people{end}" for end in ("", "_low", "_high")]
    found, wanted = exact(data=str(path)), exact()
    assert (found["events"] - wanted["events"] == added).all()
    about_x = wanted.columns.drop(rows + of_people)
    pd.testing.assert_frame_equal(found[about_x], wanted[about_x], rtol=1e-3)


@pytest.mark.parametrize("kind", ["int8", "int64", "float32", "uint16"])
def test_every_type_of_number(kind: str) -> None:
    whole = ORDERS.assign(x=np.abs(ORDERS["x"]).astype(int))
    table = pa.Table.from_pandas(whole, preserve_index=False)
    typed = table.set_column(2, "x", table["x"].cast(kind))
    pd.testing.assert_frame_equal(exact(data=typed), exact(data=whole))


def test_amounts_that_nobody_should_have() -> None:
    """1e300, infinity, and what is no number: all values are finite, and the others are not hidden."""
    odd = pd.DataFrame({"user": [1, 2, 3, 4], "g": list("abca"), "x": [1e300, -np.inf, np.nan, np.inf]})
    made = hc.aggregate(**asked(pd.concat([ORDERS, odd]), keys=["a", "b", "c"], bound=None))
    for column in made.table.column_names[1:]:
        assert np.isfinite(made.to_pandas()[column].astype(float)).all(), column


@pytest.mark.parametrize("x", [0.0, -5.0])
def test_amounts_that_are_all_alike(x: float) -> None:
    found = exact(data=ORDERS.assign(x=x))
    assert found["mean(x)"].to_numpy() == pytest.approx(x, abs=0.05)
    assert found["sum(x)"].to_numpy() == pytest.approx(x * found["events"].to_numpy(), abs=10)


def test_groups_without_events_and_tables_without_rows() -> None:
    made = hc.aggregate(**asked(keys=["a", "nobody's"], bound=None))
    assert sorted(made.to_pandas()["g"]) == ["a", "nobody's"]
    nobody = hc.aggregate(**asked(ORDERS[:0].astype({"g": "string"}), keys=["a", "b"], bound=None))
    assert len(nobody.table) == 2
    nothing = hc.aggregate(**asked(ORDERS[:0].astype({"g": "string"}), bound=None))
    assert len(nothing.table) == 0
    assert nothing.table.column_names[1:4] == ["people", "people_low", "people_high"]


def test_groups_that_are_not_known() -> None:
    """They are found by their people, and one that a single person has is not."""
    many = pd.DataFrame({"user": np.arange(9_000), "g": ["a", "b", "c"] * 3_000, "x": np.arange(9_000) % 50})
    alone = pd.DataFrame({"user": [5], "g": ["alone"], "x": [10.0]})
    made = hc.aggregate(pd.concat([many, alone]), user="user", by="g", metrics=METRICS[:4], epsilon=2)
    found = made.to_pandas().set_index("g")
    assert sorted(found.index) == ["a", "b", "c"]
    assert (np.abs(found["people"] - 3_000) < 600).all()
    assert (np.abs(found["mean(x)"] - 24.5) < 6).all()
    assert made.cost.epsilon <= 2


def test_shares_are_parts_of_all_people() -> None:
    found = exact(metrics=["share", "people"], range=None, bound=None)
    assert ((found["share"] > 0) & (found["share_low"] <= found["share"]) & (found["share_high"] <= 1)).all()


def test_the_same_question_is_charged_once_and_answered_alike(tmp_path: Path) -> None:
    path = tmp_path / "orders.parquet"
    ORDERS.to_parquet(path)
    ledger = hc.Ledger(tmp_path / "orders.db", epsilon=2, delta=1e-5)
    once, again = (hc.aggregate(**asked(str(path), ledger=ledger, keys=["a", "b", "c"])) for _ in range(2))
    assert once.table == again.table
    assert ledger.spent.epsilon == once.cost.epsilon
    hc.aggregate(**asked(str(path), ledger=ledger, keys=["a", "b", "c"], weights={"people": 3}))
    assert ledger.spent.epsilon > once.cost.epsilon


@pytest.mark.parametrize("keys", [None, ["a", "b", "c"]], ids=["found", "known"])
def test_the_cost_is_what_was_typed(keys: list[str] | None) -> None:
    for neighbours in ("add-remove", "replace"):
        for metrics in (METRICS, ["share", "sum(x)"]):
            range_ = (-100, 100) if "median(x)" in metrics else None
            made = hc.aggregate(
                **asked(keys=keys, neighbours=neighbours, metrics=metrics, range=range_, bound=None, delta=1e-5)
            )
            assert made.cost.epsilon <= 1
            assert made.cost.delta <= 1e-5


def test_a_plan_survives_its_text() -> None:
    arguments = asked(keys=["a", "b", "c"], weights={"sum( x )": 3})
    data = arguments.pop("data")
    plan = hc.plan("aggregate", data, **arguments)
    again = hc.Plan.from_json(plan.to_json())
    assert again.to_json() == plan.to_json()
    assert str(again) == str(plan)
    assert "sum(x)" in str(plan)


def test_a_release_survives_its_file(tmp_path: Path) -> None:
    made = hc.aggregate(**asked(keys=["a", "b", "c"]))
    made.save(tmp_path / "release.parquet")
    again = hc.load(tmp_path / "release.parquet")
    assert (again.table, again.explain()) == (made.table, made.explain())


@pytest.mark.parametrize("keys", [None, ["a", "b", "c"]], ids=["found", "known"])
def test_people_in_several_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch, keys: list[str] | None) -> None:
    """With little memory: the same values."""
    many = pd.concat([ORDERS.assign(user=ORDERS["user"] + 1000 * index) for index in range(30)])
    arguments, tables = asked(many, bound=None, keys=keys), []
    data = arguments.pop("data")
    for pairs in (2**24, 9_000):
        monkeypatch.setattr(encoded, "PAIRS", pairs)
        plan = hc.plan("aggregate", data, **arguments)
        tables.append(plan.release(entropy=KeyedEntropy(bytes(range(32)))).table)
    assert len(tables[0]) == 3
    assert tables[0] == tables[1]


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("typed", "canonical", "column"),
    [
        (" people ", "people", ""),
        ("sum( net price )", "sum(net price)", "net price"),
        ("mean(x)  per  person", "mean(x) per person", "x"),
        ("quantile(x,0.90)", "quantile(x, 0.9)", "x"),
        ("people( net price )", "people(net price)", "net price"),
        ("events(x)", "events(x)", "x"),
        ("events()", "events", ""),
        ("quantile(x, 1/4)", "quantile(x, 0.25)", "x"),
        ("quantile(price, in EUR, 0.5)", "quantile(price, in EUR, 0.5)", "price, in EUR"),
        ("sum(price (EUR))", "sum(price (EUR))", "price (EUR)"),
        ("median(été)", "median(été)", "été"),
    ],
)
def test_one_spelling_of_each_metric(typed: str, canonical: str, column: str) -> None:
    parsed = parse_metric(typed)
    assert (parsed.text, parsed.column) == (canonical, column)
    assert parse_metric(canonical) == parsed


def test_columns_with_odd_names_are_measured() -> None:
    odd = ORDERS.rename(columns={"x": "price, in EUR (net)"})
    found = exact(data=odd, metrics=["sum(price, in EUR (net))"], range=None, bound=None)
    wanted = truth(ORDERS)["sum(x)"]
    assert found["sum(price, in EUR (net))"].to_numpy() == pytest.approx(wanted.to_numpy(), rel=0.05, abs=100)


GRAMMAR = (
    "one of people, events, share, people(x), events(x), sum(x), mean(x), mean(x) per person, median(x), "
    "quantile(x, 0.9), with a column of numbers for x"
)
MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"metrics": "peple"}, f"metrics: 'peple' is no metric. Fix: did you mean people? It is {GRAMMAR}"),
    ({"metrics": ["sum"]}, f"metrics: 'sum' is no metric. Fix: {GRAMMAR}"),
    ({"metrics": ["sum()"]}, f"metrics: 'sum()' is no metric. Fix: {GRAMMAR}"),
    ({"metrics": ["share(x)"]}, f"metrics: 'share(x)' is no metric. Fix: {GRAMMAR}"),
    ({"metrics": ["people(x) per person"]}, f"metrics: 'people(x) per person' is no metric. Fix: {GRAMMAR}"),
    ({"metrics": ["count(x)"]}, f"metrics: 'count(x)' is no metric. Fix: did you mean events(x)? It is {GRAMMAR}"),
    ({"metrics": ["peple(x)"]}, f"metrics: 'peple(x)' is no metric. Fix: did you mean people(x)? It is {GRAMMAR}"),
    ({"metrics": ["count"]}, f"metrics: 'count' is no metric. Fix: did you mean people? It is {GRAMMAR}"),
    ({"metrics": ["avg(x)"]}, f"metrics: 'avg(x)' is no metric. Fix: did you mean mean(x)? It is {GRAMMAR}"),
    (
        {"metrics": ["people(when)"]},
        (
            "column 'when' holds timestamp(6): not a number. "
            "Fix: value: a column of numbers; of dates, how many days since a public one"
        ),
    ),
    ({"metrics": ["sum(x) per person"]}, f"metrics: 'sum(x) per person' is no metric. Fix: {GRAMMAR}"),
    ({"metrics": []}, f"metrics=[]: a list of metrics. Fix: each is {GRAMMAR}"),
    ({"metrics": [1]}, f"metrics=[1]: a list of metrics. Fix: each is {GRAMMAR}"),
    ({"metrics": ["sum(x)", " sum( x )"]}, "metrics: 'sum(x)' is listed twice. Fix: each metric once"),
    ({"metrics": ["quantile(x)"]}, "metrics: 'quantile(x)': which fraction? Fix: \"quantile(x, 0.9)\""),
    (
        {"metrics": ["quantile(x, 2)"]},
        "metrics: 'quantile(x, 2)': a fraction between 0 and 1. Fix: \"quantile(x, 0.9)\"",
    ),
    (
        {"metrics": ["median(x)"]},
        "metrics: a quantile of 'x' needs a range of values, which is public. Fix: range={'x': (0, 1000)}",
    ),
    (
        {"metrics": ["median(x)"], "range": (5, 1)},
        "range=[5, 1]: they must rise. Fix: range=(0, 1000), the lowest and the highest value that can be",
    ),
    (
        {"metrics": ["median(x)"], "range": {"y": (0, 1)}},
        "range: none of the metrics is a quantile of 'y'. Fix: metrics=[\"median(x)\"], or no range",
    ),
    ({"range": (0, 9)}, 'range: none of the metrics is a quantile. Fix: metrics=["median(x)"], or no range'),
    (
        {"metrics": ["sum(x)"], "range": {"x": (0, 9)}},
        "range: none of the metrics is a quantile of 'x'. Fix: metrics=[\"median(x)\"], or no range",
    ),
    (
        {"metrics": ["median(x)", "median(user)"], "range": (0, 9)},
        "range: name the column of each range. Fix: range={'x': (0, 1000)}",
    ),
    (
        {"metrics": ["sum(when)"]},
        "column 'when' holds timestamp(6): not a number. "
        "Fix: value: a column of numbers; of dates, how many days since a public one",
    ),
    (
        {"metrics": ["sum(text)"]},
        "column 'text' holds text, and numbers are needed. "
        "Fix: a column of numbers, or text cast to one before: CAST(text AS DOUBLE)",
    ),
    ({"metrics": ["sum(nope)"]}, "there is no column 'nope'. Fix: one of user, g, x, when, text"),
    (
        {"metrics": ["sum(user)"]},
        "metrics: 'user' is a column that makes the person or the group. Fix: metrics=[\"sum(price)\"]",
    ),
    ({"user": "usr"}, "there is no column 'usr'. Fix: did you mean 'user'? There are user, g, x, when, text"),
    (
        {"user": "g", "by": "g"},
        "user='g' and by='g' are the same column: every person would be an item. Fix: user='g', by=\"word\"",
    ),
    ({"bound": {"sum(x)": 3}}, "bound: 'sum(x)' is not among the metrics. Fix: bound={\"sum(price)\": 3}"),
    ({"bound": 5}, 'bound=5: a number for each metric. Fix: bound={"sum(price)": 3}'),
    (
        {"bound": {"people": 1e13}},
        "bound: that of 'people' lies between 1/1024 and 1,000,000,000,000. Fix: bound={\"sum(price)\": 5000}",
    ),
    (
        {"bound": {"people": 1e-9}},
        "bound: that of 'people' lies between 1/1024 and 1,000,000,000,000. Fix: bound={\"sum(price)\": 5000}",
    ),
    ({"weights": {"events": 3}}, "weights: 'events' is not among the metrics. Fix: weights={\"sum(price)\": 3}"),
    ({"weights": {"people": 0}}, 'weights=0: it must be above 0. Fix: weights={"sum(price)": 3}'),
    (
        {"weights": {"people": 1e300}},
        "weights: that of 'people' lies between 1/1000 and 1000. Fix: weights={\"sum(price)\": 3}",
    ),
    (
        {"delta": 0},
        "delta=0: groups that are not known in advance need a delta above 0. Fix: delta=1e-6, or the list of groups: "
        'keys=["north", "south"]',
    ),
]
TYPED = pa.table(
    {
        "user": [1, 2],
        "g": ["a", "b"],
        "x": [1.5, 2.5],
        "when": pa.array([1, 2], pa.timestamp("us")),
        "text": ["1", "2"],
    }
)


@pytest.mark.every_case
@pytest.mark.parametrize(("mistake", "message"), MISTAKES, ids=lambda each: str(each)[:40])
def test_mistakes(mistake: dict[str, Any], message: str) -> None:
    with pytest.raises(HeadcountError) as refusal:
        hc.plan("aggregate", TYPED, **{"user": "user", "by": "g", "metrics": ["people"], "epsilon": 1, **mistake})
    assert str(refusal.value) == message


def test_a_share_of_people_whom_noise_hides() -> None:
    """However large a count becomes by chance: a share is at most 1, and nothing fails after the charge."""
    few = pa.table({"user": range(50), "group": [f"g{number % 3}" for number in range(50)]})
    for _ in range(5):
        release = hc.aggregate(
            few, user="user", by="group", keys=["g0", "g1", "g2"], metrics=["share", "people"], epsilon=0.1
        )
        assert max(release.table["share_high"].to_pylist()) <= 1
        assert max(release.table["people_high"].to_pylist()) < 10**6


def test_a_group_unlike_the_others_keeps_its_sign() -> None:
    """Sums of groups that are found are drawn towards people, but not one that is far from all others."""
    group = np.arange(20_000) % 20
    table = pa.table({"user": np.arange(20_000), "group": group, "x": np.where(group < 2, -90.0, 100.0)})
    release = hc.aggregate(table, user="user", by="group", metrics=["sum(x)"], epsilon=1)
    sums = dict(zip(release["group"].to_pylist(), release["sum(x)"].to_pylist(), strict=True))
    assert all(abs(sums[each] + 90_000) < 20_000 for each in (0, 1))
    assert all(abs(sums[each] - 100_000) < 20_000 for each in range(2, 20))


def test_targets_that_cannot_be() -> None:
    table = pa.table({"user": [1, 2], "group": ["a", "b"], "x": [1.0, 2.0]})
    for target in (1e9, 1e-200):
        with pytest.raises(HeadcountError, match="target_error: that of 'sum\\(x\\)' lies between"):
            hc.plan(
                "aggregate",
                table,
                user="user",
                by="group",
                metrics=["sum(x)"],
                epsilon=1,
                target_error={"sum(x)": target},
            )


@pytest.mark.parametrize("job", ["total", "histogram", "aggregate"])
def test_a_given_bound_is_not_undone(job: str) -> None:
    """Values and intervals are for what is left: 10 of each of 3,000 people, who have 90."""
    table = pa.table({"user": list(range(3_000)) * 3, "g": ["a"] * 9_000, "x": [30.0] * 9_000})
    common: dict[str, Any] = {"user": "user", "epsilon": 10}
    if job == "aggregate":
        found = hc.aggregate(table, by="g", keys=["a"], metrics=["sum(x)"], bound={"sum(x)": 10}, **common)
        value, low, high = (found[f"sum(x){end}"][0].as_py() for end in ("", "_low", "_high"))
    else:
        by = {"by": "g", "keys": ["a"]} if job == "histogram" else {}
        found = getattr(hc, job)(table, sum="x", bound=10, **by, **common)
        value, low, high = (found[name][0].as_py() for name in ("sum", "low", "high"))
    assert value == pytest.approx(30_000, rel=0.05)
    assert low <= value <= high < 40_000


@pytest.mark.parametrize("job", ["total", "histogram"])
def test_a_target_error_of_a_sum_is_refused(job: str) -> None:
    by = {"by": "g", "keys": ["a"]} if job == "histogram" else {}
    with pytest.raises(hc.HeadcountError, match="with sum: its noise follows from the data"):
        getattr(hc, job)(ORDERS, user="user", sum="x", bound=50, target_error=100, **by)


def test_a_given_bound_says_what_intervals_are_for() -> None:
    """And the bound of a mean is not that of the count that it is divided by; that of events is."""
    table = pa.table({"user": range(3000), "group": ["a"] * 3000, "x": [1000.0] * 3000})
    asked: dict[str, Any] = {"user": "user", "by": "group", "keys": ["a"], "epsilon": 1}
    release = hc.aggregate(table, metrics=["sum(x)"], bound={"sum(x)": 1}, **asked)
    assert release.about.estimand == "bounded"
    assert "after each person was held to the bounds that are given" in " ".join(str(release).split())
    plan = hc.plan("aggregate", table, metrics=["mean(x)", "events"], bound={"mean(x)": 50, "events": 3}, **asked)
    assert isinstance(plan.mechanism, MeasuredGroups)
    assert plan.mechanism.measurement.given == (3 * 1024.0, 50 * 1024.0, 3 * 1024.0)


def many_groups() -> pa.Table:
    """Of 4,000 people, each is in 8 groups; groups have 600 people down to a few."""
    sizes = np.geomspace(600, 3, 200)
    groups = np.random.default_rng(1).choice(200, (4_000, 8), p=sizes / sizes.sum())
    return pa.table({"user": np.repeat(np.arange(4_000), 8), "g": groups.ravel(), "x": np.ones(32_000)})


def test_people_alone_are_those_of_a_histogram() -> None:
    """The same groups with the same counts and intervals, if the noise is the same."""
    question: dict[str, Any] = {"user": "user", "by": "g", "epsilon": 1}
    data, entropy = many_groups(), bytes(range(32))
    histogram = hc.plan("histogram", data, **question).release(entropy=KeyedEntropy(entropy)).table
    people = hc.plan("aggregate", data, metrics=["people"], **question).release(entropy=KeyedEntropy(entropy)).table
    assert len(people) > 50
    assert people.rename_columns(histogram.column_names).to_pydict() == histogram.to_pydict()


def test_groups_are_found_as_in_a_histogram_with_less_epsilon() -> None:
    """Beside a sum: with 55% of what noise costs, so nearly as many groups."""
    data = many_groups()
    found = [
        len(hc.plan("aggregate", data, user="user", by="g", metrics=metrics, epsilon=1).release(entropy=Fixed(0)).table)
        for metrics in (["people"], ["people", "sum(x)"], ["sum(x)"])
    ]
    assert found[0] > found[1] == found[2] > 0.8 * found[0]
