"""States as bytes: saved, loaded, gone on with; nothing in them but what may be seen, and nothing else is read."""

import json
import pickle
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.effort import examples

from headcount.account.ledger.record.chain import canonical
from headcount.audit.choices import Fixed
from headcount.errors import BadParameter
from headcount.stream import Counter
from headcount.stream.state import CHECKSUM, NAME, VERSION, pack, unpack

FRUITS = ["apple", "pear", "quince"]
FIX = " Fix: what counter.save(path) wrote, or counter.state()"


def listed(**more: Any) -> Counter:
    return Counter(FRUITS, epsilon=1, **more)


def made() -> list[Counter]:
    """One of each kind, with noise."""
    closed = Counter(buckets=100, epsilon="1/3", neighbours="replace")
    closed.close()
    return [listed(), Counter(buckets=100, epsilon="1/3", neighbours="replace"), closed, Counter(["Ω", ""], epsilon=2)]


def test_there_and_back(tmp_path: Path) -> None:
    """By file and by bytes: no new noise, no other settings."""
    for index, counter in enumerate(made()):
        path = counter.save(tmp_path / f"{index}.state")
        assert path.read_bytes() == counter.state()
        for loaded in (Counter.load(path), Counter.load(str(path)), Counter.load(counter.state())):
            assert loaded.state() == counter.state()
            assert loaded.settings == counter.settings
            assert loaded.closed == counter.closed
    assert sorted(file.name for file in tmp_path.iterdir()) == [f"{index}.state" for index in range(4)]


def test_a_restart_in_the_middle(tmp_path: Path) -> None:
    path, plain, stopped = tmp_path / "fruits.state", listed(entropy=Fixed(3)), listed(entropy=Fixed(3))
    for batch in (["pear"], ["apple", "pear"], FRUITS):
        plain.add(batch)
        stopped.add(batch)
        stopped.save(path)
        stopped = Counter.load(path, entropy=Fixed(3))
    assert stopped.state() == plain.state()
    plain.close()
    stopped.close()
    assert stopped.state() == plain.state()


GO_ON = """
import sys
from headcount import stream
counter = stream.Counter.load(sys.argv[1], epsilon=1)
counter.add(sys.argv[2:])
counter.save(sys.argv[1])
"""


def test_two_processes(tmp_path: Path) -> None:
    """What one began another goes on with: with buckets, too, which both find by the same key."""
    path, counter = tmp_path / "plays.state", Counter(buckets=1000, epsilon=1)
    counter.add(["pear"])
    counter.save(path)
    subprocess.run([sys.executable, "-c", GO_ON, str(path), "apple", "pear"], check=True)
    counter.add(["apple", "pear"])
    assert path.read_bytes() == counter.state()


def test_the_bytes_tell_nothing_of_the_events() -> None:
    """With the same noise, and counts that noise could have made equal, they are the same: whatever was counted, how
    often and in how many batches."""
    one, other = listed(entropy=Fixed(0)), listed(entropy=Fixed(-2))
    one.add(["apple"])
    for _ in range(3):
        other.add(["apple"])
    other.add(["pear"] * 2)
    other.add(["quince"] * 2)
    assert one.state() == other.state()
    name, about, _ = one.state().split(b"\n", 2)
    assert name == b"headcount stream state 1"
    assert json.loads(about) == {
        "cells": 3,
        "closed": False,
        "domain": FRUITS,
        "epsilon": "1",
        "key": "",
        "neighbours": "add-remove",
    }
    assert len(one.state()) == len(name) + len(about) + 2 + 3 * 8 + CHECKSUM


def test_keys_are_fresh() -> None:
    keys = {Counter(buckets=10, epsilon=1).settings.key for _ in range(5)}
    assert len(keys) == 5
    assert {len(key) for key in keys} == {32}


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"epsilon": 2}, "epsilon"),
        ({"epsilon": 1, "neighbours": "replace"}, "neighbours"),
        ({"domain": FRUITS[::-1]}, "domain"),
        ({"domain": FRUITS[:2], "epsilon": 1}, "domain"),
        ({"buckets": 3}, "buckets"),
    ],
    ids=str,
)
def test_other_settings_are_refused(asked: dict[str, Any], name: str) -> None:
    with pytest.raises(BadParameter) as refusal:
        Counter.load(listed().state(), **asked)
    assert str(refusal.value) == f"{name}: the state has another one. Fix: load(state), or a new counter with {name}"


def test_the_same_settings_are_taken() -> None:
    Counter.load(listed().state(), domain=FRUITS, epsilon=1.0, neighbours="add-remove")
    Counter.load(Counter(buckets=50, epsilon="1/3").state(), buckets=50, epsilon="1/3")
    with pytest.raises(BadParameter, match="epsilon=0: it must be above 0"):
        Counter.load(listed().state(), epsilon=0)


