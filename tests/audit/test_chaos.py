"""Kill writers of a ledger at every step: no free release, no under-count, one draw a charge. With teeth."""

from pathlib import Path

import pytest
from tests.effort import examples

from headcount.audit import chaos


@pytest.mark.slow(sibling="test_killed_at_random")
def test_killed_at_every_step(tmp_path: Path) -> None:
    tally = chaos.kill_at_every_step(tmp_path)
    assert tally.violations == 0
    assert tally.kills == tally.steps > 300
    assert tally.lost_spends > 0, "no kill fell between charge and seal: the test missed the point"


def test_killed_at_random(tmp_path: Path) -> None:
    tally = chaos.kill_at_random(tmp_path, kills=examples(60))
    assert tally.kills == examples(60)
    assert tally.violations == 0


@pytest.mark.slow(sibling="test_killed_at_random")
def test_release_before_charge_is_caught(tmp_path: Path) -> None:
    tally = chaos.kill_at_every_step(tmp_path, chaos.release_first)
    assert tally.free_releases > 0
    assert tally.second_draws > 0


def test_a_writer_that_fails_by_itself_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chaos._Place, "publish", lambda self: 1 // 0)
    with pytest.raises(RuntimeError, match="a writer failed by itself"):
        chaos.kill_at_every_step(tmp_path)


def test_32_writers_charge_exactly_the_budget(tmp_path: Path) -> None:
    assert chaos.contend(tmp_path, writers=32, requests=4, budget=50).epsilon == 50
