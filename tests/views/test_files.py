"""hc.tables: files as tables of one database, with what is declared about them."""

from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

import headcount as hc
from headcount.errors import BadParameter, HeadcountError, NotATable

pytestmark = pytest.mark.filterwarnings("ignore")
_ = ibis._
PEOPLE = 3000
ASKED: dict[str, Any] = {"user": "person_id", "epsilon": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("hospital")
    rows = range(PEOPLE)
    person = {"person_id": list(rows), "gender": ["f" if row % 2 else "m" for row in rows]}
    visit = {"person_id": [row % PEOPLE for row in range(2 * PEOPLE)], "ward": [row % 3 for row in range(2 * PEOPLE)]}
    pq.write_table(pa.table(person), found / "person.parquet")
    pq.write_table(pa.table(visit), found / "visit.parquet")
    csv.write_csv(pa.table({"ward": ["0", "1", "2"], "floor": ["low", "low", "high"]}), found / "ward.csv")
    return found


def opened(folder: Path, **more: Any) -> Any:
    private = {name: folder / f"{name}.parquet" for name in ("person", "visit")}
    return hc.tables(private, **{"user": "person_id", "public": {"ward": folder / "ward.csv"}, **more})


def floors(tables: Any) -> Any:
    wards = tables.ward.mutate(ward=_.ward.cast("int64"))
    return tables.visit.join(tables.person, "person_id").join(wards, "ward")


def test_a_view_of_files_is_released(folder: Path) -> None:
    tables = opened(folder, name="hospital")
    plan = hc.plan("histogram", floors(tables), by=["floor", "gender"], **ASKED)
    assert plan.dataset == "hospital"
    assert plan.certificate
    assert "ward (declared public)" in plan.certificate.sentences[0]
    found = {tuple(row.values())[:2] for row in plan.release().table.to_pylist()}
    assert found == {("low", "f"), ("low", "m"), ("high", "f"), ("high", "m")}


def test_views_of_one_name_share_a_budget(folder: Path, tmp_path: Path) -> None:
    ledger, tables = hc.Ledger(tmp_path / "l.db", epsilon=3, delta=1e-5), opened(folder, name="hospital")
    hc.total(tables.person, ledger=ledger, **ASKED)
    hc.histogram(floors(tables).rename(pid="person_id"), by="floor", ledger=ledger, user="pid", epsilon=1)
    assert [spend.dataset for spend in ledger.spends()] == ["hospital", "hospital"]


def test_tables_that_have_a_name_have_no_other(folder: Path) -> None:
    """It would be a second budget."""
    tables = opened(folder, name="hospital")
    assert hc.plan("total", hc.table(tables.person, name="hospital"), **ASKED).dataset == "hospital"
    with pytest.raises(BadParameter, match="the tables are called 'hospital'"):
        hc.plan("total", hc.table(tables.person, name="clinic"), **ASKED)
    assert hc.plan("total", hc.table(opened(folder).person, name="clinic"), **ASKED).dataset == "clinic"


def test_tables_are_declared_once(folder: Path) -> None:
    """Another declaration, without their name, would be a second budget."""
    tables = opened(folder, name="hospital")
    with pytest.raises(BadParameter, match="says already what these tables are") as refused:
        hc.view(tables.person, user="person_id")
    assert refused.value.fix == "the expression itself as data"


def test_a_ledger_needs_a_name(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadParameter, match="what the data are called"):
        hc.total(opened(folder).person, ledger=hc.Ledger(tmp_path / "l.db", epsilon=3, delta=1e-5), **ASKED)


REFUSED: dict[str, tuple[Any, str]] = {
    "people who meet": (lambda t: t.visit.join(t.visit.view(), "ward"), "without their users being equal"),
    "a public table alone": (lambda t: t.ward, "no column 'person_id'|reads no private table"),
    "a limit": (lambda t: t.visit.limit(5), "limit"),
    "SQL text": (lambda t: t.visit.sql("SELECT * FROM visit LIMIT 1"), "SQL text|no proof"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_mixes_people_is_refused(name: str, folder: Path) -> None:
    make, message = REFUSED[name]
    with pytest.raises(HeadcountError, match=message):
        hc.plan("total", make(opened(folder)), **ASKED)


def test_what_has_no_proof_needs_the_promise(folder: Path) -> None:
    hospital = opened(folder, name="hospital")
    mixed = hospital.person.mutate(last=hospital.person.person_id.max())
    with pytest.raises(NotATable) as refused:
        hc.plan("total", mixed, **ASKED)
    assert refused.value.fix == (
        '.over(group_by="person_id"); or, if you know that it is so, '
        'hc.table(data, promise="each row belongs to one person")'
    )
    plan = hc.plan("total", hc.table(mixed, promise="each row belongs to one person"), **ASKED)
    assert plan.certificate is None
    assert "The table is a query that headcount did not check." in " ".join(str(plan).split())
    assert plan.dataset == "hospital"
    with pytest.raises(NotATable, match=r"whether a row stays depends on other people's rows"):
        hc.plan("total", hospital.person.limit(3), **ASKED)
    with pytest.raises(NotATable, match="No promise covers that"):
        hc.plan("total", hc.table(hospital.person.limit(3), promise="each row belongs to one person"), **ASKED)


def test_a_promise_about_what_has_a_proof_is_not_taken(folder: Path) -> None:
    with pytest.raises(BadParameter, match="headcount checked this view"):
        hc.plan("total", hc.table(opened(folder).person, promise="each row belongs to one person"), **ASKED)


def test_tables_by_name(folder: Path) -> None:
    tables = opened(folder)
    assert list(tables) == ["person", "visit", "ward"]
    assert tables["person"].columns == ("person_id", "gender")
    assert repr(tables) == "Tables(person, visit, ward)"
    with pytest.raises(BadParameter, match=r"there is no table 'drug'\. Fix: one of person, visit, ward"):
        _ = tables.drug


def test_lines_of_orders(tmp_path: Path) -> None:
    pq.write_table(pa.table({"o": range(2000), "c": [row % 900 for row in range(2000)]}), tmp_path / "orders.parquet")
    pq.write_table(pa.table({"o": [row % 2000 for row in range(6000)], "p": ["x"] * 6000}), tmp_path / "lines.parquet")
    paths = {name: tmp_path / f"{name}.parquet" for name in ("orders", "lines")}
    shop = hc.tables(paths, user={"orders": "c"}, links={"lines.o": "orders.o"})
    assert len(hc.histogram(shop.orders.join(shop.lines, "o"), user="c", by="p", epsilon=1).table) == 1
    assert hc.plan("total", shop.orders, user="c", epsilon=1).certificate
    with pytest.raises(HeadcountError, match="orders"):
        hc.plan("total", shop.lines, user="o", epsilon=1)
    with pytest.raises(HeadcountError, match=r"there is no column 'orders\.key'"):
        hc.tables(paths, user={"orders": "c"}, links={"lines.o": "orders.key"})
    message = r"links: lines\.p holds string, orders\.o int64: not the same keys\. Fix: columns of one type"
    with pytest.raises(BadParameter, match=message):
        hc.tables(paths, user={"orders": "c"}, links={"lines.p": "orders.o"})


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "both": ({"public": {"visit": "visit.parquet"}}, "declared both private and public"),
    "no such column": ({"user": "patient"}, "about people, or public"),
    "no such table": ({"user": {"patients": "id"}}, "about people, or public"),
    "a link to nothing": ({"links": {"visit.ward": "stay.ward"}}, "there is no table 'stay'"),
    "a name": ({"public": {"t1": "ward.csv"}}, "the name 't1' of a table"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    more, message = MISTAKES[name]
    with pytest.raises(HeadcountError, match=message):
        opened(folder, **more)


def test_a_frame_is_no_file() -> None:
    with pytest.raises(NotATable, match="not a file"):
        hc.tables({"visit": pa.table({"u": [1]})}, user="u")
