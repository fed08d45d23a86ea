"""A charge in parts: one price before the first, one secret until the last, one output of each."""

import multiprocessing
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import headcount as hc
from headcount.account import Charge, Cost, Ledger, Part, PartKeys, PartResult
from headcount.account.calibration import calibrate
from headcount.account.events import Event, Gaussian, Laplace
from headcount.account.ledger.parts import merged, read_parts, write_parts
from headcount.account.ledger.record.chain import amount, digest, part_digest
from headcount.account.ledger.record.formats import PARTS_FORMAT
from headcount.errors import BadParameter, BudgetExceeded, DataChanged, Defect, LedgerError, LedgerTampered, NotFinished
from tests.account.test_ledger import append
from tests.platforms import posix_only

ONE = Cost(Fraction(1), Fraction(0))
THIRD: tuple[Event, ...] = (Laplace(Fraction(4), Fraction(1)),)
"""A quarter of epsilon: three parts and what they share cost 1."""
DAYS = ("Monday", "Tuesday", "Wednesday")
WEEK = Charge("people per day", ONE, THIRD, parts=tuple(Part(day, THIRD) for day in DAYS))


class Stopped(BaseException):
    """The work ends here."""


class Work:
    """Notes what each part draws from, and can stop before it returns."""

    def __init__(self, events: tuple[Event, ...] = THIRD, stops: int = 0) -> None:
        self.keys = list[PartKeys]()
        self.heads = list[str]()
        self.events, self.stops = events, stops

    def __call__(self, head: str, keys: PartKeys) -> PartResult:
        self.keys.append(keys)
        self.heads.append(head)
        if len(self.keys) <= self.stops:
            raise Stopped
        return PartResult(f"{head} {bytes(keys.own).hex()} {bytes(keys.shared).hex()}".encode(), self.events)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "visits.db"


@pytest.fixture
def ledger(path: Path) -> Ledger:
    return Ledger(path, epsilon=2, delta=1e-5)


def secrets(path: Path) -> list[Path]:
    return sorted(path.parent.glob("*.secret-*"))


def stop(ledger: Ledger, day: str, data: bytes = b"rows") -> Work:
    work = Work(stops=1)
    with pytest.raises(Stopped):
        ledger.publish_part(WEEK, day, work, data=lambda: data)
    return work


# The price


def test_the_whole_price_is_charged_before_the_first_part_and_nothing_after_it(ledger: Ledger, path: Path) -> None:
    seen = list[Fraction]()

    def work(head: str, keys: PartKeys) -> PartResult:
        seen.append(Ledger(path).spent.epsilon)
        return PartResult(b"day", THIRD)

    for day in DAYS:
        ledger.publish_part(WEEK, day, work)
    assert seen == [1, 1, 1]
    assert ledger.spent == ONE
    assert len(ledger.spends()) == 1


def test_it_can_be_charged_before_any_part_and_is_charged_once(ledger: Ledger, path: Path) -> None:
    ledger.reserve(WEEK)
    Ledger(path).reserve(WEEK)
    assert ledger.spent == ONE
    ledger.publish_part(WEEK, "Monday", Work())
    assert ledger.spent == ONE


