"""A ledger that serves others: whoever asks sees the same whether the data changed since or not, and nothing is charged
or drawn by it. Whoever holds the data is told, by an error of its own."""

import logging
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import headcount as hc
from headcount.account import Charge, Cost, Ledger
from headcount.account.ledger.stores.sqlite import SqliteStore
from headcount.errors import (
    BadParameter,
    BudgetExceeded,
    DataChanged,
    HeadcountError,
    LedgerTampered,
    NotFinished,
)
from tests.account.test_same_data import KINDS, write

PEOPLE: dict[str, list[Any]] = {"user": [1, 2, 3, 4], "age": ["a", "b", "a", "a"], "ill": ["n", "n", "y", "n"]}
NEIGHBOURS: dict[str, dict[str, list[Any]]] = {
    "the same": PEOPLE,
    "one more": {"user": [1, 2, 3, 4, 5], "age": ["a", "b", "a", "a", "b"], "ill": ["n", "n", "y", "n", "y"]},
    "one less": {name: column[:3] for name, column in PEOPLE.items()},
    "one is ill": {**PEOPLE, "ill": ["n", "n", "y", "y"]},
}
BY_AGE: dict[str, Any] = {"user": "user", "epsilon": 1, "bound": 1, "by": "age", "keys": ["a", "b"]}
BY_ILLNESS: dict[str, Any] = {**BY_AGE, "by": "ill", "keys": ["n", "y"]}
CHARGE = Charge("people per word", Cost(Fraction(1), Fraction(0)))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    Ledger(tmp_path / "visits.db", epsilon=3, delta=1e-5)
    return Ledger(tmp_path / "visits.db", serves=True)


def holder(ledger: Ledger) -> Ledger:
    """The same ledger, as whoever holds the data opens it."""
    return Ledger(ledger.path)


def seen(ask: Callable[[], hc.Release], ledger: Ledger) -> tuple[Any, ...]:
    """All that whoever asks can see: the answer or the refusal; and the ledger after it."""
    try:
        release = ask()
    except HeadcountError as error:
        return type(error), str(error), error.fix, error.exit_code, ledger.head
    shown = repr(release), release.to_json(), release.explain(), release.hints
    return release.content, release.fresh, *shown, ledger.head


def drawn_again(data: Any, *, ledger: Ledger, **asked: Any) -> hc.Release:
    return hc.plan("histogram", data, **asked).release(ledger=ledger, again=True)


def seen_on_neighbours(
    make: Callable[[dict[str, list[Any]]], Any],
    asked: dict[str, Any],
    ledger: Ledger,
    ask: Callable[..., hc.Release] = hc.histogram,
) -> Any:
    """What is seen of a request, which must be one thing whatever became of the data."""
    views = [
        seen(partial(ask, hc.table(make(rows), name="visits"), **asked, ledger=ledger), ledger)
        for rows in NEIGHBOURS.values()
    ]
    assert all(view == views[0] for view in views)
    return views[0]


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_may_change_in_any_column(ledger: Ledger, kind: str) -> None:
    """One person's illness changes: a request by age and one by illness are answered alike."""
    for asked in (BY_AGE, BY_ILLNESS):
        first = hc.histogram(hc.table(KINDS[kind](PEOPLE), name="visits"), **asked, ledger=ledger)
        assert seen_on_neighbours(KINDS[kind], asked, ledger)[:2] == (first.content, False)
    assert len(ledger.spends()) == 2


@pytest.mark.slow(one_in=2)
@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_a_file_may_change(ledger: Ledger, tmp_path: Path, ending: str) -> None:
    def written(rows: dict[str, list[Any]]) -> Path:
        return write(tmp_path / f"visits{ending}", rows)

    first = hc.histogram(hc.table(written(PEOPLE), name="visits"), **BY_AGE, ledger=ledger)
    assert seen_on_neighbours(written, BY_AGE, ledger)[:2] == (first.content, False)


@pytest.mark.parametrize("step", ["reading", "drawing noise"])
def test_a_charge_that_was_not_finished_is_refused_whatever_the_data_are(ledger: Ledger, step: str) -> None:
    """Its secret is for the data that it was charged for: whether these are the same must not show."""
    plan = hc.plan("histogram", hc.table(pa.table(PEOPLE), name="visits"), **BY_AGE)

    def stop(now: str) -> None:
        if now == step:
            raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        plan.release(ledger=ledger, progress=stop)
    kind, text, *_ = seen_on_neighbours(pa.table, BY_AGE, ledger)
    assert kind is NotFinished
    assert text.startswith("this request was charged, and its release is not finished. Nothing was drawn, nothing was")
    assert [spend.sealed for spend in ledger.spends()] == [False]
    with pytest.raises(DataChanged):
        hc.histogram(hc.table(pa.table(NEIGHBOURS["one more"]), name="visits"), **BY_AGE, ledger=holder(ledger))
    finished = plan.release(ledger=holder(ledger))
    assert seen_on_neighbours(pa.table, BY_AGE, ledger)[0] == finished.content
    assert len(ledger.spends()) == 1


def test_a_new_request_is_refused_on_its_budget_alone(ledger: Ledger) -> None:
    for asked in (BY_AGE, BY_ILLNESS):
        assert seen_on_neighbours(pa.table, {**asked, "epsilon": 9}, ledger)[0] is BudgetExceeded
    assert ledger.spends() == ()


