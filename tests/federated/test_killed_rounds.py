"""Servers and clients of rounds, as real processes, are killed at random. With teeth."""

import json
from pathlib import Path

import pytest

from audits.killed_rounds import ends
from audits.killed_rounds.trial import Tally, Trial, compare, kill_at_random
from tests.effort import examples

pytest.importorskip("cryptography", reason="needs headcount[secure]")


@pytest.mark.parametrize("kind", [ends.SUM, ends.REPORTS], ids=lambda kind: kind.name)
def test_without_a_kill_everybody_counts(kind: ends.Kind, tmp_path: Path) -> None:
    assert kind.publish(kind.analyst()).holds
    assert Trial(kind, ends.Place(tmp_path)).run(None) == Tally(results=1)


@pytest.mark.parametrize("kind", [ends.SUM, ends.REPORTS], ids=lambda kind: kind.name)
def test_killed_at_random(kind: ends.Kind, tmp_path: Path) -> None:
    tally = kill_at_random(tmp_path, kind, kills=examples(20))
    assert tally.kills == examples(20)
    assert tally.violations == 0
    assert tally.results > 0, "no round ended in a release: the test missed the point"


def test_a_server_that_charges_at_the_end_is_caught(tmp_path: Path) -> None:
    assert kill_at_random(tmp_path, ends.REPORTS, kills=2, server=ends.serve_uncharged).free_rounds > 0


@pytest.mark.slow(sibling="test_killed_at_random")
def test_clients_that_keep_nothing_are_caught(tmp_path: Path) -> None:
    """Each kill of a server after answers came lets them answer again; of 200 kills one is."""
    found = kill_at_random(tmp_path, ends.REPORTS, kills=200, client=ends.take_part_and_forget, mistake=True)
    assert found.second_answers > 0


def noted(folder: Path, sums: str) -> Tally:
    """What is found in a sum of one person who sent a vector, and of the first of two results."""
    place = ends.Place(folder)
    place.note("sent0", '{"kind":"sum-masked","round":"r"}')
    place.note("results", f'{{"answered":1,"round":"r","sums":{sums}}}')
    return compare(ends.SUM, place)


@pytest.mark.parametrize(
    ("sums", "wrong"), [("[1,0,0,0,0,0,0,0]", 0), ("[2,1,0,0,0,0,0,0]", 1), ("[0,1,0,0,0,0,0,0]", 1)]
)
def test_wrong_results_are_seen(sums: str, wrong: int, tmp_path: Path) -> None:
    assert noted(tmp_path, sums).wrong_results == wrong


@pytest.mark.parametrize(
    ("counted", "wrong"),
    [([0, 1, 3, 4, 5, 6, 7], 0), ([0, 1, 3, 4, 5, 6], 0), ([0, 0, 3, 4, 5, 6, 7], 1), ([0, 1, 2, 3, 4, 5, 6], 1)],
    ids=["all who answered", "one is lost", "one counts twice, one is lost", "one who never answered"],
)
def test_wrong_counts_are_seen(counted: list[int], wrong: int, tmp_path: Path) -> None:
    """Reports of eight people, of whom the third never answered: counts of each name have all others."""
    place = ends.Place(tmp_path)
    place.keep("round", '{"threshold":5}')
    for number in {0, 1, 3, 4, 5, 6, 7}:
        place.note(f"sent{number}", '{"kind":"report","round":"r"}')
    counts = [(len(counted) - counted.count(number), name) for number, name in enumerate(ends.NAMES)]
    rows = [[name, count] for count, name in sorted(counts, key=lambda row: (-row[0], row[1])) if count >= 5]
    place.note("results", json.dumps({"round": "r", "counts": rows}))
    assert compare(ends.REPORTS, place).wrong_results == wrong


def test_a_second_result_is_seen(tmp_path: Path) -> None:
    place = ends.Place(tmp_path)
    place.note("releases", "one")
    assert compare(ends.SUM, place).second_results == 0
    place.note("releases", "two")
    assert compare(ends.SUM, place).second_results == 1