def test_two_that_reserve_at_once_charge_once(ledger: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look of one and its turn to write, the other has charged."""
    monkeypatch.setattr(Ledger, "has", lambda self, charge: False)
    ledger.reserve(WEEK)
    Ledger(path).reserve(WEEK)
    assert Ledger(path).spent == ONE


def test_parts_that_are_never_drawn_stay_charged(ledger: Ledger) -> None:
    ledger.publish_part(WEEK, "Tuesday", Work())
    stop(ledger, "Monday")
    assert ledger.spent == ONE
    assert not ledger.spends()[0].sealed
    with pytest.raises(BudgetExceeded):
        ledger.publish(Charge("more", Cost(Fraction(3, 2), Fraction(0))), lambda head, secret: b"")


def test_what_does_not_fit_as_a_whole_is_refused_before_anything_is_read(path: Path) -> None:
    ledger, work, looks = Ledger(path, epsilon="0.9"), Work(), list[int]()

    def data() -> bytes:
        looks.append(1)
        return b"rows"

    with pytest.raises(BudgetExceeded, match=r"costs epsilon=1, delta=0; the ledger has epsilon=0\.9"):
        ledger.publish_part(WEEK, "Monday", work, data=data)
    assert (looks, work.keys, ledger.spends(), secrets(path)) == ([], [], (), [])


def test_parts_that_cost_more_than_the_price_are_refused(ledger: Ledger, path: Path) -> None:
    four = tuple(Part(day, THIRD) for day in (*DAYS, "Thursday"))
    charge = Charge("people per day", ONE, THIRD, parts=four)
    with pytest.raises(BadParameter, match="less than the price of the noise"):
        ledger.reserve(charge)
    with pytest.raises(BadParameter, match="less than the price of the noise"):
        ledger.publish_part(charge, "Monday", Work())
    assert (ledger.spends(), secrets(path)) == ((), [])


@pytest.mark.parametrize(
    "happened", [(*THIRD, *THIRD), (Laplace(Fraction(2), Fraction(1)),), (Gaussian(Fraction(9), Fraction(1), 1),)]
)
def test_a_part_in_which_more_happens_than_was_paid_for_has_no_output(
    ledger: Ledger, happened: tuple[Event, ...]
) -> None:
    with pytest.raises(Defect, match="'Monday': something happened that its charge did not pay for"):
        ledger.publish_part(WEEK, "Monday", Work(happened))
    assert ledger.releases() == ()
    assert ledger.publish_part(WEEK, "Monday", Work(())).fresh, "less may happen"


def test_a_year_of_days_costs_what_one_event_with_a_cell_for_each_day_costs(path: Path) -> None:
    """Calibrated exactly, so that it would not be covered if each day were rounded for itself."""
    delta = Fraction("1e-6")
    variance = calibrate.gaussian_variance(Fraction(1), delta, Fraction(365), cells=365)
    day: tuple[Event, ...] = (Gaussian(variance, Fraction(1), 1),)
    assert merged(day * 365) == (Gaussian(variance, Fraction(365), 365),)
    year = Charge("year", Cost(Fraction(1), delta), parts=tuple(Part(f"day {number}", day) for number in range(365)))
    ledger = Ledger(path, epsilon=1, delta=1e-5)
    assert ledger.publish_part(year, "day 7", Work(day)).fresh
    assert ledger.spends()[0].events == (Gaussian(variance, Fraction(365), 365),)
    with pytest.raises(BadParameter, match="less than the price"):
        ledger.reserve(Charge("leap year", year.cost, parts=(*year.parts, Part("day 366", day))))


def test_only_equal_noise_is_added_up() -> None:
    events = (Gaussian(Fraction(9), Fraction(1), 1), *THIRD, Gaussian(Fraction(8), Fraction(2), 3), *THIRD)
    assert merged(events) == (events[0], events[2], *THIRD, *THIRD)


# The secret


def test_every_part_has_a_key_of_its_own_and_all_share_one(ledger: Ledger, path: Path) -> None:
    work = Work()
    for day in DAYS:
        ledger.publish_part(WEEK, day, work)
    assert len({bytes(keys.own) for keys in work.keys}) == 3
    assert len({bytes(keys.shared) for keys in work.keys}) == 1
    assert {len(key) for keys in work.keys for key in (keys.own, keys.shared)} == {32}
    assert not {bytes(keys.own) for keys in work.keys} & {bytes(work.keys[0].shared)}


def test_two_charges_share_nothing(ledger: Ledger) -> None:
    work, other = Work(), Charge("people per day, again", ONE, THIRD, parts=WEEK.parts)
    ledger.publish_part(WEEK, "Monday", work)
    ledger.publish_part(other, "Monday", work)
    first, second = work.keys
    assert first.own != second.own
    assert first.shared != second.shared


def test_the_secret_lives_until_the_last_part_is_sealed(ledger: Ledger, path: Path) -> None:
    for index, day in enumerate(reversed(DAYS)):
        assert len(secrets(path)) == (index > 0)
        ledger.publish_part(WEEK, day, Work())
        ledger.publish(Charge(f"between {day}", Cost(Fraction(1, 10), Fraction(0))), lambda head, secret: b"")
    assert secrets(path) == []
    assert ledger.spends()[0].sealed


def test_nobody_sees_the_secret_itself(ledger: Ledger, path: Path) -> None:
    work = stop(ledger, "Monday")
    (file,) = secrets(path)
    assert file.read_bytes() not in (work.keys[0].own, work.keys[0].shared)
    assert "secret of 32 bytes" in repr(work.keys[0])


def test_without_its_secret_no_part_is_drawn(ledger: Ledger, path: Path) -> None:
    sealed = ledger.publish_part(WEEK, "Monday", Work())
    secrets(path)[0].unlink()
    work = Work()
    with pytest.raises(
        LedgerError, match=r"the secret of row 1 is missing .*; or a new charge for the parts that are left"
    ):
        ledger.publish_part(WEEK, "Tuesday", work)
    assert work.keys == []
    assert ledger.publish_part(WEEK, "Monday", work).content == sealed.content


# One output of each part


def test_a_part_that_was_sealed_is_returned(ledger: Ledger, path: Path) -> None:
    work = Work()
    sealed = ledger.publish_part(WEEK, "Monday", work)
    for book in (ledger, Ledger(path)):
        again = book.publish_part(WEEK, "Monday", work)
        assert (again.content, again.head, again.fresh) == (sealed.content, sealed.head, False)
    assert len(work.keys) == 1


def test_a_part_that_was_stopped_repeats(ledger: Ledger, path: Path) -> None:
    first = stop(ledger, "Tuesday")
    ledger.publish_part(WEEK, "Monday", Work())
    again = Work()
    Ledger(path).publish_part(WEEK, "Tuesday", again, data=lambda: b"rows")
    assert (again.keys, again.heads) == (first.keys, first.heads)


def test_a_part_that_was_begun_is_for_its_own_data_alone(ledger: Ledger) -> None:
    stop(ledger, "Monday")
    work = Work()
    message = "the data changed since .* Fix: the data as they were when the part was begun: a part is drawn once"
    with pytest.raises(DataChanged, match=message):
        ledger.publish_part(WEEK, "Monday", work, data=lambda: b"other rows")
    assert ledger.publish_part(WEEK, "Tuesday", work, data=lambda: b"other rows").fresh
    ledger.publish_part(WEEK, "Monday", Work(), data=lambda: b"rows")
    with pytest.raises(DataChanged):
        ledger.publish_part(WEEK, "Monday", work, data=lambda: b"other rows")
    assert len(work.keys) == 1


def test_of_two_at_once_the_first_seal_wins(ledger: Ledger, path: Path) -> None:
    inner = list[bytes]()

    def meanwhile(head: str, keys: PartKeys) -> PartResult:
        inner.append(Ledger(path).publish_part(WEEK, "Monday", Work()).content)
        return PartResult(b"slower", THIRD)

    sealed = ledger.publish_part(WEEK, "Monday", meanwhile)
    assert (sealed.content, sealed.fresh) == (inner[0], False)
    assert ledger.releases() == (inner[0],)


def _draw_week(path: Path, results: Any) -> None:
    ledger = Ledger(path)
    for day in DAYS:
        results.put((day, ledger.publish_part(WEEK, day, Work(), data=lambda: b"rows").content))


@posix_only
def test_processes_at_once_seal_each_part_once(ledger: Ledger, path: Path) -> None:
    context = multiprocessing.get_context("fork")
    results: Any = context.Queue()
    writers = [context.Process(target=_draw_week, args=(path, results)) for _ in range(4)]
    for writer in writers:
        writer.start()
    found = {results.get(timeout=60) for _ in range(4 * len(DAYS))}
    for writer in writers:
        writer.join()
    assert len(found) == len(DAYS) == len(ledger.releases())
    assert ledger.spent == ONE
    assert secrets(path) == []


def test_whoever_is_served_learns_nothing_of_the_data(ledger: Ledger, path: Path) -> None:
    stop(ledger, "Monday")
    sealed = ledger.publish_part(WEEK, "Tuesday", Work(), data=lambda: b"rows")
    serving = Ledger(path, serves=True)
    for data in (bytes, b"rows".lower, b"other rows".lower):
        with pytest.raises(NotFinished):
            serving.publish_part(WEEK, "Monday", Work(), data=data)
        assert serving.publish_part(WEEK, "Tuesday", Work(), data=data).content == sealed.content
    assert serving.publish_part(WEEK, "Wednesday", Work(), data=lambda: b"rows").fresh


# Calls that are wrong


def text_of(head: str, keys: PartKeys) -> PartResult:
    return PartResult("text", ())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda ledger: ledger.publish_part(WEEK, "Sunday", Work()),
            r"'Sunday': not a part of this charge, which has 3",
        ),
        (lambda ledger: ledger.publish_part(Charge("x", ONE), "x", Work()), r"not a part .* has 0 \(none\)"),
        (lambda ledger: ledger.publish(WEEK, lambda head, secret: b""), "this charge has 3 parts.*publish_part"),
        (lambda ledger: ledger.reserve(Charge("x", ONE)), "this charge has no parts.*ledger.publish"),
        (lambda ledger: ledger.publish_part(WEEK, "Monday", lambda head, keys: b"x"), "return PartResult"),
        (lambda ledger: ledger.publish_part(WEEK, "Monday", text_of), "a release is bytes"),
        (lambda ledger: Part("", THIRD), "one line of text"),
        (lambda ledger: Part("a\nb", THIRD), "one line of text"),
        (lambda ledger: Part("a", ()), "at least one event"),
        (lambda ledger: Charge("x", ONE, parts=(Part("a", THIRD), Part("a", THIRD))), "'a' is listed twice"),
        (lambda ledger: Charge("x", ONE, parts=("a",)), "a tuple of parts"),  # type: ignore[arg-type]
    ],
)
def test_what_is_not_a_part_is_refused(ledger: Ledger, call: Callable[[Ledger], object], message: str) -> None:
    with pytest.raises(BadParameter, match=message):
        call(ledger)
    assert ledger.releases() == ()


def test_parts_are_part_of_what_a_charge_is(ledger: Ledger) -> None:
    shorter = Charge("people per day", ONE, THIRD, parts=WEEK.parts[:2])
    assert digest(shorter.body()) != digest(WEEK.body()) != digest(Charge("people per day", ONE, THIRD).body())
    assert read_parts(write_parts(WEEK.parts)) == WEEK.parts


# The rows


def test_every_part_is_a_row_and_so_is_its_seal(ledger: Ledger, path: Path) -> None:
    ledger.publish_part(WEEK, "Tuesday", Work())
    stop(ledger, "Monday")
    (spend,) = ledger.spends()
    assert [(part.number, part.name, part.sealed) for part in spend.parts] == [
        (2, "Tuesday", True),
        (4, "Monday", False),
    ]
    assert (spend.part_names, spend.sealed, spend.state) == (DAYS, False, "1 of 3 parts sealed, 1 not finished")
    assert ledger.verify(ledger.head).startswith("4:")
    assert "1 of 3 parts sealed" in ledger._repr_html_()


def test_the_tighter_total_counts_all_parts_from_the_beginning(path: Path) -> None:
    day: tuple[Event, ...] = (Gaussian(Fraction(400), Fraction(1), 1),)
    charge = Charge(
        "year", Cost(Fraction(3), Fraction("1e-6")), parts=tuple(Part(str(each), day) for each in range(50))
    )
    ledger = Ledger(path, epsilon=3, delta=1e-5)
    ledger.reserve(charge)
    found = ledger.tighter()
    ledger.publish_part(charge, "3", Work(day))
    assert found is not None
    assert ledger.tighter() == found


SPENT = amount(ONE, "spent_")
BEGUN = {"at": "", "charge": "1", "part": "Monday", "nonce": "", "data": "", **SPENT}
MONDAY = part_digest(digest(WEEK.body()), "Monday")
FORGED: dict[str, tuple[str, str, int | None, dict[str, str]]] = {
    "a part of no charge": ("part", MONDAY, None, {**BEGUN, "charge": "9"}),
    "a part of a part": ("part", MONDAY, None, {**BEGUN, "charge": "2"}),
    "a part that was not paid for": (
        "part",
        part_digest(digest(WEEK.body()), "Sunday"),
        None,
        {**BEGUN, "part": "Sunday"},
    ),
    "a part that was begun before": (
        "part",
        part_digest(digest(WEEK.body()), "Tuesday"),
        None,
        {**BEGUN, "part": "Tuesday"},
    ),
    "a part under another digest": ("part", "0" * 64, None, BEGUN),
    "a part that lowers the sum": ("part", MONDAY, None, {**BEGUN, "spent_epsilon": "0"}),
    "a part without a name": ("part", MONDAY, None, {name: text for name, text in BEGUN.items() if name != "part"}),
    "a part that names a row": ("part", MONDAY, 1, BEGUN),
    "a seal of all parts at once": ("seal", digest(WEEK.body()), 1, {"sha256": "0" * 64, **SPENT}),
    "a second charge for the same parts": (
        "reserve",
        digest(WEEK.body()),
        None,
        {"format": PARTS_FORMAT, "at": "", "nonce": "", "data": "", "secret": "", **WEEK.body()}
        | amount(Cost(Fraction(2), Fraction(0)), "spent_"),
    ),
}


@pytest.mark.every_case
@pytest.mark.parametrize("what", FORGED)
def test_forged_rows_with_right_hashes_are_found(ledger: Ledger, path: Path, what: str) -> None:
    ledger.publish_part(WEEK, "Tuesday", Work())
    Ledger(path)
    append(path, *FORGED[what])
    with pytest.raises(LedgerTampered, match=r"row 4 (is|does|seals|cannot)"):
        Ledger(path)


def test_a_part_that_is_begun_honestly_is_no_forgery(ledger: Ledger, path: Path) -> None:
    """What the forged rows differ from."""
    ledger.publish_part(WEEK, "Tuesday", Work())
    append(path, "part", MONDAY, None, BEGUN)
    assert [part.name for part in Ledger(path).spends()[0].parts] == ["Tuesday", "Monday"]


def test_a_read_only_ledger_returns_its_parts(ledger: Ledger, path: Path) -> None:
    sealed = ledger.publish_part(WEEK, "Monday", Work())
    path.chmod(0o400)
    assert hc.Ledger(path).publish_part(WEEK, "Monday", Work()).content == sealed.content


def test_a_charge_that_is_ended_draws_no_further_part(ledger: Ledger, path: Path) -> None:
    sealed = ledger.publish_part(WEEK, "Monday", Work())
    assert len(secrets(path)) == 1
    ledger.end(WEEK)
    ledger.end(WEEK)
    assert secrets(path) == []
    work = Work()
    with pytest.raises(LedgerError, match="or the charge was ended"):
        Ledger(path).publish_part(WEEK, "Tuesday", work)
    assert work.keys == []
    assert ledger.publish_part(WEEK, "Monday", work).content == sealed.content
    assert ledger.left.epsilon == 1


def test_only_a_charge_in_parts_that_was_paid_can_be_ended(ledger: Ledger) -> None:
    with pytest.raises(BadParameter, match="was never paid"):
        ledger.end(WEEK)
    with pytest.raises(BadParameter, match="has no parts"):
        ledger.end(Charge("people per word", ONE))
