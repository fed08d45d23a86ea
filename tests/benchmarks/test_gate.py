"""The default beside plain queries: what is slower than recorded, and what is printed."""

from pathlib import Path

import pytest

from benchmarks import gate

NOW = {"wall, DuckDB": 9.0, "CPU, DuckDB": 1.3, "CPU, Polars": 2.0}


def test_a_quarter_more_cpu_is_slower_and_wall_time_is_not() -> None:
    assert gate.slower(NOW, {"wall, DuckDB": 1.0, "CPU, DuckDB": 1.0, "CPU, Polars": 1.9}) == ["CPU, DuckDB"]
    assert gate.slower(NOW, {}) == []


def test_recorded_ratios_stand_beside_those_of_now() -> None:
    assert gate.line("1,000", NOW, {"CPU, DuckDB": 1.0}) == "| 1,000 | 9.00 | 1.30 (1.00) | 2.00 |"


def test_a_slower_default_fails_against_what_was_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gate, "RECORDED", tmp_path / "gate.json")
    monkeypatch.setattr(gate, "SIZES", {1_000: 1})
    monkeypatch.setattr(gate, "gettempdir", lambda: str(tmp_path))
    assert gate.main(record=False) == 0
    assert gate.main(record=True) == 0
    monkeypatch.setattr(gate, "SLOWER", 0.0)
    assert gate.main(record=False) == 1
    assert "Slower than recorded: 1,000 events, CPU, DuckDB" in capsys.readouterr().out
