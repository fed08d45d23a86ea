"""`hc.table`: what belongs to the data is declared once, and every job loses the parameters that it had for it."""

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.test_commands import headcount
from tests.conformance.hostile import JOBS

import headcount as hc
from headcount.errors import BadParameter, DataChanged, HeadcountError, WrongCall
from headcount.jobs.registry import FUNCTIONS
from headcount.noise import KeyedEntropy

PROMISE = "each row belongs to one person"
ROWS = pa.table({"user": range(600), "word": [["a", "b", "c"][number % 3] for number in range(600)]})
ITEM: dict[str, Any] = {"user": "user", "by": "word", "epsilon": 1}
FORMER: dict[str, tuple[Any, str]] = {
    "dataset": ("plays", 'dataset="plays": it belongs to the data. Fix: hc.table(data, name="plays")'),
    "name": ("plays", 'name="plays": it belongs to the data. Fix: hc.table(data, name="plays")'),
    "promise": (PROMISE, f'promise="{PROMISE}": it belongs to the data. Fix: hc.table(data, promise="{PROMISE}")'),
    "memory": ("4GB", 'memory="4GB": it belongs to the data. Fix: hc.table(data, memory="4GB")'),
    "spill": ("/tmp", 'spill="/tmp": it belongs to the data. Fix: hc.table(data, spill="/tmp")'),
    "again": (
        True,
        'again=True: it belongs to the release. Fix: hc.plan("{job}", ...).release(ledger=ledger, again=True)',
    ),
}
"""Former parameters of every job: a value, and what is said of it."""


@pytest.fixture
def ledger(tmp_path: Path) -> hc.Ledger:
    return hc.Ledger(tmp_path / "words.db", epsilon=10, delta=1e-3)


@pytest.mark.every_case
@pytest.mark.parametrize("former", FORMER)
@pytest.mark.parametrize("job", JOBS)
def test_a_former_parameter_is_refused_with_the_line_to_write(job: str, former: str) -> None:
    value, message = FORMER[former]
    for call in (partial(FUNCTIONS[job], ROWS), partial(hc.plan, job, ROWS)):
        with pytest.raises(BadParameter) as refused:
            call(**JOBS[job], **{former: value})
        assert str(refused.value) == message.replace("{job}", job)


def test_several_former_parameters_are_one_line() -> None:
    with pytest.raises(BadParameter) as refused:
        hc.histogram(ROWS, **{**ITEM, "dataset": "plays", "memory": 10**9})
    assert refused.value.fix == 'hc.table(data, name="plays", memory=1000000000)'


@pytest.mark.parametrize("former", FORMER)
def test_what_a_former_parameter_was_by_default_is_left_out(former: str) -> None:
    for value in (None, False):
        with pytest.raises(BadParameter, match=rf"no parameter any more\. Fix: no {former}$"):
            hc.histogram(ROWS, **{**ITEM, former: value})


@pytest.mark.parametrize("job", JOBS)
def test_a_former_parameter_of_any_size_is_refused_in_words(job: str) -> None:
    for former in FORMER:
        for value in (10**5000, "x" * 5000, b"x", ["x"], ROWS):
            with pytest.raises(
                BadParameter, match=rf"^{former}=.*: it belongs to the (data|release)\. Fix: hc\."
            ) as no:
                FUNCTIONS[job](ROWS, **{former: value})
            assert len(str(no.value)) < 900


KINDS: dict[str, Callable[[Path], Any]] = {
    "pyarrow": lambda folder: ROWS,
    "pandas": lambda folder: ROWS.to_pandas(),
    "polars": lambda folder: pl.from_arrow(ROWS),
    "path": lambda folder: _written(folder / "any.parquet"),
    "paths": lambda folder: [str(_written(folder / "any.parquet"))],
    "DuckDB": lambda folder: _connected().table("words"),
    "Ibis": lambda folder: ibis.duckdb.from_connection(_connected()).table("words"),
    "hc.view": lambda folder: hc.view(ibis.duckdb.from_connection(_connected()).table("words"), user="user"),
    "hc.tables": lambda folder: hc.tables({"words": _written(folder / "any.parquet")}, user="user").words,
}


def _written(path: Path) -> Path:
    pq.write_table(ROWS, path)
    return path


def _connected() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.register("given", ROWS)
    connection.execute("CREATE TABLE words AS SELECT * FROM given")
    return connection


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_is_all_that_differs(kind: str, tmp_path: Path) -> None:
    """Request and bytes are those of the same data without a name, but for the name."""
    data = KINDS[kind](tmp_path)
    plain, named = hc.plan("histogram", data, **ITEM), hc.plan("histogram", hc.table(data, name="plays"), **ITEM)
    assert named.dataset == "plays"
    assert named.to_json() == plain.to_json().replace(f'"dataset":"{plain.dataset}"', '"dataset":"plays"')
    releases = [plan.release(entropy=KeyedEntropy(bytes(range(32)))) for plan in (plain, named)]
    assert releases[0].table == releases[1].table
    assert releases[1].about.dataset == "plays"


