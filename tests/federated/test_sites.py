"""Sites with many people: every table that headcount reads, bounds per person, once per round, and who refuses what."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headcount as hc
from headcount.errors import BadParameter, HeadcountError, ReadingFailed
from headcount.federated import (
    Aggregator,
    Analyst,
    Client,
    Refused,
    Report,
    Round,
    SecureAnalyst,
    SecureClient,
    SecureRound,
    SecureSite,
    Site,
)
from headcount.federated.client_state import ClientState
from headcount.federated.rounds import RoundsAnalyst, collect_rounds, quantiles
from headcount.federated.transport import MemoryTransport, SecureMemoryTransport, collect, collect_sum
from tests.federated.people import NoNoise

needs_cryptography = pytest.mark.skipif(find_spec("cryptography") is None, reason="needs headcount[secure]")
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "federated.md"
KEYS = ["blue", "green", "red"]
ROWS = [("1", "blue"), ("1", "blue"), ("2", "blue"), ("2", "red"), ("3", None), (None, "red"), ("4", "other")]
COUNTS = [2, 0, 1]


def rows(pairs: Sequence[tuple[Any, Any]] = ROWS) -> pa.Table:
    """A table of people and their songs."""
    return pa.table({"user": [user for user, _ in pairs], "song": [song for _, song in pairs]})


def published(**terms: Any) -> SecureRound:
    """At this epsilon noise is 0, but for a chance below 1e-6."""
    given: dict[str, Any] = {"people": 1000, "sites": 4, "minimum": 3, "honest": 1, "epsilon": 20, "items": 2, **terms}
    return SecureAnalyst().publish("Which song?", keys=KEYS, **given)


def counted(site: SecureSite, asked: SecureRound) -> list[int]:
    found: list[int] = site._counts(asked).tolist()
    return found


# tables


def tables(tmp_path: Path) -> Iterator[tuple[str, Any]]:
    """The same rows as everything that headcount reads in this process."""
    found = rows()
    pq.write_table(found, tmp_path / "rows.parquet")
    (tmp_path / "rows.csv").write_text("user,song\n" + "".join(f"{u or ''},{s or ''}\n" for u, s in ROWS))
    duck = ibis.duckdb.connect()
    plays = duck.create_table("plays", ibis.memtable(found))
    yield from {
        "arrow": found,
        "pandas": found.to_pandas(),
        "polars": pl.from_arrow(found),
        "parquet": tmp_path / "rows.parquet",
        "csv": str(tmp_path / "rows.csv"),
        "ibis": plays,
        "row by row": plays.filter(plays.user != "9"),
        "certified view": hc.view(plays.select("user", "song").distinct(), user="user"),
        "hc.table": hc.table(found, name="songs", memory="1GB"),
    }.items()


def test_any_table_is_a_site(tmp_path: Path) -> None:
    asked = published()
    for name, data in tables(tmp_path):
        assert counted(SecureSite(data, user="user", by="song"), asked) == COUNTS, name
        people = Site(data, user="user", by="song")._table.people()
        assert {user: sorted(items) for user, items in people.items()} == {
            "1": ["blue"],
            "2": ["blue", "red"],
            "3": [],
            "4": ["other"],
        }, name


def test_items_that_are_whole_numbers_are_texts() -> None:
    table = pa.table({"user": [1, 2, 2], "year": pa.array([2020, 2020, 2021], pa.int16())})
    asked = SecureAnalyst().publish(
        "Which year?", keys=["2020", "2021", "02020"], people=9, sites=4, items=2, epsilon=20
    )
    assert counted(SecureSite(table, user="user", by="year"), asked) == [2, 1, 0]
    people = Site(table, user="user", by="year")._table.people()
    assert {user: sorted(items) for user, items in people.items()} == {"1": ["2020"], "2": ["2020", "2021"]}


def test_people_whose_ids_are_fractions_can_be_summed_and_not_reported() -> None:
    """Two of them might be spelled alike, and would share a ticket."""
    table = pa.table({"user": [1.0, 2.0, float("nan")], "song": ["blue", "red", "red"]})
    assert counted(SecureSite(table, user="user", by="song"), published()) == [1, 0, 1]
    with pytest.raises(BadParameter, match="column 'user' holds float64"):
        Site(table, user="user", by="song").reports(Analyst().publish("Which?", epsilon=1, sites_per_person=1))


@pytest.mark.parametrize("kind", [SecureSite, Site])
def test_tables_that_are_refused_at_once(kind: type[Site], tmp_path: Path) -> None:
    with pytest.raises(HeadcountError, match=r"there is no column 'songs'\. Fix: did you mean 'song'"):
        kind(rows(), user="user", by="songs")
    with pytest.raises(BadParameter, match="column 'song' holds boolean: messages have texts and whole numbers"):
        kind(rows([("1", True)]), user="user", by="song")
    with pytest.raises(HeadcountError):
        kind(tmp_path / "none.parquet", user="user", by="song")
    with pytest.raises(BadParameter, match="by: the name of one column is needed"):
        kind(rows(), user="user", by=["song"])  # type: ignore[arg-type]
    with pytest.raises(BadParameter, match="key: 32 bytes"):
        kind(rows(), user="user", by="song", key=b"")


# bounds


@pytest.mark.parametrize("items", [1, 2, 3])
def test_a_person_with_a_thousand_rows_counts_for_no_more_than_the_bound(items: int) -> None:
    """The same song a thousand times is one; a thousand songs are as many as the round allows."""
    asked = published(items=items)
    assert counted(SecureSite(rows([("1", "red")] * 1000), user="user", by="song"), asked) == [0, 0, 1]
    many = rows([("1", song) for song in [*KEYS, *map(str, range(997))]])
    site = SecureSite(many, user="user", by="song")
    found = np.array([counted(site, asked) for _ in range(30)])
    assert (found.sum(axis=1) == items).all()
    assert found.max() == 1
    if items == 1:
        assert (found.sum(axis=0) > 0).all()  # by chance, not the first
    reports = Site(many, user="user", by="song").reports(
        Analyst().publish("Which?", epsilon=20, items=items, sites_per_person=1)
    )
    assert len(reports) == 1
    assert len(reports[0].items) <= items


def test_a_count_is_cut_at_the_number_of_people() -> None:
    """It is not refused: whether a site refuses would tell whether it has one person more."""
    site = SecureSite(rows([(str(person), "red") for person in range(10)]), user="user", by="song")
    assert counted(site, published(people=9)) == [0, 0, 9]
    assert counted(site, published(people=10)) == [0, 0, 10]


def test_items_that_are_too_long_for_a_message_are_dropped() -> None:
    table = rows([("1", "x" * 4097), ("1", "red"), ("2", "é" * 2049), ("3", "x" * 4096), ("4", "x" * 10**6)])
    assert Site(table, user="user", by="song")._table.people() == {"1": ["red"], "2": [], "3": ["x" * 4096], "4": []}


# rounds


@needs_cryptography
def test_sites_and_their_sum() -> None:
    """Five sites of different sizes, one of which has nobody and one of which never answers."""
    people: tuple[list[tuple[str, str]], ...] = (
        *([("1", "blue"), ("2", "red"), ("3", "red")], [("1", "red")]),
        *([], [("x", "green")]),
    )
    asked = published(sites=5, minimum=4)
    total = collect_sum(
        asked, SecureMemoryTransport([SecureSite(_texts(each), user="user", by="song") for each in people])
    )
    assert (total.answered, total.sums) == (4, (1, 1, 3))


def _texts(pairs: Sequence[tuple[str, str]]) -> pa.Table:
    kind = pa.schema({"user": pa.string(), "song": pa.string()})
    return pa.Table.from_pylist([{"user": user, "song": song} for user, song in pairs], kind)


@needs_cryptography
def test_a_person_alone_takes_part_beside_sites() -> None:
    alone = SecureClient(["green"])
    sites = [SecureSite(rows(), user="user", by="song") for _ in range(2)]
    assert collect_sum(published(), SecureMemoryTransport([alone, *sites])).sums == (4, 1, 2)


@needs_cryptography
def test_too_few_sites_open_nothing() -> None:
    with pytest.raises(Refused, match="2 sites answered, and 3 must"):
        collect_sum(published(), SecureMemoryTransport([SecureSite(rows(), user="user", by="song") for _ in range(2)]))


@needs_cryptography
def test_a_site_answers_a_round_once_and_up_to_its_total() -> None:
    asked = published(epsilon=2)
    site = SecureSite(rows(), user="user", by="song", epsilon=3)
    site.join(asked)
    with pytest.raises(Refused, match="has answered this round"):
        site.join(asked)
    again = SecureSite(rows(), user="user", by="song", epsilon=3, state=site.state())
    with pytest.raises(Refused, match="has answered this round"):
        again.join(asked)
    with pytest.raises(Refused, match="budget does not allow"):
        again.join(published(epsilon=2))
    again.join(published(epsilon=1))


def test_a_table_that_cannot_be_read_costs_nothing(tmp_path: Path) -> None:
    """It says nothing of rows, and the round can be answered later."""
    path = tmp_path / "rows.parquet"
    pq.write_table(rows(), path)
    secure = SecureSite(path, user="user", by="song", epsilon=20)
    site = Site(path, user="user", by="song", epsilon=20)
    content = path.read_bytes()
    path.write_bytes(content[:40] + b"x" * 20 + content[60:])
    asked, other = published(), Analyst().publish("Which?", epsilon=1, sites_per_person=1)
    with pytest.raises(ReadingFailed, match="the round is not answered") as summing:
        secure.join(asked)
    with pytest.raises(ReadingFailed, match="the round is not answered") as reporting:
        site.reports(other)
    assert not any("blue" in str(each.value) for each in (summing, reporting))
    assert [ClientState.from_json(each).answered for each in (secure.state(), site.state())] == [(), ()]
    path.write_bytes(content)
    assert len(site.reports(other)) == 4


def test_rounds_that_a_site_refuses() -> None:
    site, secure = Site(rows(), user="user", by="song"), SecureSite(rows(), user="user", by="song")
    inviting = Analyst().publish("Which?", epsilon=1, neighbours="replace", people=100)
    with pytest.raises(Refused, match="A round that invites is for people"):
        site.reports(inviting)
    with pytest.raises(Refused, match="for people who answer by themselves"):
        site.reports(Analyst().publish("Which?", epsilon=1))
    with pytest.raises(Refused, match="for people who answer by themselves"):
        secure.join(SecureAnalyst().publish("Which?", keys=KEYS, people=10, epsilon=1))
    states = [ClientState.from_json(each.state()) for each in (site, secure)]
    assert [state.answered for state in states] == [(), ()]


def test_everybody_has_a_report_and_a_ticket_of_their_own() -> None:
    asked = Analyst().publish("Which?", epsilon=1, sites_per_person=1)
    site = Site(rows(), user="user", by="song", key=bytes(32))
    reports = site.reports(asked)
    tickets = [report.ticket for report in reports]
    assert len(set(tickets)) == len(tickets) == 4
    assert tickets == sorted(tickets)
    with pytest.raises(Refused, match="has answered this round"):
        site.reports(asked)


def test_a_person_at_one_site_counts_once_and_at_two_twice() -> None:
    """A site that forgot that it answered has the same tickets again, whatever changed; another site has others."""
    asked = Analyst().publish("Which?", epsilon=1, sites_per_person=1)
    aggregator = Aggregator(asked)
    first = Site(rows(), user="user", by="song", key=bytes(32)).reports(asked)
    for report in first:
        aggregator.add(report)
    for report in Site(rows(ROWS[2:]), user="user", by="song", key=bytes(32)).reports(asked):
        assert report.ticket in {each.ticket for each in first}
        with pytest.raises(Refused, match="already used"):
            aggregator.add(report)
    other = Site(rows(), user="user", by="song").reports(asked)
    assert not {report.ticket for report in other} & {report.ticket for report in first}


def test_a_round_of_sites_and_people() -> None:
    asked = Analyst().publish("Which?", epsilon=3, delta="0.1", items=2, sites_per_person=1)
    everybody = hc.example(people=2000)
    shown = collect(asked, MemoryTransport([Site(everybody, user="user", by="song"), Client(["song 0001"])]))
    true = Counter(row["song"] for row in everybody.to_pylist())
    assert {item for item, _ in shown.counts[:2]} <= set(true)
    assert all(count <= true[item] + 1 for item, count in shown.counts)


def test_a_series_of_rounds() -> None:
    """A site answers each round of a plan, and pays for the plan once."""
    plan = quantiles("How many minutes?", range=(0, 240), q=[0.5], epsilon=1, delta="1e-4", sites_per_person=1)
    table = pa.table({"user": range(6000), "minutes": [number * 7919 % 240 for number in range(6000)]})
    site = Site(table, user="user", by="minutes", epsilon=1, delta="1e-3")
    release = collect_rounds(RoundsAnalyst(plan), MemoryTransport([site]))
    assert abs(release["value"][0].as_py() - 120) < 15
    assert ClientState.from_json(site.state()).epsilon == 1


# what a round states


def test_a_round_of_sites_says_what_it_promises() -> None:
    asked = SecureAnalyst().publish(
        "Which diagnosis?", keys=KEYS, people=50_000, sites=5, minimum=4, epsilon=1, sites_per_person=2
    )
    assert str(asked) == (
        "Which diagnosis?\n"
        "  people   up to 50,000, with at most one item each; who answers is not hidden\n"
        "  sites    up to 5; a person may be at 2 of them, with as many items at each\n"
        "  promise  epsilon 1, delta 0, for whether a person is there, and with which items\n"
        "  noise    3.61 a count (standard deviation), on 3 items\n"
        "  sees     the server sees masked numbers and their sum: 19 bits for each item\n"
        "  answers  4 are needed, else nothing is opened: 1 of 5 sites may be missing\n"
        "  honest   4 of these must add noise and tell nobody: 0 may not\n"
        "  masks    each site with 4 others, of whom 3 restore a secret"
    )
    assert SecureRound.from_json(asked.to_json()) == asked
    assert (asked.parties, asked.most, asked.memberships) == (5, 50_000, 2)


def test_a_round_of_reports_says_at_how_many_sites_a_person_may_be() -> None:
    asked = Analyst().publish("Which?", epsilon=1, items=2, sites_per_person=3)
    assert "  people   everybody answers, with at most 2 items each at each of up to 3 sites\n" in str(asked)
    assert Round.from_json(asked.to_json()) == asked
    alone = Analyst().publish("Which?", epsilon=1, items=2)
    assert '"sites_per_person"' not in alone.to_json()
    assert asked.rate < alone.rate
    assert asked.holds


@needs_cryptography
def test_a_release_of_sites_says_whose_counts_they_are() -> None:
    analyst = SecureAnalyst()
    asked = analyst.publish("Which song?", keys=KEYS, people=1000, sites=3, epsilon=1, neighbours="replace")
    sites = [SecureSite(rows(), user="user", by="song", entropy=_Still()) for _ in range(3)]
    release = analyst.read(collect_sum(asked, SecureMemoryTransport(sites)))
    assert sum(release["count"].to_pylist()) == 6
    text = " ".join(release.explain().split())
    assert "Sites keep the rows of their people. 3 sites answered." in text
    assert "replacing any one person, with all their rows at one site, by another one changes the probability" in text
    assert "if at least 3 sites that answered add their noise and tell nobody" in text
    assert "held to one item at a site" in " ".join(str(release).split())


class _Still(NoNoise):
    """No noise, and secrets that are fresh."""


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        ({"sites": 2}, "sites: a whole number from 3 to 1048576 is needed"),
        ({"sites": 4, "sites_per_person": 5}, "sites_per_person: a whole number from 1 to 4 is needed"),
        (
            {"sites": None, "minimum": None, "sites_per_person": 2},
            "sites_per_person: a whole number from 1 to 1 is needed",
        ),
        ({"sites": 4, "minimum": 5}, "minimum: a whole number from 2 to 4 is needed"),
    ],
)
def test_rounds_of_sites_that_are_refused(terms: dict[str, Any], why: str) -> None:
    with pytest.raises(BadParameter, match=why):
        published(**terms)


def test_reports_of_several_sites_need_a_round_by_itself() -> None:
    with pytest.raises(BadParameter, match="a round that invites people has no sites"):
        Analyst().publish("Which?", epsilon=1, neighbours="replace", people=100, sites_per_person=2)
    with pytest.raises(BadParameter, match="sites_per_person: a whole number from 1 to 100, or null,"):
        Analyst().publish("Which?", epsilon=1, sites_per_person=0)


def test_reports_hold_as_text() -> None:
    reports = Site(rows(), user="user", by="song").reports(Analyst().publish("Which?", epsilon=1, sites_per_person=1))
    assert [Report.from_json(report.to_json()) for report in reports] == reports


def test_sums_that_no_modulus_holds_are_refused() -> None:
    keys = [str(number) for number in range(1000)]
    with pytest.raises(BadParameter, match="too large for one sum"):
        SecureAnalyst().publish("Which?", keys=keys, people=2**33, sites=10**6, items=1000, epsilon=20)


@needs_cryptography
def test_the_example_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    section = PAGE.read_text().partition("## Hospitals: sites with many people")[2]
    code, output = re.findall(r"```(?:py)?\n(.*?)```", section, re.DOTALL)[:2]
    exec(code, {})
    printed = capsys.readouterr().out
    assert printed.startswith(output)
    assert 'people per item, from 4 answers to "Which diagnosis?": 3 rows' in printed
