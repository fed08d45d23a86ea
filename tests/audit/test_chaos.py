"""Kill writers of a ledger at every step: no free release, no under-count, one draw a charge. With teeth."""

import os
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest
from tests.effort import examples

from headcount.account import Charge, Ledger, Part, PartKeys, PartResult
from headcount.account.events import Laplace
from headcount.account.ledger.requests import Work
from headcount.audit import chaos

IN_PARTS = Charge("this", chaos.PRICE, parts=tuple(Part(name, (Laplace(Fraction(20), Fraction(1)),)) for name in "ab"))
"""A charge whose two parts cost what it costs, together."""


def part_by_part(ledger: Ledger, charge: Charge, work: Work, out: Path) -> None:
    """Seal one part after the other, then hand out both."""

    def draw(part: Part, head: str, keys: PartKeys) -> PartResult:
        return PartResult(work(head, keys.own), part.events)

    sealed = [
        ledger.publish_part(charge, part.name, partial(draw, part), data=part.name.encode) for part in charge.parts
    ]
    out.with_suffix(".half").write_bytes(b" ".join(part.content for part in sealed))
    out.with_suffix(".half").rename(out)


def fresh_parts(ledger: Ledger, charge: Charge, work: Work, out: Path) -> None:
    """The mistake of a part that draws from the system: planted."""
    part_by_part(ledger, charge, lambda head, secret: work(head, os.urandom(32)), out)


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


@pytest.mark.slow(sibling="test_parts_killed_at_random")
def test_parts_killed_at_every_seventh_step(tmp_path: Path) -> None:
    """Two parts have more than a thousand steps, most of them in code that a whole charge runs through as well."""
    tally = chaos.kill_at_every_step(tmp_path, part_by_part, charge=IN_PARTS, stride=7)
    assert tally.violations == 0
    assert tally.kills == tally.steps > 150
    assert tally.lost_spends > 50, "hardly a kill fell between charge and last seal: the test missed the point"


def test_parts_killed_at_random(tmp_path: Path) -> None:
    tally = chaos.kill_at_random(tmp_path, examples(40), part_by_part, charge=IN_PARTS)
    assert tally.kills == examples(40)
    assert tally.violations == 0


@pytest.mark.slow(sibling="test_parts_killed_at_random")
def test_parts_that_draw_anew_are_caught(tmp_path: Path) -> None:
    assert chaos.kill_at_every_step(tmp_path, fresh_parts, charge=IN_PARTS, stride=30).second_draws > 0


def test_a_writer_that_fails_by_itself_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chaos._Place, "publish", lambda self: 1 // 0)
    with pytest.raises(RuntimeError, match="a writer failed by itself"):
        chaos.kill_at_every_step(tmp_path)


def test_32_writers_charge_exactly_the_budget(tmp_path: Path) -> None:
    assert chaos.contend(tmp_path, writers=32, requests=4, budget=50).epsilon == 50