@pytest.mark.parametrize("kind", KINDS)
def test_a_ledger_knows_the_request_by_its_name(kind: str, tmp_path: Path, ledger: hc.Ledger) -> None:
    data = hc.table(KINDS[kind](tmp_path), name="words")
    first, second = (hc.histogram(data, **ITEM, ledger=ledger) for _ in range(2))
    assert (first.fresh, second.fresh, second.content) == (True, False, first.content)
    assert [spend.dataset for spend in ledger.spends()] == ["words"]


def test_a_table_without_anything_declared_is_its_data(tmp_path: Path) -> None:
    path = _written(tmp_path / "words.parquet")
    assert hc.plan("histogram", hc.table(path), **ITEM).to_json() == hc.plan("histogram", path, **ITEM).to_json()


def test_several_tables_have_one_name(tmp_path: Path) -> None:
    view = hc.tables({"words": _written(tmp_path / "words.parquet")}, user="user", name="texts").words
    assert hc.plan("histogram", view, **ITEM).dataset == "texts"
    with pytest.raises(BadParameter, match="the tables are called 'texts'"):
        hc.plan("histogram", hc.table(view, name="plays"), **ITEM)
    assert hc.plan("histogram", hc.table(view, memory=None), **ITEM).dataset == "texts"


def test_limits_are_those_of_the_run_and_no_part_of_the_request(tmp_path: Path) -> None:
    limited = hc.plan("histogram", hc.table(ROWS, memory="1GB", spill=tmp_path), **ITEM)
    assert (limited.limits.memory, limited.limits.spill) == (10**9, str(tmp_path))
    assert limited.to_json() == hc.plan("histogram", ROWS, **ITEM).to_json()


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no name": ({"name": ""}, "name='': a text is needed. Fix: name=\"visits\""),
    "spaces": ({"name": "  "}, "name='  ': a text is needed."),
    "a number": ({"name": 20240506}, 'name=20240506: a text is needed. Fix: name="20240506"'),
    "true": ({"name": True}, 'name=True: a text is needed. Fix: name="visits"'),
    "a list": ({"name": ["a"]}, "name=['a']: a text is needed. Fix: name=\"visits\""),
    "a long name": ({"name": "x" * 501}, 'name: 501 characters; at most 500 are kept. Fix: name="visits"'),
    "two lines": ({"name": "a\nb"}, "name='a\\nb': one line without control characters."),
    "a huge number": ({"name": 10**5000}, "name: a value that cannot be written down."),
    "memory": ({"memory": "lots"}, "memory='lots': not an amount of memory. Fix: memory=\"4GB\""),
    "little memory": ({"memory": 3}, "memory=3: at least 50MB"),
    "spill": ({"spill": "nowhere"}, "spill='nowhere': there is no such folder."),
    "a long spill": ({"spill": "x" * 5000}, f"spill='{'x' * 113}…"),
    "promise": ({"promise": "trust me"}, "promise='trust me': not the sentence that is needed. Fix: hc.table(data, p"),
    "its name before": ({"dataset": "plays"}, "dataset: table has no such parameter. Fix: did you mean name='plays'?"),
    "near": ({"memry": "1GB"}, "memry: table has no such parameter. Fix: did you mean memory='1GB'?"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_meant_is_refused_in_the_line_that_has_it(name: str) -> None:
    """Before any job is asked, so that nothing is charged; and before a file is looked for."""
    arguments, message = WRONG[name]
    with pytest.raises(HeadcountError) as refused:
        hc.table("nowhere.parquet", **arguments)
    assert str(refused.value).startswith(message)
    assert len(str(refused.value)) < 900


def test_a_name_needs_its_parameter() -> None:
    with pytest.raises(WrongCall, match=r"table: arguments after data have names\. Fix: name='plays'"):
        hc.table(ROWS, "plays")  # type: ignore[call-arg]


def test_a_table_of_a_table_is_refused() -> None:
    with pytest.raises(
        BadParameter, match=r"^data=Table\(Table, name='plays'\): it is from hc\.table already\. Fix: one"
    ):
        hc.table(hc.table(ROWS, name="plays"), memory="1GB")


@pytest.mark.parametrize("data", [5, None, {"user": [1]}, "nowhere.parquet"])
def test_what_is_no_table_is_refused_as_without_it(data: Any) -> None:
    told = []
    for given in (data, hc.table(data, name="words")):
        with pytest.raises(HeadcountError) as refused:
            hc.histogram(given, **ITEM)
        told.append(str(refused.value))
    assert told[0] == told[1]


def test_no_data_are_shown(tmp_path: Path) -> None:
    frame = pd.DataFrame({"user": ["Ada Lovelace"], "word": ["secret"]})
    table = hc.table(frame, name="plays", promise=PROMISE.upper(), memory="1GB", spill=tmp_path)
    assert repr(table) == (
        f"Table(DataFrame, name='plays', promise='{PROMISE}', memory=1000000000, spill={str(tmp_path)!r})"
    )
    assert repr(hc.table(frame)) == str(hc.table(frame)) == "Table(DataFrame)"
    with pytest.raises(AttributeError):
        table.name = "others"  # type: ignore[misc]


def test_a_promise_about_a_query() -> None:
    query = _connected().sql("SELECT DISTINCT * FROM words")
    with pytest.raises(HeadcountError, match=r"or, if you know that it is so, hc\.table\(data, promise=\"each row"):
        hc.plan("histogram", query, **ITEM)
    assert hc.plan("histogram", hc.table(query, promise=PROMISE), **ITEM).promise == PROMISE


def test_a_plan_that_came_from_text_takes_it(tmp_path: Path, ledger: hc.Ledger) -> None:
    plan = hc.Plan.from_json(hc.plan("histogram", hc.table(ROWS, name="words"), **ITEM).to_json())
    limited = hc.table(ROWS, name="words", memory="1GB", spill=tmp_path)
    assert plan.source(limited).limits.memory == 10**9
    first = plan.release(limited, ledger=ledger)
    assert plan.release(hc.table(ROWS), ledger=ledger).content == plan.release(ROWS, ledger=ledger).content
    assert first.about.dataset == "words"
    with pytest.raises(BadParameter, match=r"^name='plays': the plan is about 'words'\. Fix: make it again: hc\.plan"):
        plan.release(hc.table(ROWS, name="plays"), ledger=ledger)
    with pytest.raises(BadParameter, match="this plan came from text: it needs its data"):
        plan.release(hc.table(None))


def test_limits_of_a_plan_that_came_from_text_are_not_for_another_engine() -> None:
    plan = hc.Plan.from_json(hc.plan("histogram", ROWS, **ITEM).to_json())
    with pytest.raises(BadParameter, match=r"^memory: the table is on an engine of your own\."):
        plan.release(hc.table(_connected().table("words"), memory="1GB"))


def test_a_simulation_takes_it() -> None:
    found = hc.simulate("histogram", hc.table(ROWS, name="words"), **ITEM, runs=1)
    assert len(found.table)


def test_the_way_out_of_changed_data_is_a_line_that_works(ledger: hc.Ledger) -> None:
    """One-liners have no `again`: the message names the plan."""
    first = hc.histogram(hc.table(ROWS, name="words"), **ITEM, ledger=ledger)
    changed = hc.table(ROWS.slice(1), name="words")
    with pytest.raises(DataChanged) as refused:
        hc.histogram(changed, **ITEM, ledger=ledger)
    assert refused.value.fix.startswith(
        "hc.plan(...).release(ledger=ledger, again=True) pays for a release of the data"
    )
    assert 'a name of their own: hc.table(data, name="visits-May")' in refused.value.fix
    anew = hc.plan("histogram", changed, **ITEM).release(ledger=ledger, again=True)
    assert (anew.fresh, anew.content == first.content) == (True, False)
    assert hc.histogram(hc.table(ROWS.slice(1), name="words-June"), **ITEM, ledger=ledger).fresh


@pytest.mark.parametrize("typed", ["data", "dataset", "Table", "tabel"])
def test_names_that_are_near_lead_to_it(typed: str) -> None:
    with pytest.raises(AttributeError, match=r"hc\.table"):
        getattr(hc, typed)


def test_a_signature_says_the_whole_of_it() -> None:
    assert str(inspect.signature(hc.table)).startswith("(data: Any, *, name: str | None = None, promise: ")


COMMANDS: dict[str, tuple[tuple[str, ...], str]] = {
    "name": (("--dataset", " "), "--dataset ' ': a text is needed. Fix: --dataset visits"),
    "memory": (("--memory", "lots"), "--memory lots: not an amount of memory. Fix: --memory 4GB, --memory 512MB"),
    "spill": (("--spill", "nowhere"), "--spill nowhere: there is no such folder. Fix: --spill /var/tmp, or make it"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_keeps_its_options_and_their_words(name: str, tmp_path: Path) -> None:
    options, message = COMMANDS[name]
    asked = ("--user", "user", "--by", "word", "--epsilon", "1")
    refused = headcount("histogram", "nowhere.csv", *asked, *options, cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"headcount: {message}")


def test_a_command_says_its_own_ways_out_of_changed_data(tmp_path: Path) -> None:
    _written(tmp_path / "words.parquet")
    asked = ("words.parquet", "--user", "user", "--by", "word", "--epsilon", "1", "--ledger", "l.db")
    hc.Ledger(tmp_path / "l.db", epsilon=9, delta=1e-3)
    assert headcount("histogram", *asked, cwd=tmp_path).returncode == 0
    pq.write_table(ROWS.slice(1), tmp_path / "words.parquet")
    refused = headcount("histogram", *asked, cwd=tmp_path)
    assert refused.returncode == 4
    assert "Fix: --again pays for a release of the data as they are now" in refused.stderr
    assert "a name of their own: --dataset visits-May" in refused.stderr
    assert "hc." not in refused.stderr
    assert headcount("histogram", *asked, "--again", cwd=tmp_path).returncode == 0
    assert headcount("histogram", *asked, "--dataset", "words-June", cwd=tmp_path).returncode == 0
