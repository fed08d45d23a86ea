"""The distribution that people draw from: as a user asks for it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import headcount as hc

PEOPLE, DRAWN, WORDS = 2000, 60, 40
ASKED: dict[str, Any] = {"user": "user", "by": "word", "keys": list(range(WORDS)), "epsilon": 1}
SHARES = 1 / np.arange(1, WORDS + 1) / (1 / np.arange(1, WORDS + 1)).sum()
ALL: tuple[Any, ...] = ("laplace", "gaussian", "sample-one", "hypothesis-selection", "sparse", "ks", "recentred")
EPSILON = {"hypothesis-selection": 10, "sparse": 10}
"""What needs thousands of people gets more of it."""
HOW: dict[str, dict[str, Any]] = {
    "by default": {},
    "public people": {"people": PEOPLE},
    "over rows": {"target": "rows"},
    "over rows, with a bound": {"target": "rows", "bound": 20},
    "of a source": {"target": "source"},
    "public numbers": {"target": "source", "bound": DRAWN, "people": PEOPLE},
    "public sizes": {"target": "source", "sizes": "public", "neighbours": "replace"},
    "a part of epsilon": {"target": "source", "bound": hc.ChosenBound(share=0.1)},
    "replaced": {"neighbours": "replace"},
    "a source, replaced": {"target": "source", "neighbours": "replace"},
    "no delta": {"delta": 0},
    "ks without delta, public sizes": {
        "delta": 0,
        "mechanism": "ks",
        "sizes": "public",
        "neighbours": "replace",
    },
    "ks without delta": {"delta": 0, "mechanism": "ks", "bound": DRAWN, "people": PEOPLE},
    **{name: {"mechanism": name, "epsilon": EPSILON.get(name, 1)} for name in ALL},
    **{
        f"{name}, replaced": {"mechanism": name, "neighbours": "replace", "epsilon": EPSILON.get(name, 1)}
        for name in ALL
    },
    **{
        f"{name}, public sizes": {
            "mechanism": name,
            "sizes": "public",
            "neighbours": "replace",
            "epsilon": EPSILON.get(name, 1),
        }
        for name in ALL
        if name != "sample-one"
    },
}
OFF = {"sample-one": 0.2, "gaussian": 0.25}
"""How far off all shares together may be."""


def draws(people: int, drawn: int, seed: int = 1) -> pa.Table:
    words = np.random.default_rng(seed).choice(WORDS, people * drawn, p=SHARES)
    return pa.table({"user": np.repeat(np.arange(people), drawn), "word": words})


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return draws(PEOPLE, DRAWN)


def columns(release: hc.Release) -> tuple[np.ndarray[Any, Any], ...]:
    """Shares and their intervals, in the order of the words."""
    by_word = release.table.sort_by("word")
    return tuple(np.array(by_word[name].to_pylist()) for name in ("share", "low", "high"))


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_a_distribution(table: pa.Table, how: dict[str, Any]) -> None:
    """Of two releases one is good: about one in a hundred believes in people whom only noise has made."""
    for _ in range(2):
        release = hc.distribution(table, **{**ASKED, **how})
        share, low, high = columns(release)
        if near := np.abs(share - SHARES).sum() < OFF.get(how.get("mechanism", ""), 0.16):
            break
    assert near
    assert release.table.column_names == ["word", "share", "low", "high"]
    assert sorted(release.table["word"].to_pylist()) == list(range(WORDS))
    assert release.table["share"].to_pylist() == sorted(release.table["share"].to_pylist(), reverse=True)
    assert share.min() >= 0
    assert share.sum() == pytest.approx(1)
    assert ((low >= 0) & (low <= share) & (share <= high) & (high <= 1)).all()
    assert ((low <= SHARES) & (high >= SHARES)).mean() > 0.5  # of a table: chance is not in all of them
    assert release.cost.epsilon == how.get("epsilon", 1)
    assert release.cost.delta in (0, 1e-6)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_a_plan_as_text(table: pa.Table, how: dict[str, Any]) -> None:
    plan = hc.plan("distribution", table, **{**ASKED, **how})
    assert hc.Plan.from_json(plan.to_json()) == plan
    assert json.loads(plan.to_json())["job"] == "distribution"
    assert "Expected error of all 40 shares together:\n          about " in str(plan)


def test_the_plan_names_the_mechanism_by_public_numbers(table: pa.Table) -> None:
    """Few people, or few samples: noise on counts. Else a mean about the last estimate."""

    def named(people: int, bound: int) -> str:
        return hc.plan("distribution", table, **ASKED, target="source", people=people, bound=bound).mechanism.name

    assert named(100, 100) == named(10_000, 5) == "clipped"
    assert named(1000, 100) == named(1_000_000, 20) == "recentred"


def test_more_samples_of_each_person_mean_less_noise() -> None:
    """Of a source, 400 samples of each leave a fifth of the noise that 10 have; noise on counts is the same."""
    off = {}
    public: dict[str, Any] = {**ASKED, "target": "source", "people": PEOPLE, "neighbours": "replace"}
    for drawn in (10, 400):
        said = draws(PEOPLE, drawn)
        for mechanism in ("auto", "laplace"):
            share, _, _ = columns(hc.distribution(said, **public, mechanism=mechanism, bound=drawn))
            off[mechanism, drawn] = np.abs(share - np.bincount(said["word"].to_numpy()) / len(said)).sum()
    assert off["auto", 400] * 3 < off["auto", 10]
    assert off["laplace", 400] * 2 > off["laplace", 10]


def test_people_with_different_numbers_of_samples() -> None:
    """Somebody with 100,000 rows of one word counts no more than the bound; the bound follows from the others."""
    rng = np.random.default_rng(5)
    drawn = np.append(rng.choice([10, 100, 1000], 3000, p=[0.5, 0.3, 0.2]), 100_000)
    words = np.where(np.arange(drawn.sum()) < drawn[:-1].sum(), rng.choice(WORDS, drawn.sum(), p=SHARES), WORDS - 1)
    said = pa.table({"user": np.repeat(np.arange(3001), drawn), "word": words})
    release = hc.distribution(said, **ASKED, target="source")
    assert 64 <= release.about.bound <= 1000
    assert np.abs(columns(release)[0] - SHARES).sum() < 0.08


def test_bins() -> None:
    ages = pa.table({"user": np.repeat(np.arange(500), 20), "age": np.arange(10_000) % 100})
    release = hc.distribution(ages, user="user", by="age", bins=[0, 25, 50, 100], epsilon=1)
    shares = dict(zip(*(release.table[name].to_pylist() for name in ("age", "share")), strict=True))
    assert shares == pytest.approx({"[0, 25)": 0.25, "[25, 50)": 0.25, "[50, 100]": 0.5}, abs=0.05)


NOBODY: dict[str, dict[str, Any]] = {
    "more samples than anybody has": {"mechanism": "ks", "bound": 1000},
    "the same by a tournament": {"mechanism": "hypothesis-selection", "bound": 1000},
    "items that nobody has": {"mechanism": "recentred", "bound": 10, "keys": [-1, -2, -3]},
    "the same with noise on counts": {"mechanism": "laplace", "keys": list(range(-100, 0))},
}


@pytest.mark.parametrize("how", NOBODY.values(), ids=NOBODY)
def test_if_nobody_is_left_all_shares_are_alike(table: pa.Table, how: dict[str, Any]) -> None:
    release = hc.distribution(table, **{**ASKED, **how})
    share, low, high = columns(release)
    assert share == pytest.approx(1 / len(share))
    assert (low.max(), high.min()) == (0, 1)
    assert "Nothing was learned: too few people have that many samples" in release.summary()


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("rows", [0, 3])
@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_hardly_any_rows(table: pa.Table, how: dict[str, Any], rows: int) -> None:
    release = hc.distribution(table.slice(0, rows), **{**ASKED, **how})
    share, low, high = columns(release)
    assert share.sum() == pytest.approx(1)
    assert ((low <= share) & (share <= high)).all()
    release.summary(), release.explain()


def test_one_item(table: pa.Table) -> None:
    for mechanism in ALL:
        release = hc.distribution(table, **{**ASKED, "keys": [0]}, mechanism=mechanism)
        assert release.table["share"].to_pylist() == [1.0]


def test_it_is_a_release_like_others(table: pa.Table, tmp_path: Path) -> None:
    ledger = hc.Ledger(tmp_path / "words.db", epsilon=1, delta=1e-6)
    asked = {**ASKED, "target": "source", "ledger": ledger}
    release, again = (hc.distribution(hc.table(table, name="words"), **asked) for _ in range(2))
    assert (again.fresh, again.content) == (False, release.content)
    for kind in (".parquet", ".csv", ".json", ".html", ".png", ".svg"):
        assert release.save(tmp_path / f"words{kind}").stat().st_size > 0
    assert hc.load(tmp_path / "words.parquet").table == release.table
    assert "how much people differ" in " ".join(release.explain().split())


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"keys": None}, 'Fix: keys=["apple", "pear"]; if they are not known, a histogram with count="events"'),
    ({"keys": []}, "keys=[]: a list of known items has at least one."),
    ({"bound": "profile"}, "bound='profile': a number, or auto."),
    ({"bound": 0}, "bound=0: a whole number of at least 1 is needed."),
    ({"people": 1, "bound": 10}, "people=1: a whole number of at least 2 is needed."),
    ({"people": "count"}, 'people="count": whatever is needed is counted anyway.'),
    ({"people": 100, "target": "source"}, "people=100: how many have how many samples? Fix: people=100, bound=100"),
    (
        {"bound": 5},
        'bound=5 with target="people": everybody weighs the same, however many rows they have. '
        'Fix: no bound; or target="rows", bound=5 to weigh people by their rows',
    ),
    ({"bound": hc.ChosenBound(share=0.1)}, "share: nothing is chosen that is paid for."),
    ({"target": "person"}, 'Fix: target="people" or target="rows" or target="source"'),
    ({"mechanism": "clipped"}, 'Fix: mechanism="auto", or one of laplace'),
    ({"sizes": "known"}, "sizes='known'"),
    (
        {"sizes": "public", "neighbours": "replace", "people": 9, "bound": 2},
        'people=9 with sizes="public": it follows from the sizes. Fix: no people',
    ),
    ({"sizes": "public"}, 'Fix: sizes="public", neighbours="replace"'),
    ({"mechanism": "sample-one", "bound": 5}, 'bound=5 with mechanism="sample-one": it is 1.'),
    ({"mechanism": "sample-one", "bound": hc.ChosenBound(share=0.1)}, "share: nothing is chosen that is paid for."),
    ({"delta": 0, "mechanism": "recentred"}, 'delta=0: "recentred" needs a delta above 0.'),
    ({"delta": 0, "mechanism": "gaussian"}, 'Fix: delta=1e-6, or mechanism="laplace"'),
    ({"delta": 0, "mechanism": "sparse"}, 'delta=0: "sparse" needs a delta above 0.'),
    ({"delta": 0, "mechanism": "ks"}, "delta=0: how many people there are is counted with Gaussian noise"),
    (
        {"mechanism": "ks", "bound": 10**6, "keys": list(range(100))},
        "too many counts to choose by, more than 67,108,864. Fix: bound=671088",
    ),
    ({"epsilon": None}, "how much may it cost?"),
    ({"epsilon": 1e-6, "bound": 10, "mechanism": "recentred"}, "epsilon: too small for this bound"),
    ({"by": "wrod"}, "did you mean 'word'?"),
]


@pytest.mark.parametrize(("wrong", "said"), MISTAKES, ids=[said[:40] for _, said in MISTAKES])
def test_mistakes(table: pa.Table, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(hc.HeadcountError, match="Fix: ") as caught:
        hc.distribution(table, **{**ASKED, **wrong})
    assert said in str(caught.value)


def test_a_distribution_has_no_target(table: pa.Table) -> None:
    asked = {name: value for name, value in ASKED.items() if name != "epsilon"}
    with pytest.raises(hc.HeadcountError, match=r"target_error: distribution has no such parameter\. Fix: "):
        hc.plan("distribution", table, **asked, target_error=10)
    with pytest.raises(hc.HeadcountError, match="depends on how many people there are"):
        hc.plan("distribution", table, **ASKED, bound=10, mechanism="recentred").error  # noqa: B018
    source = {**ASKED, "target": "source", "bound": 100}
    assert 0.005 < hc.plan("distribution", table, **source, people=5000).error < 0.012
    assert hc.plan("distribution", table, **source, people=2).error > 1
    assert hc.plan("distribution", table, **ASKED, people=5000).error == pytest.approx(WORDS / 5000, rel=0.02)


def test_what_is_wrong_if_a_column_has_no_bins(table: pa.Table) -> None:
    with pytest.raises(hc.HeadcountError, match="keys: those of 'user' are missing"):
        hc.plan("distribution", table, user="word", by=["user", "x"], bins={"x": [0, 1]}, epsilon=1)


@pytest.mark.parametrize("asked", ["auto", "laplace", "ks"])
def test_the_mechanism_is_named(table: pa.Table, asked: Any) -> None:
    named = "recentred" if asked == "auto" else asked
    release = hc.distribution(table, **ASKED, mechanism=asked, target="source")
    assert f'This is the mechanism "{named}".' in " ".join(release.explain().split())


FEW: list[tuple[list[float], int, int]] = [
    ([2 / 3, 1 / 3], 20_000, 100),
    ([0.9, 0.1], 2000, 50),
    ([0.5, 0.3, 0.1, 0.07, 0.03], 5000, 60),
    ([0.9, *[0.1 / 9] * 9], 2000, 50),
]


@pytest.mark.slow(but=["2_1", "10"])
@pytest.mark.parametrize(("shares", "people", "drawn"), FEW, ids=[str(len(case[0])) for case in FEW])
def test_intervals_of_few_items(shares: list[float], people: int, drawn: int) -> None:
    """Where people's distances from the distribution differ most."""
    rng, hold = np.random.default_rng(6), []
    for _ in range(4):
        words = rng.choice(len(shares), people * drawn, p=shares)
        said = pa.table({"user": np.repeat(np.arange(people), drawn), "word": words})
        asked = {**ASKED, "keys": list(range(len(shares)))}
        _, low, high = columns(hc.distribution(said, **asked, target="source", bound=drawn, people=people))
        hold += ((low <= shares) & (high >= shares)).tolist()
    assert np.mean(hold) > 0.7


