"""Every mistake of a newcomer: the whole message, before any row is read, with nothing spent."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headcount as hc
from headcount import papers
from headcount.errors import BudgetExceeded, HeadcountError
from headcount.source import events

TABLE = pa.table({"user_id": [1, 2], "word": ["a", "b"], "price": [1.5, 2.5], "tags": [["x"], ["y"]]})
GOOD: dict[str, Any] = {"user": "user_id", "by": "word", "epsilon": 1, "bound": 20}

NO_BOUND = (
    "bound={}: a whole number of at least 1 is needed. "
    'Fix: bound=20, the most that one person may contribute, or bound="auto"'
)
NO_SHARE = "share={}: choosing the bound takes a part of epsilon, more than none and less than all. Fix: share=0.05"
NO_GRID = "{} Fix: grid=[1, 2, 5, 10, 20], the bounds to choose from"

MISTAKES: list[tuple[dict[str, Any], str]] = [
    (
        {"user": "usr_id"},
        "there is no column 'usr_id'. Fix: did you mean 'user_id'? There are user_id, word, price, tags",
    ),
    ({"by": "Word"}, "there is no column 'Word'. Fix: did you mean 'word'? There are user_id, word, price, tags"),
    ({"by": "zzz"}, "there is no column 'zzz'. Fix: one of user_id, word, price, tags"),
    ({"epsilon": 0}, "epsilon=0: it must be above 0. Fix: epsilon=1"),
    ({"epsilon": -1}, "epsilon=-1: it must be above 0. Fix: epsilon=1"),
    ({"epsilon": float("nan")}, "epsilon=nan: a finite number is needed. Fix: epsilon=1"),
    ({"epsilon": float("inf")}, "epsilon=inf: a finite number is needed. Fix: epsilon=1"),
    ({"epsilon": "much"}, "epsilon='much': a finite number is needed. Fix: epsilon=1"),
    ({"epsilon": 1e5}, "epsilon=100000.0: it lies between 0.000001 and 100. Fix: epsilon=1"),
    ({"epsilon": None}, "how much may it cost? Fix: epsilon=1, or target_error=10"),
    ({"target_error": 5}, "epsilon and target_error: only one of them. Fix: target_error=10 finds the epsilon"),
    (
        {"epsilon": None, "target_error": 0},
        "target_error=0: it must be above 0. Fix: target_error=10",
    ),
    ({"delta": -1}, "delta=-1: it lies between 0 and 1. Fix: delta=1e-6"),
    ({"delta": 1}, "delta=1: it lies between 0 and 1. Fix: delta=1e-6"),
    (
        {"delta": 0},
        "delta=0: items that are not known in advance need a delta above 0. "
        'Fix: delta=1e-6, or the list of items: keys=["apple", "pear"]',
    ),
    (
        {"bound": 0},
        "bound=0: a whole number of at least 1 is needed. "
        'Fix: bound=20, the most that one person may contribute, or bound="auto"',
    ),
    (
        {"bound": 2.5},
        "bound=2.5: a whole number of at least 1 is needed. "
        'Fix: bound=20, the most that one person may contribute, or bound="auto"',
    ),
    ({"bound": 10**7}, 'bound=10000000: at most 1,000,000. Fix: bound=20, or bound="auto"'),
    (
        {"bound": "many"},
        "bound='many': neither a number nor a name. Fix: bound=20, or bound=\"auto\" (or one of profile, generalized)",
    ),
    ({"bound": None}, NO_BOUND.format("None")),
    ({"bound": True}, NO_BOUND.format("True")),
    ({"share": 0.1}, "share: an option of ChosenBound. Fix: bound=hc.ChosenBound(share=0.1)"),
    ({"grid": [1, 2]}, "grid: an option of ChosenBound. Fix: bound=hc.ChosenBound(grid=[1, 2])"),
    ({"variant": "rogers"}, 'variant: an option of CountRelease. Fix: mechanism=hc.CountRelease(variant="rogers")'),
    ({"mechanism": "plume"}, 'mechanism="plume": it is in headcount.papers. Fix: mechanism=papers.Plume()'),
    ({"bound": "dp-sgd"}, 'bound="dp-sgd": it is in headcount.papers. Fix: bound=papers.DpSgd()'),
    (
        {"mechanism": hc.SampleSearch(theta=20)},
        "mechanism=hc.SampleSearch(theta=20): histogram does not take it. "
        "Fix: one of hc.Weighted, hc.CountRelease, hc.SampleThreshold",
    ),
    (
        {"mechanism": hc.Weighted(share=0.1), "bound": hc.ChosenBound(share=0.2)},
        "share: given twice. Fix: no share in mechanism",
    ),
    (
        {"bound": hc.ChosenBound(grid=[1, 2])},
        'grid: these bounds follow from a profile. Fix: no grid, or mechanism="thresholded"',
    ),
    (
        {"bound": papers.Quantile()},
        'bound="quantile" is for items known in advance. Fix: bound="auto", or keys=["apple", "pear"]',
    ),
    (
        {"bound": papers.Exponential(), "keys": ["a"]},
        'bound="exponential" is for items not known in advance. Fix: bound="auto", or no keys and bins',
    ),
    (
        {"bound": "profile", "mechanism": "thresholded"},
        "bound='profile' with mechanism=\"thresholded\": it is for counts that are scaled. "
        'Fix: bound="auto", or bound=20',
    ),
    (
        {"bound": papers.Exponential(), "mechanism": "weighted"},
        'bound=\'exponential\' with mechanism="weighted": a private profile tells it. Fix: bound="auto", or bound=20',
    ),
    (
        {"mechanism": "weighted", "keys": ["a"]},
        'mechanism="weighted" is for items not known in advance. Fix: no keys and bins, or mechanism="clipped"',
    ),
    (
        {"mechanism": "joint", "bound": 20},
        'bound=20 with mechanism="joint": a private profile tells it. Fix: bound="auto"',
    ),
    (
        {"mechanism": "joint", "count": "events"},
        'mechanism="joint" counts people. Fix: count="users", or mechanism="auto"',
    ),
    (
        {"mechanism": "rounds", "keys": ["a"]},
        'mechanism="rounds" is for items not known in advance. Fix: no keys and bins, or mechanism="clipped"',
    ),
    (
        {"mechanism": "rounds", "count": "events"},
        'mechanism="rounds" counts people. Fix: count="users", or mechanism="auto"',
    ),
    (
        {"mechanism": "rounds", "bound": "profile"},
        'bound=\'profile\' with mechanism="rounds": nothing is chosen. Fix: bound="auto", or bound=20',
    ),
    (
        {"mechanism": "rounds", "bound": 20_000},
        'bound=20000 with mechanism="rounds": at most 10,000. Fix: bound=20',
    ),
    (
        {"mechanism": "rounds", "bound": hc.ChosenBound(share=0.1)},
        'share with mechanism="rounds": nothing is chosen. Fix: no share',
    ),
    (
        {"mechanism": "rounds", "debias": None},
        'debias=None with mechanism="rounds": counts are measured afterwards. Fix: no debias',
    ),
    (
        {"mechanism": "rounds", "bound": 20, "epsilon": None, "target_error": 10},
        'target_error=10 with mechanism="rounds": the error depends on the bound. '
        "Fix: target_error=10, bound=20, or epsilon=1",
    ),
    (
        {"debias": "poisson"},
        'debias="poisson" is for events of items known in advance. '
        'Fix: count="events", keys=["apple", "pear"], or debias="auto"',
    ),
    (
        {"debias": "poisson", "keys": ["a"], "count": "events"},
        'debias="poisson" needs to know how many people there are. '
        'Fix: debias=hc.PoissonCounts(people=100000) if that is public, or people="count" to pay for it',
    ),
    (
        {"bound": papers.DpSgd(), "keys": ["a"], "delta": 0},
        'delta=0: bound="dp-sgd" is for Gaussian noise. Fix: delta=1e-6, or bound="auto"',
    ),
    (
        {"bound": papers.DpSgd(), "keys": ["a"], "count": "events", "debias": hc.PoissonCounts(people=9)},
        'debias="poisson" is about sums, and bound="dp-sgd" about squares. Fix: bound="auto"',
    ),
    ({"people": 10}, "people: an option of PoissonCounts. Fix: debias=hc.PoissonCounts(people=10)"),
    (
        {"debias": "ratio"},
        'debias="ratio" is for counts that are scaled. Fix: mechanism="weighted", or debias="auto"',
    ),
    (
        {"debias": "much"},
        'debias=\'much\': unknown. Fix: debias="auto" or debias="ratio" or '
        "debias=hc.PoissonCounts(people=100000) or debias=None",
    ),
    (
        {"bound": "auto", "epsilon": None, "target_error": 10},
        'target_error=10 with bound="auto": the error depends on the bound. '
        "Fix: target_error=10, bound=20, or epsilon=1",
    ),
    ({"keys": []}, 'keys=[]: a list of known items has at least one. Fix: keys=["apple", "pear"], or no keys'),
    ({"keys": "apple"}, 'keys=\'apple\': a list of items. Fix: keys=["apple", "pear"]'),
    ({"keys": ["a", "a"]}, "keys: 'a' is listed twice. Fix: each item once"),
    ({"keys": [None]}, 'keys: column \'word\' holds string, the keys do not. Fix: keys=["apple", "pear"]'),
    ({"keys": [("a", 1)]}, "keys: an item has one part for each of word. Fix: keys=[(word 1), ...]"),
    ({"by": "price", "bins": [3, 2, 1]}, "bins=[3, 2, 1]: edges must rise. Fix: bins=[1, 2, 3]"),
    ({"by": "price", "bins": [1, 1]}, "bins=[1, 1]: edges must rise. Fix: bins=[0, 10, 100]"),
    ({"by": "price", "bins": [1]}, "bins=[1]: at least two edges are needed. Fix: bins=[0, 10, 100]"),
    (
        {"by": "price", "bins": [0, "x"]},
        "bins=[0, 'x']: numbers, or dates without a time zone. "
        'Fix: bins=[0, 10, 100] or bins=["2024-01-01", "2024-02-01"]',
    ),
    (
        {"by": "price", "bins": [None, 3]},
        "bins=[None, 3]: numbers, or dates without a time zone. "
        'Fix: bins=[0, 10, 100] or bins=["2024-01-01", "2024-02-01"]',
    ),
    ({"by": "price", "bins": 5}, "bins=5: a list of edges. Fix: bins=[0, 10, 100]"),
    ({"by": None}, 'by=None: which column makes an item? Fix: by="word"'),
    (
        {"by": "price", "bins": ["2024-01-01", "2024-02-01"]},
        "column 'price' holds float64, and bins cut dates. Fix: bins of the column's kind",
    ),
    (
        {"bins": {"price": [1, 2]}},
        "bins: 'price' is not a column of by. Fix: bins={'word': [0, 10, 100]}",
    ),
    ({"by": ["word", "price"], "bins": [1, 2]}, "bins: which column? Fix: bins={'word': [0, 10, 100]}"),
    (
        {"by": "price", "bins": [1, 2], "keys": ["a"]},
        "keys and bins of 'price': only one of them. Fix: no keys, or no bins",
    ),
    (
        {"by": "price"},
        "column 'price' holds float64: numbers with a fraction are rarely equal. "
        "Fix: bins=[0, 10, 100], or a column of whole numbers",
    ),
    ({"by": "tags"}, "column 'tags' holds array<string>: not an item. Fix: numbers, text or dates"),
    ({"user": "tags"}, "column 'tags' holds array<string>: not a person's id. Fix: numbers or text"),
    (
        {"user": "word"},
        "user='word' and by='word' are the same column: every person would be an item. Fix: user='word', by=\"word\"",
    ),
    ({"by": "certain"}, "by='certain': the release has a column of that name. Fix: give the column another name"),
    ({"by": ["word", "word"]}, "by=['word', 'word']: 'word' is listed twice. Fix: by=[\"city\", \"year\"]"),
    ({"by": []}, 'by=[]: names of columns. Fix: by="word", or by=["city", "year"]'),
    ({"by": "count"}, "by='count': the release has a column of that name. Fix: give the column another name"),
    ({"count": "people"}, 'count=\'people\': unknown. Fix: count="users" or count="events"'),
    (
        {"mechanism": "laplace"},
        "mechanism='laplace': unknown. Fix: mechanism=\"auto\", or one of clipped, correlated, thresholded, joint, "
        "weighted, rounds, count-release, sample-threshold",
    ),
    (
        {"mechanism": "correlated", "keys": ["a"], "bound": "auto", "neighbours": "replace"},
        'mechanism="correlated" with neighbours="replace": a common number hides nobody who is replaced. '
        'Fix: mechanism="auto", or neighbours="add-remove"',
    ),
    (
        {"mechanism": "correlated", "keys": ["a"], "count": "events"},
        'mechanism="correlated" counts people. Fix: count="users", or mechanism="auto"',
    ),
    (
        {"mechanism": "correlated", "keys": ["a"], "bound": 2},
        'bound=2 with mechanism="correlated": it needs no bound. Fix: bound="auto"',
    ),
    (
        {"mechanism": "correlated", "keys": ["a"], "sum": "price", "bound": "auto"},
        'bound="auto" with sum and mechanism="correlated": a person\'s amount for one item is cut at a number. '
        'Fix: bound=50, the most that it may count, or mechanism="auto", which chooses a bound',
    ),
    (
        {"mechanism": "correlated", "keys": ["a"], "sum": "price", "bound": 5, "neighbours": "replace"},
        'mechanism="correlated" with neighbours="replace": a common number hides nobody who is replaced. '
        'Fix: mechanism="auto", or neighbours="add-remove"',
    ),
    (
        {"mechanism": "correlated", "sum": "price", "bound": 5},
        'mechanism="correlated" is for items known in advance. Fix: keys=["apple", "pear"], or mechanism="auto"',
    ),
    (
        {"mechanism": "clipped", "keys": ["a"], "bound": "profile"},
        'bound=\'profile\' with mechanism="clipped": counts are measured twice. Fix: bound="auto", or bound=20',
    ),
    (
        {"keys": ["a"], "bound": "profile", "delta": 0},
        'delta=0: bound="profile" is for Gaussian noise. Fix: delta=1e-6, or bound="auto"',
    ),
    (
        {"mechanism": "clipped"},
        'mechanism="clipped" is for items known in advance. Fix: keys=["apple", "pear"], or mechanism="auto"',
    ),
    (
        {"mechanism": "thresholded", "keys": ["a"]},
        'mechanism="thresholded" is for items not known in advance. Fix: no keys and bins, or mechanism="clipped"',
    ),
    (
        {"neighbours": "swap"},
        'neighbours=\'swap\': unknown. Fix: neighbours="add-remove" or neighbours="replace"',
    ),
]


WRONG_OPTIONS: list[tuple[Any, dict[str, Any], str]] = [
    (hc.ChosenBound, {"share": 0}, NO_SHARE.format("0")),
    (hc.ChosenBound, {"share": 1}, NO_SHARE.format("1")),
    (hc.ChosenBound, {"share": 2.5}, NO_SHARE.format("2.5")),
    (hc.ChosenBound, {"share": "half"}, "share='half': a finite number is needed. Fix: share=0.05"),
    (hc.ChosenBound, {"grid": []}, NO_GRID.format("grid=[]: at least one bound, rising, up to 1,000,000.")),
    (papers.Quantile, {"grid": [5, 2]}, NO_GRID.format("grid=[5, 2]: at least one bound, rising, up to 1,000,000.")),
    (hc.ChosenBound, {"grid": 5}, NO_GRID.format("grid=5: a list of bounds.")),
    (hc.ChosenBound, {"grid": [0]}, NO_GRID.format("grid=0: a whole number of at least 1 is needed.")),
    (
        hc.ChosenBound,
        {"way": "dp-sgd"},
        'way=\'dp-sgd\': unknown. Fix: way="auto" or way="profile" or way="generalized"',
    ),
    (
        hc.PoissonCounts,
        {"people": 0},
        "people=0: a whole number of at least 1 is needed. "
        'Fix: people=100000 if that is public, or people="count" to pay for it',
    ),
    (
        hc.PoissonCounts,
        {},
        'PoissonCounts: people is missing. Fix: people=100000 if that is public, or people="count" to pay for it',
    ),
    (hc.CountRelease, {"kbr": 5}, "kbr: CountRelease has no such parameter. Fix: did you mean kbar=5?"),
]


@pytest.mark.parametrize(("kind", "wrong", "message"), WRONG_OPTIONS)
def test_a_wrong_option_is_refused_where_it_is_typed(kind: Any, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(HeadcountError) as refused:
        kind(**wrong)
    assert str(refused.value) == message


def test_an_option_has_a_name() -> None:
    with pytest.raises(HeadcountError, match=r"CountRelease: arguments have names. Fix: variant='rogers'"):
        hc.CountRelease("rogers")  # type: ignore[call-arg]


@pytest.fixture
def ledger(tmp_path: Path) -> hc.Ledger:
    return hc.Ledger(tmp_path / "visits.db", epsilon=3, delta=1e-5)


@pytest.fixture(autouse=True)
def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """No row may be read: opening a table for its rows fails the test."""

    def read(*arguments: object) -> None:
        raise AssertionError("rows were read")

    monkeypatch.setattr("headcount.source.frames.frames.Wrapped.loaded", read)


@pytest.mark.parametrize(("wrong", "message"), MISTAKES, ids=[message[:60] for _, message in MISTAKES])
def test_mistakes(ledger: hc.Ledger, wrong: dict[str, Any], message: str) -> None:
    of_types = "tags" in str(wrong) or "holds float64" in message  # pandas has none of its own
    for data in (TABLE,) if of_types else (TABLE, TABLE.to_pandas()):
        with pytest.raises(HeadcountError) as refused:
            hc.histogram(data, **{**GOOD, **wrong}, ledger=ledger)
        assert str(refused.value) == message
        assert refused.value.exit_code == 2
    assert ledger.spent.epsilon == 0


MISSING = "there is no such file. Fix: the path of a file, or a pattern such as logs/*.csv"
TELLING = "Fix: a file whose name tells what it is"
UNNAMED = "its first line does not give each column a name of its own. Fix: a first line such as user_id,word"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.parquet", None, f"none.parquet: {MISSING}"),
        ("x*.csv", None, f"x*.csv: {MISSING}"),
        ("text.parquet", b"text", f"text.parquet: not a table that can be read as .parquet. {TELLING}"),
        ("image.png", b"png", "image.png: not a table. Fix: a file that ends in .parquet, .csv, .tsv, .jsonl, .ndjson"),
        ("empty.csv", b"", f"empty.csv: {UNNAMED}"),
        ("twice.csv", b"a,a\n1,2\n", f"twice.csv: {UNNAMED}"),
    ],
)
def test_files_that_are_no_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes | None, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path(name).write_bytes(content)
    with pytest.raises(HeadcountError) as refused:
        hc.histogram(name, **GOOD)
    assert str(refused.value) == message


def test_a_folder_and_things_that_are_no_tables(tmp_path: Path) -> None:
    with pytest.raises(HeadcountError, match=r"a folder, not a table. Fix: \".*/\*.parquet\""):
        hc.histogram(tmp_path, **GOOD)
    for thing in (5, None, len):
        with pytest.raises(HeadcountError) as refused:
            hc.histogram(thing, **GOOD)
        assert str(refused.value) == f"data={type(thing).__name__}: not a table. Fix: {events.KINDS}"


def test_files_with_different_headers(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("user_id,word\n1,a\n")
    (tmp_path / "2.csv").write_text("word,user_id\na,1\n")
    with pytest.raises(HeadcountError) as refused:
        hc.histogram(str(tmp_path / "*.csv"), **GOOD)
    assert str(refused.value) == (
        "the files do not have the same header. Fix: files with the same columns in the same order"
    )


def test_two_columns_of_one_name() -> None:
    twice = pa.table([[1], [2], ["a"]], names=["user_id", "user_id", "word"])
    with pytest.raises(HeadcountError) as refused:
        hc.histogram(twice, **GOOD)
    assert str(refused.value) == "there are two columns 'user_id'. Fix: give them different names"


def test_unknown_jobs() -> None:
    with pytest.raises(HeadcountError) as refused:
        hc.plan("median", TABLE, **GOOD)
    assert str(refused.value) == (
        "plan('median', ...): unknown. Fix: One of histogram, aggregate, top, heavy_hitters, quantiles, ranges, shape, "
        "distribution, profile, total"
    )


def test_an_exhausted_budget(ledger: hc.Ledger) -> None:
    with pytest.raises(HeadcountError) as refused:
        hc.histogram(hc.table(TABLE, name="visits"), **{**GOOD, "epsilon": 5}, ledger=ledger)
    assert str(refused.value) == (
        "this release costs epsilon=5, delta=0.000001; the ledger has epsilon=3, delta=0.00001 left. "
        "Nothing was spent. Fix: epsilon=3, delta=0.000001 would fit"
    )
    assert refused.value.exit_code == 3
    assert ledger.spent.epsilon == 0


def test_datasets_about_the_same_people_share_a_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    ledger = hc.Ledger(tmp_path / "visits.db", epsilon=3, delta=1e-5)
    for name in ("monday", "tuesday", "wednesday"):
        pq.write_table(TABLE.select(["user_id", "word"]), tmp_path / f"{name}.parquet")
        assert hc.histogram(tmp_path / f"{name}.parquet", **GOOD, ledger=ledger).fresh
    assert [spend.dataset for spend in ledger.spends()] == [
        "monday.parquet",
        "tuesday.parquet",
        "wednesday.parquet",
    ]
    with pytest.raises(BudgetExceeded):
        hc.histogram(hc.table(tmp_path / "monday.parquet", name="thursday"), **GOOD, ledger=ledger)
