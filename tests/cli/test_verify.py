"""`headcount ledger verify --release`: what was saved is recognised, and an honest file is never called a fraud."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.cli.test_commands import headcount

import headcount as hc
from headcount.account import Ledger
from headcount.errors import BadParameter, NotSealed
from headcount.release.published import check_sealed

TABLE = hc.table(pa.table({"user": range(900), "item": [number % 3 for number in range(900)]}), name="visits")
ASKED: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1}


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = Ledger(tmp_path / "visits.db", epsilon=9, delta=1e-5)
    ledger.publish(hc.Charge("somebody's own", hc.Cost(ledger.budget.epsilon / 9, ledger.budget.delta * 0)), own)
    for bound in (1, 2):
        hc.histogram(TABLE, **ASKED, bound=bound, ledger=ledger).save(tmp_path / f"{bound}.parquet")
    shape = hc.shape(TABLE, **ASKED, ledger=ledger)
    for ending in (".parquet", ".csv", ".json", ".html"):
        shape.save(tmp_path / f"shape{ending}")
    return ledger


def own(head: str, secret: bytes) -> bytes:
    return b"not a table"


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("ending", [".parquet", ".csv", ".json", ".html"])
@pytest.mark.parametrize("name", ["2", "shape"])
def test_what_was_sealed_is_recognised(ledger: Ledger, tmp_path: Path, name: str, ending: str) -> None:
    if (tmp_path / f"{name}{ending}").exists():
        check_sealed(ledger, tmp_path / f"{name}{ending}")
    saved = hc.Release.load(tmp_path / f"{name}.parquet").save(tmp_path / f"out{ending}")
    assert check_sealed(ledger, saved).startswith("sealed here" if ending == ".parquet" else "made from a release")
    content = saved.read_bytes()
    index = content.rindex(b"2")
    saved.write_bytes(content[:index] + b"3" + content[index + 1 :])
    with pytest.raises(NotSealed) as refused:
        check_sealed(ledger, saved)
    assert "tamper" not in str(refused.value)
    assert "changed from outside" not in str(refused.value)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_pictures_cannot_be_verified(ledger: Ledger, tmp_path: Path, ending: str) -> None:
    (tmp_path / f"x{ending}").write_bytes(b"picture")
    with pytest.raises(BadParameter, match=r"a picture cannot be verified\. Fix: the \.parquet file of the same"):
        check_sealed(ledger, tmp_path / f"x{ending}")


def test_on_the_command_line(ledger: Ledger, tmp_path: Path) -> None:
    hc.Release.load(tmp_path / "1.parquet").save(tmp_path / "1.csv")
    sound = f"visits.db: sound\nhead {ledger.head}\n"
    for name, said in [
        ("1.parquet", "sealed here, byte by byte"),
        ("1.csv", "made from a release that was sealed here, every number the same"),
    ]:
        found = headcount("ledger", "verify", "visits.db", "--release", name, cwd=tmp_path)
        assert (found.returncode, found.stdout) == (0, f"{sound}{name}: {said}\n")
    (tmp_path / "2.csv").write_text("something else")
    found = headcount("ledger", "verify", "visits.db", "--release", "2.csv", cwd=tmp_path)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.endswith("Fix: verify the .parquet file of the same release\n")
