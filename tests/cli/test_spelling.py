"""Errors, forecasts and hints spell parameters as options, and repeat names and data as they are."""

from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.test_commands import headcount

from headcount.cli.job import option_names
from headcount.cli.spelling import advice_as_options, as_options

SPELLED = {
    "bound=20": "--bound 20",
    'bound="auto"': "--bound auto",
    'keys=["a", "b"]': "--keys a,b",
    "bins=[...]": "--bins ...",
    'by=["city", "day"]': "--by city --by day",
    "user='the person'": "--user 'the person'",
    'metrics=["people", "sum(price)"]': "--metric people --metric 'sum(price)'",
    'weights={"sum(price)": 3}': "--weight 'sum(price)=3'",
    "range=(0, 1000)": "--range 0..1000",
    "range={'age': (0, 99), 'price': (0, 5)}": "--range age=0..99 --range price=0..5",
    'master="local[2]"': "--master local[2]",
    "again=True": "--again",
    'mechanism=hc.CountRelease(variant="rogers", kbar=500)': "--mechanism count-release:variant=rogers,kbar=500",
    "bound=hc.ChosenBound(grid=[1, 2], share=0.1)": "--bound auto:grid=1,2,share=0.1",
    'bound=hc.ChosenBound(way="profile", share=0.1)': "--bound profile:share=0.1",
    "bound=papers.DpSgd()": "--bound papers.dp-sgd",
    "debias=hc.PoissonCounts(people=100000)": "--debias poisson:people=100000",
}
VISITS = pa.table({"who": [1, 2], "user_id": ["a", "b"], "at": [datetime(2024, 1, 1)] * 2})
HINTS = {
    "epsilon": ("--by user_id --user who --epsilon 12 --keys a,b", "Fix: --epsilon 1, or other safeguards"),
    "columns": ("--by user_id --user who --epsilon 1", "swapped? --user who is who is protected, --by user_id is what"),
    "times": ("--by at --user who --epsilon 1", "Fix: --per day, or --bins ..."),
    "bound": ("--by at --user who --epsilon 1 --per day --bound 1000", "--bound 1000: noise is made"),
    "rank": (
        "--by user_id --user who --epsilon 1 --keys a,b --bound papers.quantile",
        "up to 2; grid=[...] gives others",
    ),
}


@pytest.mark.parametrize("python", SPELLED)
def test_parameters_become_options(python: str) -> None:
    assert as_options(f"{python}: it is wrong. Fix: {python}, or less", option_names()) == (
        f"{SPELLED[python]}: it is wrong. Fix: {SPELLED[python]}, or less"
    )
    assert advice_as_options(f"try it ({python}); or not", option_names()) == f"try it ({SPELLED[python]}); or not"


LINES = {
    "hc.plan(...).release(ledger=ledger, again=True) pays": "--again pays",
    'a name of their own: hc.table(data, name="visits-May")': "a name of their own: --dataset visits-May",
    'hc.table(data, memory="8GB"), or spill="/var/tmp" for more': "--memory 8GB, or --spill /var/tmp for more",
}
"""Lines to write for what belongs to the data, and to the release."""


@pytest.mark.parametrize("python", LINES)
def test_what_belongs_to_data_and_release_is_an_option_too(python: str) -> None:
    assert as_options(f"no room. Fix: {python}", option_names()) == f"no room. Fix: {LINES[python]}"


def test_what_was_typed_stays() -> None:
    assert as_options("column 'a': unknown, as bound=3 is. Fix: no a", option_names()) == (
        "column 'a': unknown, as bound=3 is. Fix: no a"
    )
    assert advice_as_options("'bound=3' holds exact times", option_names()) == "'bound=3' holds exact times"


@pytest.mark.parametrize("hint", HINTS)
def test_hints_of_plans(tmp_path: Path, hint: str) -> None:
    typed, said = HINTS[hint]
    pq.write_table(VISITS, tmp_path / "visits.parquet")
    planned = headcount("histogram", "visits.parquet", *typed.split(), "--dry-run", cwd=tmp_path)
    assert planned.returncode == 0, planned.stderr
    assert said in " ".join(planned.stdout.split())


def test_hints_of_releases(tmp_path: Path) -> None:
    odd = pa.table({"user": ["a", "b"], "item": ["bound=3", "Hint: bound=3"]})
    pq.write_table(odd, tmp_path / "odd.parquet")
    ask = ("histogram", "odd.parquet", "--user=user", "--by=item")
    nothing = " ".join(headcount(*ask, "--epsilon=1", cwd=tmp_path).stdout.split())
    assert "To show more: --epsilon 2 halves what an item needs; coarser items (--per month, --bins ...," in nothing
    listed = " ".join(headcount(*ask, "--epsilon=20", "--keys=bound=3,Hint: bound=3", cwd=tmp_path).stdout.split())
    assert "Fix: --epsilon 1," in listed
    assert listed.count("bound=3") == 2


def test_a_profile_suggests_an_option(tmp_path: Path) -> None:
    pq.write_table(VISITS, tmp_path / "visits.parquet")
    profile = headcount("profile", "visits.parquet", "--user=who", "--by=user_id", "--epsilon=1", cwd=tmp_path).stdout
    assert "suggested: --bound " in profile
