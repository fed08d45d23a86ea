"""A release that is stopped between its first look and its seal is repeated, not drawn again. With teeth."""

from pathlib import Path

import pytest
from tests.effort import at_night

from headcount.audit import retries
from headcount.audit.chaos import Tally
from headcount.noise import KeyedEntropy, SystemEntropy
from headcount.planner import plan as planner


def test_a_retry_gives_what_the_run_that_nobody_stopped_gives(tmp_path: Path) -> None:
    stops, kills = (8, 2) if at_night() else (2, 1)
    tally = retries.stop_everywhere(tmp_path, maximum=stops, kills=kills)
    assert tally.violations == 0
    assert tally.lost_spends >= stops, "no stop fell between charge and seal: the test missed the point"


def test_a_fresh_draw_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Fresh(KeyedEntropy):
        def random_bytes(self, count: int) -> bytes:
            return SystemEntropy().random_bytes(count)

    expected, lines = retries._charged(tmp_path / "charged")
    monkeypatch.setattr(planner, "KeyedEntropy", Fresh)
    tally = Tally()
    retries._try(tmp_path / "charged", lines[0], "interrupt", expected, tally)
    assert tally.second_draws == 1
