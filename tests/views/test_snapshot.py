"""The identity of a view's data is that of its rows, so of every table that it reads, all at one moment."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import ibis
import pytest

import headcount as hc
from headcount.account import Ledger
from headcount.errors import LedgerError
from headcount.source import identified, open_events
from headcount.source.engines.limits import Limits

pytestmark = pytest.mark.filterwarnings("ignore")
_ = ibis._
Opened = tuple[Any, Callable[[], Callable[[str], Any]]]
"""A connection, and what opens another one to the same database and returns its way to run SQL."""
SWAPPED = (
    "BEGIN; UPDATE person SET state = 1 - state; UPDATE visit SET state = 1 - state; "
    "UPDATE ward SET state = 1 - state; COMMIT"
)


@pytest.fixture(params=["duckdb", "postgres"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    if request.param == "duckdb":
        connection = ibis.duckdb.connect(tmp_path / "clinic.db")
        yield connection, lambda: connection.con.cursor().execute
        connection.disconnect()
        return
    host = request.getfixturevalue("postgres").con.info.host

    def connect() -> Any:
        found = ibis.postgres.connect(host=host, user="postgres", database="postgres")
        found.con.autocommit = True
        found.con.execute("CREATE SCHEMA IF NOT EXISTS snapshots; SET search_path = snapshots")
        return found

    connection = connect()
    yield connection, lambda: connect().con.execute
    connection.con.execute("DROP SCHEMA snapshots CASCADE")
    connection.disconnect()


def view(opened: Opened) -> Any:
    """Three tables, each with one state in all of its rows."""
    connection, connect = opened
    execute = connect()
    execute("CREATE TABLE person (u BIGINT, state INT, unread INT)")
    execute("CREATE TABLE visit (u BIGINT, w INT, state INT)")
    execute("CREATE TABLE ward (w INT, state INT)")
    numbers = "generate_series(0, 1999) AS t(i)"
    execute(f"INSERT INTO person SELECT i, 0, 0 FROM {numbers}")
    execute(f"INSERT INTO visit SELECT i % 2000, i % 7, 0 FROM {numbers}")
    execute("INSERT INTO ward SELECT i, 0 FROM generate_series(0, 6) AS t(i)")
    person, visit, ward = map(connection.table, ("person", "visit", "ward"))
    visits = visit.rename(of_visit="state").join(person.rename(of_person="state"), "u")
    joined = visits.join(ward.rename(of_ward="state"), "w")
    return hc.view(joined.select("u", "of_visit", "of_person", "of_ward"), user="u", public=["ward"])


def identity(data: Any) -> bytes:
    return identified(open_events(data, ["u", "of_visit", "of_person", "of_ward"]), Limits())[0]


@pytest.mark.parametrize("table", ["visit", "person", "ward"])
def test_a_change_of_any_table_is_another_identity(opened: Opened, table: str) -> None:
    data = view(opened)
    before = identity(data)
    opened[1]()(f"UPDATE {table} SET state = 1 WHERE {'w' if table == 'ward' else 'u'} = 3")
    assert identity(data) != before


def test_what_the_view_does_not_show_is_no_part_of_it(opened: Opened) -> None:
    """The release depends on the rows of the view alone: it is sealed for these."""
    data = view(opened)
    before = identity(data)
    opened[1]()("UPDATE person SET unread = 1")
    assert identity(data) == before


def test_a_sealed_release_is_not_returned_for_another_second_table(opened: Opened, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "clinic.ledger", epsilon=3)
    given: dict[str, Any] = {"user": "u", "by": "of_person", "keys": [0, 1], "bound": 1, "epsilon": 1, "ledger": ledger}
    data = hc.table(view(opened), name="clinic")
    first = hc.histogram(data, **given)
    assert hc.histogram(data, **given).content == first.content
    opened[1]()("UPDATE person SET state = 1 WHERE u = 3")
    with pytest.raises(LedgerError, match="the data changed since this request was charged"):
        hc.histogram(data, **given)
    assert ledger.spent.epsilon == 1


@contextmanager
def swapping(execute: Callable[[str], Any]) -> Iterator[list[int]]:
    """Change all three tables in one transaction, again and again, while the block runs."""
    done, count = Event(), [0]

    def work() -> None:
        while not done.is_set():
            execute(SWAPPED)
            count[0] += 1

    thread = Thread(target=work)
    thread.start()
    try:
        yield count
    finally:
        done.set()
        thread.join()


@pytest.mark.slow(one_in=2)
def test_a_commit_between_two_tables_is_never_half_seen(opened: Opened) -> None:
    data, execute = view(opened), opened[1]()
    whole = {identity(data)}
    execute(SWAPPED)
    whole.add(identity(data))
    assert len(whole) == 2
    with swapping(execute) as count:
        found = [identity(data) for _place in range(12)]
        while count[0] < 3:
            found.append(identity(data))
    assert set(found) <= whole
