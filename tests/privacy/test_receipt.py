"""What happened costs no more than what was paid, or nothing is released: the code that draws compares the two."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import headcount as hc
from headcount.account import Cost
from headcount.account.composition.receipt import check_paid
from headcount.account.events import Event, Gaussian, Guarantee, LaplaceThreshold, to_json
from headcount.audit.choices import Fixed
from headcount.errors import Defect, ReadingFailed
from headcount.exact import Integers
from headcount.mechanism import JointRounds
from headcount.mechanism.stages import joint
from headcount.noise import NoiseDistribution
from headcount.noise.laplace import DiscreteLaplace
from headcount.planner import explanation

PEOPLE = 3000
TABLE = pa.table({"user": np.repeat(np.arange(PEOPLE), 3), "item": [str(each) for each in range(6)] * (PEOPLE // 2)})
ASKED: dict[str, Any] = {"user": "user", "by": "item", "epsilon": 1}


class Watched(Fixed):
    """Draws nothing but 0, and remembers the laws."""

    def __init__(self) -> None:
        super().__init__(0)
        self.distributions: list[NoiseDistribution] = []

    def draw(self, distribution: NoiseDistribution, size: int) -> Integers:
        self.distributions.append(distribution)
        return super().draw(distribution, size)


def for_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake: noise for twice the epsilon that is left."""
    calibrated = joint.calibrated

    def wrong(budget: Cost, *others: Any) -> JointRounds:
        return calibrated(Cost(2 * budget.epsilon, budget.delta), *others)

    monkeypatch.setattr(joint, "calibrated", wrong)


def test_noise_for_more_than_was_paid_is_never_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The profile is drawn, which was paid for, and no noise after it."""
    for_twice(monkeypatch)
    entropy = Watched()
    with pytest.raises(Defect, match="costs more than epsilon 1, delta 1e-06") as refused:
        hc.plan("histogram", TABLE, **ASKED).release(entropy=entropy)
    assert "This is a defect of headcount. Nothing was released." in str(refused.value)
    assert [type(distribution) for distribution in entropy.distributions] == [DiscreteLaplace]


def test_a_ledger_keeps_the_charge_and_seals_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for_twice(monkeypatch)
    ledger = hc.Ledger(tmp_path / "plays.db", epsilon=2, delta=1e-5)
    with pytest.raises(Defect):
        hc.histogram(hc.table(TABLE, name="plays"), **ASKED, ledger=ledger)
    assert ledger.spent.epsilon == 1
    monkeypatch.undo()
    assert len(hc.histogram(hc.table(TABLE, name="plays"), **ASKED, ledger=ledger).table)
    assert ledger.spent.epsilon == 1


def test_events_are_compared_again_as_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, written = hc.plan("histogram", TABLE, **ASKED), to_json
    more = Guarantee(Fraction(1), Fraction(0))
    monkeypatch.setattr(explanation, "to_json", lambda events: written([*events, more]))
    with pytest.raises(Defect, match="costs more"):
        plan.release(entropy=Fixed(0))
    monkeypatch.setattr(explanation, "to_json", lambda events: written(events[1:]))
    with pytest.raises(Defect, match="A selection is not in the record"):
        plan.release(entropy=Fixed(0))


def test_what_selections_cost_is_taken_from_the_price() -> None:
    """To the last bit: and a selection that is not of a pure epsilon is none that may precede a mechanism."""
    third, paid = Guarantee(Fraction(1, 3), Fraction(0)), Cost(Fraction(1), Fraction(0))
    check_paid(paid, "replace", (third,), (third, third))
    more = Guarantee(Fraction(1, 3) + Fraction(1, 10**30), Fraction(0))
    for events, selections in [((more,), (third, third)), ((), (Guarantee(Fraction(2), Fraction(0)),))]:
        with pytest.raises(Defect, match="costs more"):
            check_paid(paid, "replace", events, selections)
    with pytest.raises(Defect, match="costs more"):
        check_paid(replace(paid, delta=Fraction(1, 10)), "replace", (), (Gaussian(Fraction(10**9), Fraction(1), 1),))


def test_events_for_other_neighbours_are_not_paid_for() -> None:
    event = LaplaceThreshold(Fraction(100), 1, 1, 5000, "add-remove")
    paid, other = Cost(Fraction(1), Fraction(1, 10)), replace(event, neighbours="replace")
    check_paid(paid, "add-remove", (event,))
    check_paid(paid, "replace-same-size", (other,))
    wrong: list[tuple[str, tuple[Event, ...]]] = [("replace", (event,)), ("add-remove", (event, other))]
    for relation, events in wrong:
        with pytest.raises(Defect, match="is not for neighbours="):
            check_paid(paid, relation, events)


def failing(module: str, error: Exception) -> Any:
    """A function of this module that raises the error."""
    found: dict[str, Any] = {"__name__": module, "error": error}
    exec("def fail(*_):\n    raise error", found)
    return found["fail"]


@pytest.mark.parametrize("error", [KeyError("alice"), AssertionError("alice"), ValueError("alice")], ids=type)
def test_a_mechanism_that_fails_is_a_defect_and_quotes_nobody(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(JointRounds, "run", failing("headcount.mechanism.stages.joint", error))
    with pytest.raises(Defect, match=r"headcount\.mechanism\.stages\.joint failed") as refused:
        hc.plan("histogram", TABLE, **ASKED).release(entropy=Fixed(0))
    assert "alice" not in str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__


@pytest.mark.parametrize(
    ("module", "error"),
    [
        ("headcount.source.contributions.encoded", ValueError("alice")),
        ("headcount.mechanism.stages.joint", MemoryError("alice")),
        ("headcount.mechanism.stages.joint", pa.ArrowInvalid("alice")),
        ("duckdb", ValueError("alice")),
    ],
    ids=["a module that reads", "memory", "an error of Arrow", "an engine"],
)
def test_reading_that_fails_is_no_defect(monkeypatch: pytest.MonkeyPatch, module: str, error: Exception) -> None:
    monkeypatch.setattr(JointRounds, "run", failing(module, error))
    with pytest.raises(ReadingFailed, match="could not be read to their end") as refused:
        hc.plan("histogram", TABLE, **ASKED).release(entropy=Fixed(0))
    assert "alice" not in str(refused.value)
