"""Several tables on the command line: a view of them in a Python file, checked before a row is read."""

import json
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headcount as hc
from headcount.cli import _run
from headcount.source.views.tables import Tables

PEOPLE = 3000
VIEW = """
def view(tables):
    drugs = tables.drug_era.join(tables.person, "person_id")
    return drugs.left_join(tables.concept, "concept_id")
"""
OPTIONS = ("--user", "person_id", "--by", "class", "--by", "gender", "--epsilon", "1")
PRIVATE = ("--table", "person=person.parquet", "--table", "drug_era=drug_era.parquet")
TABLES = (*PRIVATE, "--public", "concept=concept.parquet")
EXAMPLE = "def view(tables): return tables.visit.join(tables.person, 'person_id')"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with tables of a hospital."""
    monkeypatch.chdir(tmp_path)
    ids = range(PEOPLE)
    several: dict[str, dict[str, Sequence[object]]] = {
        "person": {"person_id": ids, "gender": ["f" if each % 2 else "m" for each in ids]},
        "named": {"person_id": [str(each) for each in ids], "city": ["x" for _ in ids]},
        "drug_era": {"person_id": ids, "concept_id": [each % 3 for each in ids], "era_id": ids},
        "dose": {"era_id": ids, "amount": [each % 5 for each in ids]},
        "concept": {"concept_id": range(3), "class": ["a", "b", "a"]},
    }
    for name, columns in several.items():
        pq.write_table(pa.table({column: list(values) for column, values in columns.items()}), f"{name}.parquet")
    Path("view.py").write_text(VIEW)
    return tmp_path


def run(*arguments: str) -> int:
    """Run the command line here; its exit code."""
    before, sys.argv = sys.argv, ["headcount", *arguments]
    try:
        _run()
    except SystemExit as left:
        return int(left.code or 0)
    finally:
        sys.argv = before
    return 0


@pytest.mark.usefixtures("folder")
def test_a_view_is_released(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("histogram", *TABLES, *OPTIONS, "--view", "view.py", "--bound", "1", "--json") == 0
    released = json.loads(capsys.readouterr().out)
    assert {(row["class"], row["gender"]) for row in released["rows"]} == {(c, g) for c in "ab" for g in "fm"}
    assert all(abs(row["count"] - (1000 if row["class"] == "a" else 500)) < 100 for row in released["rows"])


@pytest.mark.usefixtures("folder")
def test_the_plan_is_that_of_python_and_reads_no_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {name: f"{name}.parquet" for name in ("person", "drug_era")}
    opened = hc.tables(files, user="person_id", public={"concept": "concept.parquet"}, name="hospital")
    joined = opened.drug_era.join(opened.person, "person_id").left_join(opened.concept, "concept_id")
    plan = hc.plan("histogram", joined, user="person_id", by=["class", "gender"], epsilon=1)
    monkeypatch.setattr(Tables, "fill", None)
    asked = ("histogram", *TABLES, *OPTIONS, "--view", "view.py", "--dataset", "hospital", "--dry-run")
    assert run(*asked, "--json") == 0
    planned = json.loads(capsys.readouterr().out)
    assert planned["view"].pop("program") == VIEW
    assert planned == json.loads(plan.to_json())
    assert run(*asked) == 0
    assert "drug_era (private, people by person_id)" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("folder")
def test_the_program_is_kept_in_release_and_report(capsys: pytest.CaptureFixture[str]) -> None:
    """The file may be gone when somebody asks how the numbers came about. It is no part of the request: a comment more
    costs nothing."""
    ledger = ("--ledger", "hospital.db", "--dataset", "hospital")
    assert run("ledger", "new", "hospital.db", "--epsilon", "1", "--delta", "1e-5") == 0
    out = ("--out", "r.parquet", "--out", "r.html")
    assert run("histogram", *TABLES, *OPTIONS, "--view", "view.py", *ledger, *out) == 0
    Path("view.py").write_text(f"# <the same view>\n{VIEW}")
    assert run("histogram", *TABLES, *OPTIONS, "--view", "view.py", *ledger, "--out", "again.parquet") == 0
    assert len(hc.Ledger("hospital.db").spends()) == 1
    release = hc.load("again.parquet")
    assert release.content == hc.load("r.parquet").content
    assert json.loads(release.about.plan)["view"]["program"] == VIEW
    assert hc.Plan.from_json(release.about.plan).charge().request == hc.Ledger("hospital.db").spends()[0].request
    assert f"The program that defines it:</p><pre>{escape(VIEW)}</pre>" in Path("r.html").read_text()
    capsys.readouterr()


@pytest.mark.usefixtures("folder")
def test_a_linked_table_and_an_expression(capsys: pytest.CaptureFixture[str]) -> None:
    Path("doses.py").write_text("view = tables.drug_era.join(tables.dose, 'era_id')\n")
    linked = ("--table", "dose=dose.parquet", "--link", "dose.era_id=drug_era.era_id")
    asked = ("histogram", *TABLES, *linked, "--view", "doses.py", "--user", "person_id", "--by", "amount")
    assert run(*asked, "--epsilon", "1", "--dry-run") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "You promise: each key in drug_era.era_id belongs to one person." in shown


@pytest.mark.usefixtures("folder")
def test_one_budget_for_all_views_of_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    ledger = ("--ledger", "hospital.db", "--dataset", "hospital")
    assert run("ledger", "new", "hospital.db", "--epsilon", "2", "--delta", "1e-5") == 0
    assert run("histogram", *TABLES, *OPTIONS, "--view", "view.py", *ledger, "--out", "first.csv") == 0
    assert run("histogram", *TABLES, *OPTIONS, "--view", "view.py", *ledger, "--out", "again.csv") == 0
    assert Path("first.csv").read_bytes() == Path("again.csv").read_bytes()
    assert len(hc.Ledger("hospital.db").spends()) == 1
    Path("other.py").write_text("view = tables.drug_era\n")
    other = ("--view", "other.py", "--user", "person_id", "--by", "concept_id", "--epsilon", "1.5")
    assert run("histogram", *TABLES, *other, *ledger) == 3
    capsys.readouterr()


FILES = {
    "empty.py": "x = 1\n",
    "unknown.py": "def view(tables):\n    return tables.nothing\n",
    "column.py": "def view(tables):\n    return tables.person.select('age')\n",
    "syntax.py": "def view(\n",
    "text.py": "view = 'select * from person'\n",
    "number.py": "def view(tables):\n    return 3\n",
    "query.sql": "select * from person",
    "limit.py": "view = tables.person.mutate(**{'class': tables.person.gender}).limit(5)\n",
    "types.py": "view = tables.person.join(tables.named, tables.person.person_id == tables.named.person_id)\n",
    "elsewhere.py": "import ibis\nview = ibis.duckdb.connect().create_table('person', schema={'person_id': 'int64'})\n",
}
SQL = "SQL text, and headcount checks Ibis expressions only."
NAMED = ("--table", "named=named.parquet")
BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "neither private nor public": (
        ("--table", "other=concept.parquet", "--view", "view.py"),
        "table 'other': it has no column 'person_id', so nobody can tell whose row is whose. Fix: --link "
        "other.order=orders.order if its rows belong to those of another table, or --public other=FILE if it holds "
        "nothing about these people",
    ),
    "a link of nothing": (
        ("--view", "view.py", "--link", "nothing.x=person.person_id"),
        "--links: 'nothing' is no private table. Fix: --links lines.order=orders.order",
    ),
    "a link to nothing": (
        ("--view", "view.py", "--link", "drug_era.era_id=nothing.x"),
        "there is no table 'nothing'. Fix: one of person, drug_era, concept",
    ),
    "a link that is none": (
        ("--view", "view.py", "--link", "drug_era"),
        "--links drug_era: a name, =, and what it stands for. Fix: --links lines.order=orders.order",
    ),
    "a table without a file": (
        ("--view", "view.py", "--table", "visit"),
        "--table visit: a name, =, and what it stands for. Fix: --table visit=visit.parquet",
    ),
    "no view": ((), "--view: the tables need a file that says which of their rows to count. Fix: --view view.py"),
    "no such view": (
        ("--view", "none.py"),
        f"none.py: cannot be read (No such file or directory). Fix: --view view.py with {EXAMPLE}",
    ),
    "a file without a view": (
        ("--view", "empty.py"),
        f"empty.py: it defines no view, and an Ibis table is needed. Fix: {EXAMPLE}",
    ),
    "a view that is a number": (
        ("--view", "number.py"),
        f"number.py: its view is of type int, and an Ibis table is needed. Fix: {EXAMPLE}",
    ),
    "an unknown table": (
        ("--view", "unknown.py"),
        "there is no table 'nothing'. Fix: one of person, drug_era, concept",
    ),
    "an unknown column": (
        ("--view", "column.py"),
        "column.py, line 2: IbisTypeError: Column 'age' is not found in table. Existing columns: 'person_id', "
        "'gender'. Fix: mend that line",
    ),
    "a mistake in Python": (
        ("--view", "syntax.py"),
        "syntax.py, line 1: SyntaxError: '(' was never closed. Fix: mend that line",
    ),
    "SQL as text": (("--view", "text.py"), f"text.py: {SQL} Fix: {EXAMPLE}"),
    "SQL in a file": (("--view", "query.sql"), f"query.sql: {SQL} Fix: view.py with {EXAMPLE}"),
    "a view of other data": (
        ("--view", "elsewhere.py"),
        f"elsewhere.py: its view reads none of the tables. Fix: {EXAMPLE}",
    ),
    "a limit": (("--view", "limit.py"), "the view, step 2 of 2: limit(5): whether a row stays depends on other"),
    "ids of different types": (
        (*NAMED, "--view", "types.py"),
        "types.py, line 1: IbisTypeError: Arguments person_id:int64 and person_id:string are not comparable. Fix: "
        'columns of one type: make text of the whole numbers, .mutate(person_id=_.person_id.cast("string"))',
    ),
    "a file too": (
        ("person.parquet", "--view", "view.py"),
        "person.parquet: a file and a view are typed; only one of them is read. Fix: --table visit=person.parquet",
    ),
    "another engine": (
        ("--view", "view.py", "--engine", "spark"),
        "--engine spark: a view of tables runs on DuckDB. Fix: no engine",
    ),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("mistake", BAD)
def test_bad_input_is_told_in_a_line(mistake: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in FILES.items():
        Path(name).write_text(text)
    typed, message = BAD[mistake]
    assert run("histogram", *TABLES, *OPTIONS, *typed) in (1, 2)
    said = capsys.readouterr().err
    assert said.startswith(f"headcount: {message}")
    assert said.count("\n") == 1


def test_neither_a_file_nor_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("histogram", *OPTIONS) == 2
    assert capsys.readouterr().err == (
        "headcount: no table is typed. Fix: headcount histogram visits.parquet --user user --by song --epsilon 1\n"
    )