def test_a_tenth_of_all_people_has_a_word_of_its_own() -> None:
    """It is told about right if there are enough people for the noise."""
    words = np.random.default_rng(7).choice(30, (10_000, 50))
    words[:1000] = 30
    said = pa.table({"user": np.repeat(np.arange(10_000), 50), "word": words.ravel()})
    release = hc.distribution(said, **{**ASKED, "keys": list(range(31))}, target="source", bound=50, people=10_000)
    assert columns(release)[0][30] == pytest.approx(0.1, abs=0.02)


def unlike_people(people: int, seed: int) -> pa.Table:
    """A tenth of all people has ten words of its own; a few have thousands of rows, half have less than 3."""
    rng = np.random.default_rng(seed)
    rows = np.minimum(1 + 2 * rng.pareto(1.0, people), 5000).astype(int)
    words = rng.choice(30, rows.sum(), p=SHARES[:30] / SHARES[:30].sum())
    own = np.repeat(np.arange(people) < people // 10, rows)
    said = np.where(own, 30 + words % 10, words)
    return pa.table({"user": np.repeat(np.arange(people), rows), "word": said})


def true_shares(table: pa.Table, bound: int) -> np.ndarray[Any, Any]:
    """The shares of the table, if at most so many rows of a person count."""
    users, words = table["user"].to_numpy(), table["word"].to_numpy()
    totals = np.bincount(words, np.minimum(bound / np.bincount(users), 1.0)[users], WORDS)
    return np.asarray(totals / totals.sum())


@pytest.mark.parametrize("target", ["people", "rows"])
def test_intervals_hold_what_was_asked_for_if_people_are_unlike(target: Any) -> None:
    """400 intervals, of which 95% should hold: less than 88% have a chance below one in a million."""
    said, hold = unlike_people(3000, 8), []
    for _ in range(10):
        release = hc.distribution(said, **ASKED, target=target)
        true = true_shares(said, 1 if target == "people" else release.about.bound)
        _, low, high = columns(release)
        hold += ((low <= true) & (true <= high)).tolist()
    assert 0.88 < np.mean(hold) < 0.995


def test_everybody_weighs_the_same() -> None:
    """99 people have one row of word 0, and one has a million of word 1."""
    said = pa.table({"user": [*range(99), *[99] * 10**6], "word": [*[0] * 99, *[1] * 10**6]})
    share, _, _ = columns(hc.distribution(said, **{**ASKED, "keys": [0, 1], "epsilon": 10}))
    assert share == pytest.approx([0.99, 0.01], abs=0.02)


SAID = {
    "the distribution of word over people": {},
    "the distribution of word over rows": {"target": "rows"},
    "the distribution of word as if people were alike": {"target": "source"},
}


@pytest.mark.parametrize(("first", "how"), SAID.items(), ids=SAID)
def test_the_first_line_says_what_is_estimated(table: pa.Table, first: str, how: dict[str, Any]) -> None:
    release = hc.distribution(table, **ASKED, **how)
    assert release.summary().startswith(f"{first}, from ")
    assert "Its intervals may miss the latter" not in " ".join(release.explain().split())


@pytest.mark.parametrize(("mechanism", "target"), [("recentred", "people"), ("ks", "rows"), ("sample-one", "rows")])
def test_a_mechanism_for_another_target_says_so(table: pa.Table, mechanism: Any, target: Any) -> None:
    release = hc.distribution(table, **ASKED, mechanism=mechanism, target=target)
    named = "over people" if mechanism == "sample-one" else "as if people were alike"
    assert release.summary().startswith(f"the distribution of word {named}, from ")
    explained = " ".join(release.explain().split())
    assert f'The mechanism "{mechanism}" estimates' in explained
    assert "Its intervals may miss the latter" in explained


def test_a_bound_of_one_says_no_more_than_none(table: pa.Table) -> None:
    assert hc.plan("distribution", table, **ASKED, bound=1) == hc.plan("distribution", table, **ASKED)
