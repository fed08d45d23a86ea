"""An aggregator is saved, killed, restored and shared: every report counts once, and a round has one result."""

import multiprocessing
import os
import random
import secrets
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import sleep

import pytest

from headcount.account import Ledger
from headcount.errors import BadParameter, HeadcountError
from headcount.federated import Aggregator, Analyst, Client, Refused, Report, Result
from headcount.federated.aggregator_state import NAME
from headcount.federated.rounds import RoundsAnalyst, heavy_hitters
from headcount.federated.step import MAX_PREFIXES
from tests.effort import seeds
from tests.federated.vectors import BROKEN, INVITING, KEY, ROUND

FORK = multiprocessing.get_context("fork")
REPORTS = [
    Report(ROUND.digest, f"{number * 7919:032x}", ("all", "half", f"rare {number}")[: 1 + number % 2])
    for number in range(40)
]
RESULT = Result(ROUND.digest, (("all", 40), ("half", 20)))
WRITTEN = Path(__file__).with_name("aggregator-1.state")
"""The first three reports, as the first version that had this format wrote them. Never made again."""


def add_all(aggregator: Aggregator, reports: Sequence[Report]) -> Aggregator:
    """Add reports; those that were counted before are refused."""
    for report in reports:
        with suppress(Refused):
            aggregator.add(report)
    return aggregator


def parts(content: bytes) -> list[bytes]:
    """Parts of 8 bytes of what is encrypted."""
    return [content[at : at + 8] for at in range(len(NAME), len(content) - 8, 8)]


def restored(aggregator: Aggregator, path: Path) -> Aggregator:
    return Aggregator.load(aggregator.save(path, key=KEY), key=KEY)


def test_a_restored_aggregator_goes_on(tmp_path: Path) -> None:
    aggregator = restored(add_all(Aggregator(ROUND), REPORTS[:25]), tmp_path / "state")
    for report in REPORTS[:25]:
        with pytest.raises(Refused, match="already used"):
            aggregator.add(report)
    assert add_all(aggregator, REPORTS).close() == RESULT


def test_a_closed_one_stays_closed(tmp_path: Path) -> None:
    aggregator = add_all(Aggregator(ROUND), REPORTS)
    aggregator.close()
    empty = (aggregator.save(tmp_path / "closed", key=KEY)).stat().st_size
    with pytest.raises(Refused, match="closed"):
        Aggregator.load(tmp_path / "closed", key=KEY).close()
    assert empty < add_all(Aggregator(ROUND), REPORTS[:1]).save(tmp_path / "open", key=KEY).stat().st_size


def test_the_sample_of_a_round_that_invites_is_in_the_state(tmp_path: Path) -> None:
    """It is not drawn again: reports of people who are not in the sample stay uncounted, those of others count."""
    first = Aggregator(INVITING)
    second = restored(first, tmp_path / "state")
    assert second.invitations == first.invitations
    reports = [Client(["apple"]).answer(INVITING, invitation) for invitation in first.invitations]
    assert add_all(second, reports).close() == add_all(first, reports).close()


def test_no_report_can_be_read_from_the_file(tmp_path: Path) -> None:
    """Not as text, and not as a part that two states of the same reports have in common."""
    aggregator = add_all(Aggregator(ROUND), REPORTS)
    one, two = (aggregator.save(tmp_path / name, key=KEY).read_bytes() for name in ("one", "two"))
    for word in (b"rare", b"half", b"Which", REPORTS[3].ticket.encode()):
        assert word not in one
    assert one.startswith(NAME)
    assert not set(parts(one)) & set(parts(two))
    assert (tmp_path / "one").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("key", [None, b"", b"x" * 31, "x" * 32, bytearray(32)], ids=repr)
def test_without_a_key_nothing_is_written(tmp_path: Path, key: bytes) -> None:
    with pytest.raises(BadParameter, match="32 bytes"):
        Aggregator(ROUND).save(tmp_path / "state", key=key)
    assert list(tmp_path.iterdir()) == []


def test_another_key_and_every_changed_byte_are_refused(tmp_path: Path) -> None:
    path = add_all(Aggregator(ROUND), REPORTS[:1]).save(tmp_path / "state", key=KEY)
    content = path.read_bytes()
    with pytest.raises(BadParameter, match="another key"):
        Aggregator.load(path, key=secrets.token_bytes(32))
    for at in range(len(content)):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with pytest.raises(BadParameter, match="state:"):
            Aggregator.load(path, key=KEY)
        path.write_bytes(content[:at])
        with pytest.raises(BadParameter, match="state:"):
            Aggregator.load(path, key=KEY)
    path.unlink()
    with pytest.raises(BadParameter, match="cannot be read"):
        Aggregator.load(path, key=KEY)


def test_an_old_copy_gives_no_second_result(tmp_path: Path) -> None:
    """Two aggregators from one file: the same reports are the same release, others are refused by the ledger."""
    ledger = Ledger(tmp_path / "ledger.db", epsilon=1, delta="1e-6")
    analyst = Analyst(ledger=ledger)
    round_ = analyst.publish("Which?", epsilon=1)
    reports = [Report(round_.digest, report.ticket, report.items[:1]) for report in REPORTS]
    path = add_all(Aggregator(round_), reports[:30]).save(tmp_path / "state", key=KEY)
    first, again, other = (Aggregator.load(path, key=KEY) for _ in range(3))
    release = analyst.read(first.close())
    assert analyst.read(again.close()).table == release.table
    with pytest.raises(HeadcountError) as refused:
        analyst.read(add_all(other, reports).close())
    assert "Fix:" in str(refused.value)
    assert [spend.state for spend in ledger.spends()] == ["1 of 1 part sealed"]


