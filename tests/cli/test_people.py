"""`headcount profile`, `headcount total`, and a bound that is chosen, from a terminal."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.cli.test_commands import headcount

import headcount as hc


@pytest.fixture(scope="module")
def plays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plays") / "plays.parquet"
    pq.write_table(hc.example(), path)
    return path


def test_no_bound_is_needed(plays: Path) -> None:
    run = headcount("histogram", plays.name, "--user=user", "--by=song", "--epsilon=1", "--json", cwd=plays.parent)
    said = json.loads(run.stdout)
    assert said["chosen"] == "profile"
    assert said["bound"] >= 2
    assert said["epsilon"] == "1"


def test_a_plan_tells_the_share(plays: Path) -> None:
    asked = ("--user=user", "--by=song", "--epsilon=1", "--mechanism=thresholded", "--bound=auto:share=0.1,grid=2,4,8")
    run = headcount("histogram", plays.name, *asked, "--dry-run", cwd=plays.parent)
    assert "one of 3 candidates up to 8" in run.stdout
    assert "This uses 10% of epsilon (0.1)." in " ".join(run.stdout.split())


def test_a_profile(plays: Path) -> None:
    run = headcount("profile", plays.name, "--user=user", "--by=song", "--epsilon=0.1", "--out=p.png", cwd=plays.parent)
    assert "suggested: --bound " in run.stdout
    assert (plays.parent / "p.png").stat().st_size > 1000


def test_a_total(plays: Path) -> None:
    asked = ("--user=user", "--epsilon=1", "--bound=3", "--where=song=song 0001,song 0002", "--count=events")
    run = headcount("total", plays.name, *asked, cwd=plays.parent)
    assert run.stdout.startswith("all events where song is song 0001 or song 0002, from plays.parquet: 1 row")


WHERE = [
    ("age=18..65", "age is from 18 to 65", 1),
    ("age=70..", "age is 70 or more", 1),
    ("age=70:", "age is 70 or more", 1),
    ("age=..70", "age is 70 or less", 2),
    ("age=:69.5", "age is 69.5 or less", 1),
    ("age=20, 70", "age is 20 or 70", 2),
    ("age=70..70", "age is 70", 1),
    ("paid=true", "paid is True", 1),
    ("paid=True, no", "paid is no or True", 2),
    ('paid="true"', "paid is true", 0),
    ('hour="18:30", 5', "hour is 18:30 or 5", 2),
    ('hour="18:30"', "hour is 18:30", 2),
    ('hour=">18"', "hour is >18", 0),
    ('hour="18..19"', "hour is 18..19", 0),
]
"""As it is typed, what it means, and how many people it holds for."""


def test_two_ends_are_never_taken_for_a_text(tmp_path: Path) -> None:
    """age=18:65 is refused before anything is read or spent, as in a CSV every value is text; in quotes it is one."""
    (tmp_path / "v.csv").write_text("user,age,hour,paid\n1,20,18:30,True\n2,70,18:30,no\n")
    asked = ("total", "v.csv", "--user=user", "--epsilon=100", "--count=users")
    refused = headcount(*asked, "--where=age=18:65", "--ledger=l.db", cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        "headcount: --where age=18:65: two ends, or a text? Fix: --where age=18..65 for all"
    )
    assert "or --where 'age=\"18:65\"' for that very text" in refused.stderr
    assert not (tmp_path / "l.db").exists()
    for where, held, count in WHERE:
        run = headcount(*asked, f"--where={where}", cwd=tmp_path)
        assert run.stdout.startswith(f"all people where {held}, from v.csv")
        assert ["people", str(count)] in [line.split()[:2] for line in run.stdout.splitlines()]


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("--bound=many",), "headcount: --bound many: neither a number nor a name. Fix: --bound 20"),
        (("--bound=auto:share=2",), "headcount: share=2: choosing the bound takes a part of epsilon"),
        (("--bound=papers.quantile:grid=",), "headcount: grid=[]: at least one bound, rising"),
        (("--bound=quantile",), "headcount: --bound quantile: it is in headcount.papers. Fix: --bound papers.quantile"),
        (
            ("--bound=auto:share",),
            "headcount: --bound auto:share: an option is typed as name=value. Fix: --bound auto:share=0.1",
        ),
        (("--debias=poisson",), "headcount: --debias poisson needs to know how many people there are."),
        (("--where=song=a", "--where=song=b"), "headcount: --where: song is given twice."),
        (("--where=song",), "headcount: --where song: a column and what it must be."),
    ],
)
def test_mistakes(plays: Path, asked: tuple[str, ...], message: str) -> None:
    run = headcount("total", plays.name, "--user=user", "--epsilon=1", *asked, cwd=plays.parent)
    assert run.returncode == 2
    assert run.stderr.startswith(message)
    assert "Fix: " in run.stderr


OPERATORS = [
    ("song==a", "--where song==a: a value has no operator. Fix: --where song=a; or --where 'song=\"=a\"' for that"),
    ("song>5", "Fix: --where song=5.., end included; or --where 'song=\">5\"' for that very text"),
    ("song<=5", "Fix: --where song=..5, end included"),
    ("song=b,>5", "Fix: --where song=5.., end included; or --where 'song=\">5\"' for that very text"),
    ('song="b",=c', "Fix: --where song=c; or --where 'song=\"=c\"' for that very text"),
    ("k=12:30", "Fix: --where k=12..30 for all between the two, or --where 'k=\"12:30\"' for that very text"),
    ("k=b,>3", "Fix: --where k=3.., end included; or --where 'k=\">3\"' for that very text"),
    ("song=a AND user=2", "Fix: --where song=a --where user=2; or --where 'song=\"a AND user=2\"'"),
    ("song=..", "Fix: --where country=FR, --where plan=basic,pro, --where age=18..65, --where age=18.."),
]


@pytest.mark.parametrize(("where", "message"), OPERATORS, ids=[where for where, _ in OPERATORS])
def test_operators_are_refused_with_what_to_type(plays: Path, where: str, message: str) -> None:
    run = headcount("total", plays.name, "--user=user", "--epsilon=1", f"--where={where}", cwd=plays.parent)
    assert (run.returncode, run.stdout) == (2, "")
    assert message in run.stderr


def test_months_and_some_rows(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("user,day,city\n1,2024-01-20,Rome\n2,2024-03-05,Rome\n3,2024-03-05,Oslo\n")
    asked = ("v.csv", "--user=user", "--by=day", "--epsilon=100", "--bound=1", "--where=city=Rome")
    for more in (
        ("--per=month", "--dates=2024-01-01..2024-03-31"),
        ("--per=day=month", "--dates=day=2024-01-01..2024-03-31"),
    ):
        said = json.loads(headcount("histogram", *asked, *more, "--json", cwd=tmp_path).stdout)
        assert said["what"] == "people per month where city is Rome"
        assert [(row["day"], row["count"]) for row in said["rows"]] == [
            ("2024-01-01", 1),
            ("2024-02-01", 0),
            ("2024-03-01", 1),
        ]
    refused = headcount("histogram", *asked, "--per=month", "--dates=2024-01-01", cwd=tmp_path)
    assert refused.returncode == 2
    assert "--dates 2024-01-01: a lower and an upper end. Fix: --dates 2024-01-01..2024-12-31" in refused.stderr
    refused = headcount("histogram", *asked, "--per=month", "--dates=2023-02-01:2023-04-30", cwd=tmp_path)
    assert refused.stderr.rstrip().endswith("Fix: --dates 2023-02-01..2023-04-30")