def refused(content: Any) -> str:
    with pytest.raises(BadParameter) as refusal:
        Counter.load(content)
    return str(refusal.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    missing = tmp_path / "no.state"
    assert refused(missing) == (
        f"{missing!r:.200}: cannot be read (No such file or directory). Fix: what counter.save(path) wrote"
    )
    assert "cannot be read" in refused(tmp_path)
    assert "cannot be read (not a path)" in refused("a\0b")
    assert "cannot be read (not a path)" in refused(7)
    with pytest.raises(BadParameter, match="cannot be written"):
        listed().save(tmp_path / "folder" / "x.state")


def test_cut_changed_and_foreign_bytes() -> None:
    good = listed().state()
    assert refused(b"") == f"state: not the state of a counter.{FIX}"
    assert refused(pickle.dumps(print)) == f"state: not the state of a counter.{FIX}"
    assert refused(b"PAR1" + good) == f"state: not the state of a counter.{FIX}"
    assert refused(NAME + b"2\n" + good[len(NAME + VERSION) :]) == (
        f"state: the state of another version of headcount.{FIX}"
    )
    damaged = f"state: a state that was cut off or changed.{FIX}"
    for end in range(len(NAME + VERSION), len(good)):
        assert refused(good[:end]) == damaged
    for index in range(len(NAME + VERSION), len(good)):
        changed = bytearray(good)
        changed[index] ^= 1
        assert refused(bytes(changed)) == damaged
    assert refused(good + b"\0") == damaged


def checked(body: bytes) -> bytes:
    """These bytes with a name and a checksum that are right."""
    content = NAME + VERSION + body
    return content + sha256(content).digest()


@settings(deadline=None, max_examples=examples(30))
@given(st.binary(max_size=200))
def test_any_other_bytes_are_refused(body: bytes) -> None:
    assert refused(body).startswith("state: ")
    assert refused(checked(body)).startswith("state: ")


ABOUT = {"cells": 3, "closed": False, "domain": FRUITS, "epsilon": "1", "key": "", "neighbours": "add-remove"}
NOBODYS: dict[str, list[Any]] = {
    "cells": [2, 4, 0, -3, 2**60, 3.0, "3", None, True, [3], ...],
    "closed": [0, 1, "yes", None, [], ...],
    "domain": [
        *([], FRUITS[:2], ["x"] * 3, [1, 2, 3], "abc", {"a": 1, "b": 2, "c": 3}, 3, ...),
        *(["a", "b", "\ud800"], ["a", "b", None], [["a"], ["b"], ["c"]]),
    ],
    "epsilon": [1, 0.5, "0", "-1", "nan", "1e400", "1e9999999", "1.0", "2/2", "", None, ...],
    "key": ["x", "0", "AA", " 00", 5, None, ...],
    "neighbours": ["both", "", None, 1, ["replace"], {}, ...],
    "more": [1],
}
HOSTILE: list[dict[str, Any]] = [
    *({name: value} for name, values in NOBODYS.items() for value in values),
    *({"domain": None, "cells": cells} for cells in (1, 2**27 + 1, "3")),
]


@pytest.mark.parametrize("change", HOSTILE, ids=str)
def test_settings_that_no_counter_has(change: dict[str, Any]) -> None:
    """The checksum is right: whoever made them knew how."""
    said = {name: value for name, value in {**ABOUT, **change}.items() if value is not ...}
    message = refused(checked(canonical(said).encode() + b"\n" + bytes(24)))
    assert message in (
        f"state: a state with settings that no counter has.{FIX}",
        f"state: a state that no counter wrote.{FIX}",
    )


@pytest.mark.parametrize(
    "about",
    [
        b"[" * 100_000,
        b'{"cells":' + b"9" * 5000 + b"}",
        b"null",
        b"[]",
        b'"cells"',
        b"",
        canonical(ABOUT).encode() + b" ",
        canonical(ABOUT).encode()[:-1] + b',"neighbours":"add-remove"}',
        json.dumps(ABOUT).encode(),
        "{\N{LATIN SMALL LETTER E WITH ACUTE}}".encode("latin-1"),
    ],
    ids=lambda about: f"{about!r:.20}",
)
def test_one_spelling(about: bytes) -> None:
    assert refused(checked(about + b"\n" + bytes(24))).startswith("state: a state ")
    assert refused(checked(about)).startswith("state: a state ")


@pytest.mark.parametrize("size", [0, 8, 23, 25, 32])
def test_other_numbers_of_counts(size: int) -> None:
    message = refused(checked(canonical(ABOUT).encode() + b"\n" + bytes(size)))
    assert message == f"state: a state with settings that no counter has.{FIX}"


@settings(deadline=None, max_examples=examples(30))
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=3, max_size=3))
@example([2**63 - 2**20] * 3)
@example([-(2**63)] * 3)
def test_any_counts_can_be_gone_on_with(counts: list[int]) -> None:
    """Whatever stands there, nothing fails: the shape is that of some counts."""
    body = np.array(counts, dtype="<i8").tobytes()
    counter = Counter.load(checked(canonical(ABOUT).encode() + b"\n" + body))
    assert unpack(counter.state()).counts.tolist() == counts
    counter.add(FRUITS)
    for estimator in ("em", "paper"):
        found = counter.shape(estimator=estimator).prevalences
        assert found.distinct <= 3
    assert pack(unpack(counter.state())) == counter.state()
