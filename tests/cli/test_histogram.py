"""`headcount histogram` as a user types it."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.test_commands import headcount

import headcount as hc

ASKED = ("plays.parquet", "--user", "user", "--by", "song", "--bound", "20")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example table."""
    path = tmp_path_factory.mktemp("plays")
    pq.write_table(hc.example(), path / "plays.parquet")
    pq.write_table(pa.table({"user": [1, 2, 3], "age": [5, 15, 50]}), path / "ages.parquet")
    return path


def test_a_release(folder: Path) -> None:
    done = headcount("histogram", *ASKED, "--epsilon", "1", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("people per song, from plays.parquet: ")
    assert lines[0].endswith(" rows, epsilon 1, delta 1e-06")
    assert lines[1].startswith("low and high are for the ")
    table = lines[lines.index("") + 1 :]
    assert table[0].split() == ["song", "count", "low", "high"]
    assert table[1].startswith("song 0001")
    assert len(table) == 27
    assert lines[-1].startswith("... and ")


def test_json_and_files(folder: Path) -> None:
    names = ["r.parquet", "r.csv", "r.json", "r.html", "r.png"]
    out = [part for name in names for part in ("--out", name)]
    done = headcount("histogram", *ASKED, "--epsilon", "1", "--json", *out, cwd=folder)
    said = json.loads(done.stdout)
    assert hc.load(folder / "r.parquet").table.to_pylist() == said["rows"]
    assert json.loads((folder / "r.json").read_text()) == said
    assert all((folder / name).stat().st_size > 500 for name in names)


def test_dry_run_reads_and_spends_nothing(folder: Path) -> None:
    """The table's rows are cut off: the schema is enough."""
    plan = headcount("histogram", *ASKED, "--epsilon", "1", "--dry-run", cwd=folder)
    assert (plan.returncode, plan.stderr) == (0, "")
    for text in (
        "To appear, each song needs about 103 people.",
        "This plan read only the schema and spent nothing.",
        "  1. ",
    ):
        assert text in plan.stdout
    text = headcount("histogram", *ASKED, "--epsilon", "1", "--dry-run", "--json", cwd=folder).stdout
    assert hc.Plan.from_json(text).mechanism.name == "thresholded"


def test_target_error(folder: Path) -> None:
    text = headcount("histogram", *ASKED, "--target-error", "20", "--dry-run", "--json", cwd=folder).stdout
    plan = hc.Plan.from_json(text)
    assert plan.error <= 20
    assert 1.7 < plan.budget.epsilon < 2


def test_a_ledger(folder: Path) -> None:
    headcount("ledger", "new", "plays.db", "--epsilon", "1.5", "--delta", "1e-5", cwd=folder)
    asked = ("histogram", *ASKED, "--epsilon", "1", "--ledger", "plays.db")
    first = headcount(*asked, cwd=folder)
    assert (first.returncode, first.stderr) == (0, "")
    again = headcount(*asked, "--out", "sealed.parquet", cwd=folder)
    assert again.stdout.replace(", sealed before", "") == first.stdout
    assert again.stderr == "sealed before: no new noise, no new charge (--again pays for a new draw)\n"
    assert headcount("ledger", "verify", "plays.db", "--release", "sealed.parquet", cwd=folder).returncode == 0
    refused = headcount(*asked, "--again", cwd=folder)
    assert (refused.returncode, refused.stdout) == (3, "")
    assert refused.stderr == (
        "headcount: this release costs epsilon=1, delta=0.000001; the ledger has epsilon=0.5, delta=0.000009 left. "
        "Nothing was spent. Fix: --epsilon 0.5, --delta 0.000001 would fit\n"
    )
    pq.write_table(pq.read_table(folder / "plays.parquet").slice(1), folder / "plays.parquet")
    changed = headcount(*asked, cwd=folder)
    assert (changed.returncode, changed.stdout) == (4, "")
    assert changed.stderr == (
        "headcount: the data changed since this request was charged: its release is about the "
        "data as they were. Nothing was drawn, nothing was spent. Fix: --again pays for a release of the data as they "
        "are now; or, if these are other data, a name of their own: --dataset visits-May\n"
    )
    shown = headcount("ledger", "show", "plays.db", cwd=folder).stdout
    assert "plays.db: epsilon 1.5, delta 0.00001, for neighbours add-remove\n" in shown
    assert "people per song  plays.parquet" in shown


def test_keys_and_bins(folder: Path) -> None:
    known = headcount("histogram", *ASKED, "--epsilon", "1", "--keys", "song 0001, song 0002", "--json", cwd=folder)
    assert [row["song"] for row in json.loads(known.stdout)["rows"]] == ["song 0001", "song 0002"]
    (folder / "keys.csv").write_text("song 0001\nsong 0003\n")
    known = headcount("histogram", *ASKED, "--epsilon", "1", "--keys-file", "keys.csv", "--json", cwd=folder)
    assert [row["song"] for row in json.loads(known.stdout)["rows"]] == ["song 0001", "song 0003"]
    (folder / "keys.csv").write_text('a\u2028b\n"c\nd"\n')  # one line, and one item of two
    known = headcount("histogram", *ASKED, "--epsilon", "1", "--keys-file", "keys.csv", "--json", cwd=folder)
    assert {row["song"] for row in json.loads(known.stdout)["rows"]} == {"a\u2028b", "c\nd"}
    asked = ("ages.parquet", "--user", "user", "--by", "age", "--epsilon", "1", "--bound", "1", "--bins", "0, 10, 99.5")
    binned = headcount("histogram", *asked, "--json", cwd=folder)
    assert sorted(row["age"] for row in json.loads(binned.stdout)["rows"]) == ["[0, 10)", "[10, 99.5]"]


VISITS = "user,country,device,day\n1,FR,web,2024-01-01\n2,DE,app,2024-01-02\n"


@pytest.mark.parametrize(
    ("typed", "items"),
    [
        (
            "--by country --by day --per day=day --dates 2024-01-01..2024-01-02 --keys country=FR,DE",
            {("FR", "2024-01-01"), ("FR", "2024-01-02"), ("DE", "2024-01-01"), ("DE", "2024-01-02")},
        ),
        (
            "--by country --by device --keys country=FR,DE --keys device=web",
            {("FR", "web"), ("DE", "web")},
        ),
        ("--by country --by device --keys-file items.csv", {("FR", "web"), ("DE", "app")}),
        ("--by country --keys FR --keys DE", {("FR",), ("DE",)}),
        ("--by country --keys city=FR,DE", {("city=FR",), ("DE",)}),  # no column of that name
    ],
)
def test_keys_of_columns(typed: str, items: set[tuple[str, ...]], folder: Path) -> None:
    (folder / "visits.csv").write_text(VISITS)
    (folder / "items.csv").write_text("FR,web\nDE,app\n")
    asked = ("visits.csv", "--user", "user", "--epsilon", "1", "--bound", "1", *typed.split())
    done = headcount("histogram", *asked, "--json", cwd=folder)
    rows = json.loads(done.stdout)["rows"]
    assert {tuple(str(row[name]) for name in ("country", "device", "day") if name in row) for row in rows} == items


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (
            "--by country --by device --keys country=FR,DE --keys web",
            "headcount: --keys: of which column? Fix: --keys country=apple,pear\n",
        ),
        (
            "--by country --by day --per day=month --keys country=FR,DE",
            "headcount: --keys: those of 'day' are missing, and an item is known only if every part is. Fix: --dates "
            "day=2024-01-01..2024-12-31, or keys; if they are not known, --where country=FR,DE instead of keys\n",
        ),
        (
            "--by country --by day --per week",
            "headcount: --per week: of which column? Fix: --per day=week\n",
        ),
        (
            "--by country,day",
            "headcount: there is no column 'country,day'. Fix: --by country --by day\n",
        ),
        (
            "--by page",
            "headcount: there is no column 'page'. Fix: one of user, country, device, day\n",
        ),
    ],
)
def test_mistakes_with_several_columns(typed: str, message: str, folder: Path) -> None:
    (folder / "visits.csv").write_text(VISITS)
    asked = ("visits.csv", "--user", "user", "--epsilon", "1", *typed.split())
    assert headcount("histogram", *asked, cwd=folder).stderr == message


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--epsilon", "0"), "--epsilon 0: it must be above 0. Fix: --epsilon 1"),
        (
            ("--epsilon", "1", "--user", "usr"),
            "there is no column 'usr'. Fix: did you mean 'user'? There are user, song",
        ),
        (
            ("--epsilon", "1", "--delta", "0"),
            "--delta 0: items that are not known in advance need a delta above 0. "
            "Fix: --delta 1e-6, or the list of items: --keys apple,pear",
        ),
        (("--epsilon", "1", "--count", "people"), "--count people: unknown. Fix: --count users or --count events"),
        (("--epsilon", "1", "--bins", "3,2"), "--bins 3,2: edges must rise. Fix: --bins 2,3"),
        (("--epsilon", "1", "--out", "r.doc"), "r.doc: unknown kind of file. Fix: a name that ends in .parquet, .csv"),
        (("--epsilon", "1", "--out", "no/r.csv"), "no/r.csv: there is no such folder. Fix: mkdir -p no"),
        (("--epsilon", "1", "--ledger", "none.db"), "there is no ledger here yet. Fix: headcount ledger new "),
        (
            ("--epsilon", "1", "--keys-file", "none.txt"),
            "none.txt: cannot be read (No such file or directory). Fix: --keys-file items.csv",
        ),
        ((), "how much may it cost? Fix: --epsilon 1, or --target-error 10"),
    ],
)
def test_mistakes_exit_with_2(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    refused = headcount("histogram", *ASKED, *arguments, cwd=folder)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert message in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
