"""`headcount federated plan` and `simulate`, as a user types them."""

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.test_commands import headcount

from headcount.cli import _run
from headcount.cli.federated import EXAMPLES, QUESTIONS, parameters_of

SECURE = "--people 1000 --dropouts 5% --keys 1000 --epsilon 1"
COMMANDS = [(question, each) for question, several in EXAMPLES.items() for each in several]


def run(tmp_path: Path, line: str) -> str:
    """What a command prints."""
    done = headcount("federated", *shlex.split(line), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """What a command refuses, in this process."""
    monkeypatch.chdir(tmp_path)

    def refused(line: str) -> str:
        monkeypatch.setattr(sys, "argv", ["headcount", "federated", *shlex.split(line)])
        with pytest.raises(SystemExit) as stopped:
            _run()
        said = capsys.readouterr()
        assert (stopped.value.code, said.out) == (2, "")
        return said.err

    return refused


@pytest.mark.parametrize(("question", "options"), COMMANDS, ids=[each for _, each in COMMANDS])
def test_examples_run_as_they_are(tmp_path: Path, question: str, options: str) -> None:
    said = run(tmp_path, f"plan {question.replace('_', '-')} {options}")
    assert said.endswith("Nobody was contacted, no data was read, nothing was charged.\n")
    assert max(map(len, said.splitlines())) <= 120


def test_a_plan_of_a_secure_sum_verbatim(tmp_path: Path) -> None:
    said = run(tmp_path, f"plan histogram {SECURE}")
    assert "  masks    each person with 44 others, of whom 30 restore a secret\n" in said
    assert "  sends     sum-masked          1   2,132   2,132   2,132\n" in said
    assert "                     50      950          3 people  3 people\n" in said
    assert "                    100      900  nothing is opened: 950 answers are needed\n" in said


def test_a_plan_for_programs(tmp_path: Path) -> None:
    plain = json.loads(run(tmp_path, f"plan histogram {SECURE} --json"))
    assert (plain["people"], plain["answers"], plain["partners"]) == (1000, 950, 44)
    assert [each["kind"] for each in plain["messages"]][:3] == ["secure-round", "sum-keys", "sum-partners"]
    assert plain["bytes"]["sends"]["least"] < plain["bytes"]["sends"]["mean"] < plain["bytes"]["sends"]["most"]
    assert plain["terms"]["minimum"] == 950


def test_a_list_may_be_typed_or_in_a_file(tmp_path: Path, refusal: Callable[[str], str]) -> None:
    (tmp_path / "items.csv").write_text('blue\n"red, dark"\n')
    for keys in ("--keys blue,'\"red, dark\"'", "--keys-file items.csv"):
        assert "on 2 items" in run(tmp_path, f"plan histogram --people 100 {keys} --epsilon 1")
    (tmp_path / "items.csv").write_text("blue,red\n")
    assert "one item on each line" in refusal("plan histogram --people 100 --keys-file items.csv --epsilon 1")


def test_a_simulation_is_next_to_the_truth(tmp_path: Path) -> None:
    said = run(tmp_path, "simulate histogram --people 30 --dropouts 10% --keys 8 --epsilon 4")
    assert said.startswith("SIMULATION, NOT PRIVATE: MADE-UP PEOPLE, AND EXACT VALUES NEXT TO THE RESULT.\n")
    assert "27 of 30 people answered" in said
    assert "item       truth  count  low  high" in said
    plain = json.loads(run(tmp_path, "simulate histogram --people 2000 --epsilon 4 --json"))
    assert (plain["private"], plain["answered"]) == (False, 2000)
    assert plain["rows"][0]["truth"] > 0


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_simulation_of_a_file_shows_no_value_of_it(tmp_path: Path, kind: str) -> None:
    table = pa.table({"user": [*range(200)] * 2, "song": ["secretsong"] * 200 + ["othersong"] * 200})
    if kind == "csv":
        (tmp_path / "test.csv").write_text(
            "user,song\n" + "".join(f"{row['user']},{row['song']}\n" for row in table.to_pylist()) + "7,\n"
        )
    else:
        pq.write_table(table, tmp_path / "test.parquet")
    line = f"simulate histogram --data test.{kind} --user user --by song --items 2 --epsilon 4"
    for said in (run(tmp_path, line), run(tmp_path, f"{line} --json")):
        assert "song" not in said
    assert "200 of 200 people answered" in run(tmp_path, line)
    assert "No values are shown: they would look like a release" in run(tmp_path, line)
    assert [each.name for each in tmp_path.iterdir()] == [f"test.{kind}"]


def test_numbers_of_a_file(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"user": range(400), "minutes": [float(each) for each in range(400)]}), tmp_path / "t.parquet"
    )
    line = "--data t.parquet --user user --by minutes --range 0..400 --q 0.5 --cells 64 --epsilon 4"
    plain = json.loads(run(tmp_path, f"simulate quantiles {line} --json"))
    assert (plain["values"], plain["unit"]) == (1, "ranks")
    assert plain["error_95"] < 60


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("plan histogram --people 2 --epsilon 1", "--people: a whole number from 3"),
        ("plan histogram --people many --epsilon 1", "--people: a whole number from 3"),
        ("plan histogram --people 100 --dropouts 5 --epsilon 1", "Fix: --dropouts 5%"),
        ("plan histogram --people 100 --epsilon 0", "--epsilon"),
        ("plan histogram --people 100 --keys 10 --honest 2 --epsilon 1", "--honest"),
        ("plan quantiles --people 100 --range 5 --epsilon 1", "--range 5: a lower and an upper end"),
        ("plan heavy-hitters --people 100 --share much --epsilon 1", "Fix: --share 1%"),
        ("plan secure-heavy-hitters --people 100 --share 5% --lengths 9 --epsilon 1", "lengths that rise by less"),
        ("plan secure-heavy-hitters --people 100 --share 5% --alphabet aa --epsilon 1", "alphabet: characters are"),
        ("plan shape --people 100 --way other --epsilon 1", "--way"),
        ("plan histogramm --people 100 --epsilon 1", "did you mean"),
        ("simulate histogram --epsilon 1", "how many people?"),
        ("simulate histogram --data t.csv --epsilon 1", "all of them are needed"),
        ("simulate histogram --data t.csv --user user --by song --people 9 --epsilon 1", "Fix: no people"),
        ("simulate histogram --data t.csv --user user --by song --keys 9 --epsilon 1", "Fix: --keys-file items.csv"),
        ("simulate histogram --data none.csv --user user --by song --epsilon 1", "there is no such file"),
        ("simulate histogram --data t.csv --user who --by song --epsilon 1", "there is no column 'who'"),
        ("simulate histogram --people 10000000 --epsilon 1", "a simulation has at most 200,000"),
    ],
)
def test_bad_input_is_refused_with_what_to_type(
    tmp_path: Path, refusal: Callable[[str], str], line: str, said: str
) -> None:
    (tmp_path / "t.csv").write_text("user,song\n1,a\n2,a\n3,a\n")
    assert said in " ".join(refusal(line).replace("│", " ").split())


def test_a_refusal_as_a_process_of_its_own(tmp_path: Path) -> None:
    done = headcount("federated", "plan", "histogram", "--people", "2", "--epsilon", "1", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("headcount: --people: a whole number from 3")


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_option_has_help(question: str) -> None:
    helps = {name: each.help for name, each in parameters_of(question).items()}
    assert {name: text for name, text in helps.items() if not 0 < len(text) <= 260} == {}


def test_the_help_has_examples(tmp_path: Path) -> None:
    shown = run(tmp_path, "simulate heavy-hitters --help")
    assert "Not private." in shown
    assert "Examples:" in shown
    assert "headcount federated simulate heavy-hitters --data test.csv" in shown