def test_only_the_holder_draws_again(ledger: Ledger) -> None:
    """Then the new draw is what others are served."""
    first = hc.histogram(hc.table(pa.table(PEOPLE), name="visits"), **BY_AGE, ledger=ledger)
    kind, text, *_ = seen_on_neighbours(pa.table, BY_AGE, ledger, drawn_again)
    assert kind is BadParameter
    assert text.startswith("again=True: only whoever runs the ledger draws again, and this one serves others.")
    changed = pa.table(NEIGHBOURS["one is ill"])
    second = drawn_again(hc.table(changed, name="visits"), **BY_AGE, ledger=holder(ledger))
    assert second.content != first.content
    assert seen_on_neighbours(pa.table, BY_AGE, ledger)[0] == second.content


def test_a_new_draw_that_is_not_finished_leaves_the_earlier_answer(ledger: Ledger) -> None:
    def fails(head: str, secret: bytes) -> bytes:
        raise MemoryError

    first = ledger.publish(CHARGE, lambda head, secret: b"first", data=lambda: b"data")
    with pytest.raises(MemoryError):
        holder(ledger).publish(CHARGE, fails, again=True, data=lambda: b"others")
    assert ledger.publish(CHARGE, fails, data=lambda: b"others").content == first.content


def test_a_lost_key_is_not_seen_either(ledger: Ledger) -> None:
    first = ledger.publish(CHARGE, lambda head, secret: b"first", data=lambda: b"data")
    Path(f"{ledger.path}.key").unlink()
    assert ledger.publish(CHARGE, lambda head, secret: b"second", data=lambda: b"data").content == first.content


@pytest.mark.parametrize("serves", [0, 1, "yes", "False"])
def test_it_is_true_or_false(tmp_path: Path, serves: Any) -> None:
    with pytest.raises(BadParameter, match=r"serves=.*: True or False\. Fix: serves=True"):
        Ledger(tmp_path / "new.db", epsilon=1, serves=serves)


# The operator's log


def read() -> bytes:
    raise OSError("no such file")


def test_the_data_are_not_read_for_a_sealed_answer(ledger: Ledger) -> None:
    """So that not even the time depends on them."""
    looks = list[bytes]()

    def look() -> bytes:
        looks.append(b"data")
        return looks[-1]

    for _ in range(3):
        assert ledger.publish(CHARGE, lambda head, secret: b"first", data=look).content == b"first"
    assert len(looks) == 1


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (lambda: b"data", []),
        (lambda: b"others", ["visits.db: row 1 is served, and the data are not those of its charge."]),
        (read, ["visits.db: row 1 is served; the data cannot be compared (OSError)."]),
    ],
)
def test_an_operator_who_listens_is_told(
    ledger: Ledger, caplog: pytest.LogCaptureFixture, data: Callable[[], bytes], lines: list[str]
) -> None:
    ledger.publish(CHARGE, lambda head, secret: b"first", data=lambda: b"data")
    with caplog.at_level(logging.INFO, "headcount"):
        assert ledger.publish(CHARGE, lambda head, secret: b"", data=data).content == b"first"
    assert [record.getMessage() for record in caplog.records] == lines
    assert all(record.levelno < logging.WARNING for record in caplog.records), "Python prints warnings to stderr"


# Whoever holds the data


def test_the_holder_is_told_by_an_error_of_its_own(ledger: Ledger) -> None:
    hc.histogram(hc.table(pa.table(PEOPLE), name="visits"), **BY_AGE, ledger=ledger)
    for name, rows in NEIGHBOURS.items():
        ask = partial(hc.histogram, hc.table(pa.table(rows), name="visits"), **BY_AGE, ledger=holder(ledger))
        if name in ("the same", "one is ill"):
            assert not ask().fresh
        else:
            with pytest.raises(DataChanged, match="the data changed since this request was charged") as refused:
                ask()
            assert refused.value.exit_code == 4


# A ledger that is made to serve


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A ledger that was made with `serves=True`, with a sealed release."""
    serving = Ledger(tmp_path / "visits.db", epsilon=3, delta=1e-5, serves=True)
    hc.histogram(hc.table(pa.table(PEOPLE), name="visits"), **BY_AGE, ledger=serving)
    return serving.path


def test_a_ledger_that_was_made_to_serve_serves_however_it_is_opened(made: Path) -> None:
    for opened in (Ledger(made), Ledger(made, serves=True), made, str(made)):
        changed = hc.histogram(hc.table(pa.table(NEIGHBOURS["one more"]), name="visits"), **BY_AGE, ledger=opened)
        assert not changed.fresh
    assert ", serves=True>" in repr(Ledger(made))
    assert (Ledger(made).serves, Ledger(made).made_to_serve) == (True, True)


def test_only_its_operator_opens_it_otherwise(made: Path) -> None:
    operator = Ledger(made, serves=False)
    assert (operator.serves, operator.made_to_serve) == (False, True)
    with pytest.raises(DataChanged):
        hc.histogram(hc.table(pa.table(NEIGHBOURS["one more"]), name="visits"), **BY_AGE, ledger=operator)


def test_how_a_ledger_is_opened_later_is_not_recorded(tmp_path: Path) -> None:
    """So that one that may only be read can be opened, and its head stays."""
    plain = Ledger(tmp_path / "visits.db", epsilon=3, delta=1e-5)
    assert Ledger(plain.path, serves=True).head == plain.head
    assert (Ledger(plain.path).serves, Ledger(plain.path).made_to_serve) == (False, False)


def test_that_it_serves_cannot_be_edited_out(made: Path) -> None:
    with SqliteStore.at(made).writing() as transaction:
        transaction.connection.execute(
            "UPDATE entry SET body = replace(body, ',\"serves\":\"others\"', '') WHERE number = 0"
        )
    with pytest.raises(LedgerTampered):
        Ledger(made)