def test_states_stay_readable() -> None:
    assert add_all(Aggregator.load(WRITTEN, key=KEY), REPORTS[3:]).close() == RESULT


# shards


def shards_of(count: int) -> list[Aggregator]:
    return [Aggregator(ROUND, shard=number, shards=count) for number in range(count)]


@pytest.mark.parametrize("count", [1, 2, 5, 64])
def test_shards_end_in_the_result_of_one(tmp_path: Path, count: int) -> None:
    shards = [add_all(shard, [*REPORTS, *REPORTS]) for shard in shards_of(count)]
    kept = [restored(shard, tmp_path / str(number)) for number, shard in enumerate(shards)]
    whole = Aggregator.merge(kept)
    assert add_all(whole, REPORTS).close() == RESULT
    for shard in kept:
        with pytest.raises(Refused, match="closed"):
            shard.add(REPORTS[0])


def test_a_shard_takes_its_own_tickets_alone() -> None:
    shards = shards_of(3)
    for report in REPORTS:
        taken = []
        for number, shard in enumerate(shards):
            with suppress(Refused):
                shard.add(report)
                taken.append(number)
        assert taken == [int(report.ticket, 16) % 3]


def test_shards_that_are_not_complete_are_not_merged(tmp_path: Path) -> None:
    shards = shards_of(3)
    copy = restored(shards[0], tmp_path / "copy")
    for wrong in (
        [],
        shards[:2],
        [*shards, copy],
        [copy, *shards[:2]],
        [shards[0], *shards[:2]],
        [Aggregator(ROUND)] * 2,
    ):
        with pytest.raises(Refused):
            Aggregator.merge(wrong)
    with pytest.raises(Refused, match="one of 3 shards"):
        shards[0].close()
    Aggregator.merge(shards)
    with pytest.raises(Refused, match="closed"):
        Aggregator.merge([copy, *shards[1:]])


def test_a_round_that_invites_is_not_merged_with_a_second_sample() -> None:
    """A merged aggregator that invited again would count people of two samples: at nearly twice the rate."""
    aggregator = Aggregator(INVITING)
    reports = [Client(["apple"]).answer(INVITING, invitation) for invitation in aggregator.invitations]
    with pytest.raises(Refused, match="has one aggregator"):
        Aggregator.merge([aggregator])
    assert 0 < dict(add_all(aggregator, reports).close().counts)["apple"] < len(reports)


def test_a_round_with_many_prefixes_is_saved(tmp_path: Path) -> None:
    """Its text is longer than those of other rounds."""
    plan = heavy_hitters("Which?", share="0.01", people=20_000, lengths=[20], epsilon=1)
    seen = Result(RoundsAnalyst(plan).publish().digest, tuple((f"é{number:019}", 99) for number in range(MAX_PREFIXES)))
    round_ = plan.next_round([seen])
    assert round_ is not None
    aggregator = Aggregator(round_)
    aggregator.add(Report(round_.digest, "f" * 32, ("é" + 19 * "0",)))
    assert restored(aggregator, tmp_path / "state").save(tmp_path / "again", key=KEY).exists()


def test_shards_of_rounds_that_cannot_have_them() -> None:
    for round_, shard, shards in ((INVITING, 0, 2), (ROUND, 2, 2), (ROUND, -1, 2), (ROUND, 0, 0), (BROKEN, 0, 2)):
        with pytest.raises(HeadcountError):
            Aggregator(round_, shard=shard, shards=shards)


# kills


def work(path: Path, acknowledged: int) -> None:
    """What an operator's process does: go on, have everything sent again, and acknowledge what is saved."""
    aggregator = Aggregator.load(path, key=KEY) if path.exists() else Aggregator(ROUND)
    for report in REPORTS:
        with suppress(Refused):
            aggregator.add(report)
        aggregator.save(path, key=KEY)
        os.write(acknowledged, report.ticket.encode())


def killed_at_random(path: Path, chance: random.Random) -> tuple[bool, set[str]]:
    """Run the work in a process that is killed at any moment; whether it was, and which reports it acknowledged."""
    reading, writing = os.pipe()
    process = FORK.Process(target=work, args=(path, writing))
    process.start()
    os.close(writing)
    sleep(chance.uniform(0, 0.12))
    process.kill()
    process.join()
    with os.fdopen(reading, "rb") as pipe:
        content = pipe.read().decode()
    return process.exitcode != 0, {content[at : at + 32] for at in range(0, len(content), 32)}


def test_kills_lose_nothing_that_was_acknowledged_and_count_nothing_twice(tmp_path: Path) -> None:
    """At least 200 kills with `--all`: 40 in the quick tier."""
    chance, kills, path, acknowledged = random.Random(36), 0, tmp_path / "state", set[str]()
    while kills < 5 * len(seeds(40)):
        killed, told = killed_at_random(path, chance)
        kills += killed
        acknowledged |= told
        if not path.exists():
            continue
        kept = Aggregator.load(path, key=KEY)._state()
        assert acknowledged <= set(kept.used)
        assert dict(kept.counts).get("all", 0) == len(kept.used)
        if len(kept.used) == len(REPORTS):
            assert Aggregator.load(path, key=KEY).close() == RESULT
            shutil.rmtree(tmp_path)
            tmp_path.mkdir()
            acknowledged = set()
