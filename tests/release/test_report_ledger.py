"""What a report says of the ledger that its release was charged to: never that there is none."""

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from tests.release.test_report import read

import headcount as hc
from headcount.release.published import check_sealed

ROWS = pa.table({"listener": range(400), "song": [f"song {user % 2}" for user in range(400)]})
PLAYS = hc.table(ROWS, name="plays of May")
TOTAL: dict[str, Any] = {"user": "listener", "count": "users"}


@pytest.fixture
def ledger(tmp_path: Path) -> hc.Ledger:
    return hc.Ledger(tmp_path / "plays.db", epsilon=3, delta=1e-5)


def test_a_release_that_was_just_charged_knows_its_ledger(ledger: hc.Ledger, tmp_path: Path) -> None:
    release = hc.total(PLAYS, **TOTAL, epsilon=0.5, ledger=str(ledger.path))
    pages = [release.report(tmp_path / "a.html"), release.report(tmp_path / "b.html", ledger=ledger)]
    pages += [release.report(tmp_path / "c.html", ledger=str(ledger.path)), release.save(tmp_path / "d.html")]
    assert len({page.read_bytes() for page in pages}) == 1
    text = read(pages[0])
    assert f"Charged on {ledger.spends()[-1].at}, row 1 of plays.db" in text
    assert "spent epsilon 0.5, delta 0; left epsilon 2.5, delta 0.00001" in text
    assert "It is the first charge to plays.db." in text


@pytest.mark.parametrize("kind", ["html", "yaml"])
def test_a_loaded_release_that_was_charged_asks_for_its_ledger(kind: str, ledger: hc.Ledger, tmp_path: Path) -> None:
    release = hc.total(PLAYS, **TOTAL, epsilon=0.5, ledger=ledger)
    loaded = hc.load(release.save(tmp_path / "r.parquet"))
    text = " ".join(loaded.report(tmp_path / f"r.{kind}").read_text().split())
    assert "no ledger" not in text
    assert "harged to a ledger" in text
    assert "not charged to a ledger" not in text
    if kind == "html":
        assert read(tmp_path / "r.html").index("Make the report with the ledger: release.report(") < 500
    assert check_sealed(ledger, tmp_path / f"r.{kind}").startswith("made from a release that was sealed here")


def test_the_content_does_not_depend_on_who_knows_the_ledger(ledger: hc.Ledger, tmp_path: Path) -> None:
    release = hc.total(PLAYS, **TOTAL, epsilon=0.5, ledger=ledger)
    assert str(tmp_path).encode() not in release.content
    assert release.content == hc.load(release.save(tmp_path / "r.parquet")).content
    ledger.path.unlink()
    assert "this report was made without it" in read(release.report(tmp_path / "r.html"))


def test_all_releases_of_a_ledger_have_their_odds_together(ledger: hc.Ledger, tmp_path: Path) -> None:
    hc.total(PLAYS, **TOTAL, epsilon=0.5, ledger=ledger)
    release = hc.histogram(
        hc.table(ROWS, name="plays <of> June"), user="listener", by="song", bound=1, epsilon=1, ledger=ledger
    )
    hc.total(hc.table(ROWS, name="plays of July"), **TOTAL, epsilon=0.25, ledger=ledger)
    text = read(release.report(tmp_path / "r.html"))
    assert "this release included (2 charges): epsilon 1.5, delta 0.000001. Then 50% can become at most 81.8%" in text
    assert "The whole budget, if it is all spent one day: epsilon 3, delta 0.00001. Then 50% can" in text
    assert re.search(r"row 3, this release \S+ people per song plays <of> June 1 0.000001 row 1 ", text)
    assert "plays of July" not in text
    record = yaml.safe_load(release.report(tmp_path / "r.yaml").read_text())
    model = record["deployment"]["deployment_model"]
    assert model["release_type"] == "Many releases"
    assert "2 charges to one ledger" in model["release_type_details"]


def test_a_release_without_a_ledger_says_so(tmp_path: Path) -> None:
    release = hc.total(PLAYS, **TOTAL, epsilon=0.5)
    text = read(release.report(tmp_path / "r.html"))
    assert "Budget not known: not charged to a ledger" in text
    assert "All releases of this ledger" not in text
    assert "Not charged to a ledger" in release.report(tmp_path / "r.yaml").read_text()
