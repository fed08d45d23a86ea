"""Apps of Flower and the transports to them: secure sums as over memory, and whatever nodes send."""

import json
import logging
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from headcount.errors import HeadcountError
from headcount.federated import Analyst, Refused, SecureAnalyst, SecureRound
from headcount.federated.client_state import ClientState
from headcount.federated.rounds import RoundsAnalyst, collect_rounds, secure_heavy_hitters
from headcount.federated.transport import collect, collect_sum
from tests.federated.grid import LocalGrid, Tamper, honest

pytest.importorskip("flwr", reason="needs headcount[flower]")
pytest.importorskip("cryptography", reason="needs headcount[secure]")

from headcount.federated.transport.flower import (
    FlowerTransport,
    SecureFlowerTransport,
    SiteFlowerTransport,
    client_app,
    secure_client_app,
    secure_site_app,
    site_app,
)

KEYS = ["blue", "green", "red"]
PEOPLE = 12


def song(context: Any) -> Iterator[str]:
    """Blue for the first eight, and red for the others."""
    yield "blue" if context.node_id <= 8 else "red"


def published(people: int = PEOPLE, minimum: int = 9) -> SecureRound:
    """At this epsilon noise is 0, but for a chance below 1e-6."""
    return SecureAnalyst().publish("Which?", keys=KEYS, people=people, minimum=minimum, honest=1, epsilon=20)


def grid(tamper: Tamper = honest, nodes: int = PEOPLE) -> Any:
    """Nodes that take part in secure sums."""
    return LocalGrid([secure_client_app(song) for _ in range(nodes)], tamper)


def transport(there: Any) -> SecureFlowerTransport:
    """A transport that waits for nobody."""
    return SecureFlowerTransport(there, nodes=9, wait=0)


def summed(round_: SecureRound, there: LocalGrid) -> tuple[int, tuple[int, ...], list[str]]:
    """The answers, the counts, and why messages were dropped."""
    said: list[str] = []
    found = collect_sum(round_, transport(there), dropped=lambda refusal: said.append(str(refusal)))
    return found.answered, tuple(each // round_.unit for each in found.sums), said


def test_a_secure_sum_over_flower() -> None:
    there, round_ = grid(), published()
    assert summed(round_, there) == (12, (8, 0, 4), [])
    states = [ClientState.from_json(str(context.state["headcount"]["state"])) for context in there.contexts.values()]
    assert all((state.answered, state.sums) == ((round_.digest,), ()) for state in states)


def test_rounds_over_prefixes_over_flower() -> None:
    """Nodes keep their state between rounds: they pay once, and answer each round. Noise is at most 1, but for a chance
    below 1e-7."""
    tree: dict[str, Any] = {"alphabet": "bluerd", "lengths": [2, 4], "candidates": 100}
    plan = secure_heavy_hitters("Which?", share="0.2", people=PEOPLE, minimum=9, honest=1, epsilon=20, **tree)
    there = LocalGrid([secure_client_app(song, epsilon=20) for _ in range(PEOPLE)])
    release = collect_rounds(RoundsAnalyst(plan), transport(there))
    assert release["item"].to_pylist() == ["blue", "red"]
    assert release["count"].to_pylist() == pytest.approx([8, 4], abs=1)


def test_nodes_send_messages_of_the_sum_and_nothing_of_their_state() -> None:
    there, round_ = grid(), published()
    summed(round_, there)
    assert all(each.keys() == {"headcount"} and each["headcount"].keys() == {"text"} for each in there.received)
    kinds = [json.loads(each["headcount"]["text"])["kind"] for each in there.received]
    assert Counter(kinds) == dict.fromkeys(("sum-keys", "sum-shares", "sum-masked", "sum-unmask"), PEOPLE)


def test_the_same_round_a_second_time_opens_nothing(caplog: pytest.LogCaptureFixture) -> None:
    there, round_ = grid(), published()
    summed(round_, there)
    with pytest.raises(Refused, match="0 people answered, and 9 must: all is forgotten"):
        summed(round_, there)
    assert "This person has answered this round" in caplog.text


def test_no_more_nodes_are_asked_than_may_take_part() -> None:
    there = grid(nodes=20)
    assert summed(published(), there)[0] == 12
    assert len({node for node, _ in there.asked}) == 12


def test_too_few_nodes_are_sent_nothing() -> None:
    there = grid(nodes=8)
    with pytest.raises(Refused, match="8 nodes are connected, and 9 must be: nothing was sent"):
        summed(published(), there)
    assert there.asked == []


@pytest.mark.parametrize("step", ["sum-keys", "sum-shares", "sum-masked"])
def test_with_too_few_answers_at_any_step_nothing_is_opened(step: str) -> None:
    def silent(node: int, text: str) -> str:
        return "" if node <= 4 and f'"kind":"{step}"' in text else text

    with pytest.raises(Refused, match="8 people answered, and 9 must: all is forgotten"):
        summed(published(), grid(silent))


OTHER = "ab" * 16


def another_version(text: str) -> str:
    """A message of a version that is not out yet."""
    return text.replace('"version":1', '"version":2')


def another_round(text: str) -> str:
    """A message, masks among them, for another round."""
    return text.replace(f'"round":"{json.loads(text)["round"]}"', f'"round":"{OTHER}"')


def out_of_range(text: str) -> str:
    """A vector of more numbers than the list has."""
    vector = json.loads(text).get("vector")
    return text if vector is None else text.replace(vector, vector[:-4] + "AAAA" * 9)


def nothing(text: str) -> str:
    """No message."""
    return ""


BAD = {
    "another version": (another_version, "text: not a sum-keys of version 1."),
    "another round": (another_round, "This message is for another round."),
    "out of range": (out_of_range, "This vector has another length."),
    "nothing": (nothing, "text: JSON of at most"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_taken_is_dropped_with_a_clear_line(name: str) -> None:
    """The first two nodes do it all the time: they are not counted, and the others are."""
    change, line = BAD[name]

    def tamper(node: int, text: str) -> str:
        return change(text) if node <= 2 and text else text

    answered, counts, said = summed(published(), grid(tamper))
    assert (answered, counts) == (10, (6, 0, 4))
    assert len(said) == 2
    assert all(line in each for each in said)


def test_a_person_with_two_nodes_counts_once(tmp_path: Path) -> None:
    """The first two nodes keep what they answered in one file: the second one has answered."""

    def file(context: Any) -> Path:
        return tmp_path / str(max(context.node_id, 2))

    there = LocalGrid([secure_client_app(song, file=file) for _ in range(PEOPLE)])
    answered, counts, _ = summed(published(), there)
    assert (answered, counts) == (11, (7, 0, 4))


def test_a_ticket_counts_once() -> None:
    """The second node sends the keys of the first one, and comes first: it cannot go on with them, and the first one is
    not asked. Tickets are secret, so that this takes a node that shows its own to another."""
    sent: dict[str, str] = {}

    def tamper(node: int, text: str) -> str:
        return sent.setdefault(json.loads(text)["kind"], text) if node <= 2 and text else text

    answered, counts, said = summed(published(), grid(tamper))
    assert (answered, counts) == (10, (6, 0, 4))
    assert "Your ticket was already used." in said[0]


def test_with_a_file_a_node_has_answered_in_every_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Another grid is another run, in which Flower has forgotten the state of nodes."""
    round_, runs = published(), []
    for _ in range(2):
        apps = [secure_client_app(song, epsilon=30, file=lambda at: tmp_path / str(at.node_id)) for _ in range(PEOPLE)]
        runs.append(LocalGrid(apps))
    assert summed(round_, runs[0]) == (12, (8, 0, 4), [])
    assert (tmp_path / "1").stat().st_mode & 0o077 == 0
    for again, why in ((round_, "has answered this round"), (published(), "budget does not allow this round")):
        with pytest.raises(Refused, match="0 people answered"):
            summed(again, runs[1])
        assert why in caplog.text


def test_a_node_for_secure_sums_reports_to_no_aggregator(caplog: pytest.LogCaptureFixture) -> None:
    asked, said = Analyst().publish("Which?", epsilon=4, delta="1e-3"), list[HeadcountError]()
    found = collect(asked, FlowerTransport(grid(), nodes=9, wait=0), dropped=said.append)
    assert found.counts == ()
    assert len(said) == 12
    assert "not a sum-survivors of version 1" in caplog.text


def test_a_node_keeps_to_its_total_over_rounds(caplog: pytest.LogCaptureFixture) -> None:
    apps = [secure_client_app(song, epsilon=30) for _ in range(PEOPLE)]
    there = LocalGrid(apps)
    assert summed(published(), there)[0] == 12
    with pytest.raises(Refused, match="0 people answered"):
        summed(published(), there)
    assert "budget does not allow this round" in caplog.text


def test_items_that_cannot_be_read_are_quoted_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    def broken(context: object) -> list[str]:
        raise HeadcountError("my secret", fix="none")

    asked = Analyst().publish("Which?", epsilon=4, delta="1e-3")
    with caplog.at_level(logging.DEBUG):
        there: Any = LocalGrid([client_app(broken) for _ in range(12)])
        assert collect(asked, FlowerTransport(there, nodes=9, wait=0)).counts == ()
    assert "could not be read" in caplog.text
    assert "my secret" not in caplog.text


def test_reports_over_flower_count_once() -> None:
    asked = Analyst().publish("Which?", epsilon=16, delta="1e-3")
    there: Any = LocalGrid([client_app(song) for _ in range(60)])
    over = FlowerTransport(there, nodes=60, wait=0)
    first, second = collect(asked, over), collect(asked, over)
    assert [item for item, _ in first.counts] == ["red"] or dict(first.counts).keys() == {"red", "blue"}
    assert 0 < dict(first.counts)["red"] <= 52
    assert second.counts == ()


# sites


def visits(context: Any) -> pa.Table:
    """As many patients as the node's number, each with two rows of blue; the first one has red, too."""
    patients = [number // 2 for number in range(2 * int(context.node_id))]
    return pa.table({"patient": [*patients, 0], "song": [*["blue"] * len(patients), "red"]})


def sites(nodes: int = 4) -> Any:
    return LocalGrid([secure_site_app(visits, user="patient", by="song", epsilon=20) for _ in range(nodes)])


def site_round() -> SecureRound:
    return SecureAnalyst().publish(
        "Which?", keys=KEYS, people=100, sites=4, minimum=3, honest=1, epsilon=20, items=2, sites_per_person=1
    )


def test_a_secure_sum_of_sites_over_flower(caplog: pytest.LogCaptureFixture) -> None:
    there, round_ = sites(), site_round()
    found = collect_sum(round_, SecureFlowerTransport(there, nodes=4, wait=0))
    assert (found.answered, found.sums) == (4, (1 + 2 + 3 + 4, 0, 4))
    with pytest.raises(Refused, match="0 sites answered, and 3 must"):
        collect_sum(round_, SecureFlowerTransport(there, nodes=4, wait=0))
    assert "has answered this round" in caplog.text


def test_no_more_sites_are_asked_than_may_take_part() -> None:
    there = sites(nodes=6)
    assert collect_sum(site_round(), SecureFlowerTransport(there, nodes=4, wait=0)).answered == 4
    assert len({node for node, _ in there.asked}) == 4


def test_reports_of_sites_over_flower() -> None:
    """At this rate most people are in the sample. A person's transport takes one report of each node."""
    there = LocalGrid([site_app(visits, user="patient", by="song") for _ in range(30)])
    round_, said = Analyst().publish("Which?", epsilon=20, delta="0.5", items=2, sites_per_person=1), list[str]()
    counts = dict(collect(round_, SiteFlowerTransport(there, nodes=30, wait=0)).counts)
    assert round_.threshold <= counts["red"] <= 30 < counts["blue"] <= 30 * 31 // 2
    again = LocalGrid([site_app(visits, user="patient", by="song") for _ in range(30)])
    alone = collect(
        round_,
        FlowerTransport(again, nodes=30, wait=0),
        dropped=lambda refusal: said.append(str(refusal)),
    )
    assert alone.counts == ()
    assert len(said) == 29


def test_a_table_that_cannot_be_opened_says_nothing_of_rows(caplog: pytest.LogCaptureFixture) -> None:
    def broken(context: Any) -> pa.Table:
        raise ValueError("row 17: blue")

    there = LocalGrid([site_app(broken, user="patient", by="song"), site_app(visits, user="patient", by="song")])
    collect(Analyst().publish("Which?", epsilon=1, sites_per_person=1), SiteFlowerTransport(there, nodes=2, wait=0))
    assert [each["headcount"]["text"].strip() == "" for each in there.received] == [True, False]
    assert "The table of this site could not be opened" in caplog.text
    assert "row 17" not in caplog.text


def test_answers_are_as_long_as_powers_of_two() -> None:
    """Whether a node refuses, has no item in the sample or several, its answer has the same length; a site's is within
    a factor of two of that of its reports."""
    items = [["blue"] * 0, ["blue"], [f"a song with a long name {number}" for number in range(9)]]
    apps = [client_app(lambda context, each=each: each) for each in items]  # type: ignore[misc]
    there = LocalGrid([*apps, client_app(_broken)])
    asked = Analyst().publish("Which?", epsilon=20, delta="0.5", items=9)
    collect(asked, FlowerTransport(there, nodes=4, wait=0))
    assert [len(each["headcount"]["text"]) for each in there.received] == [1024] * 4
    sites = LocalGrid([site_app(visits, user="patient", by="song") for _ in range(3)])
    round_ = Analyst().publish("Which?", epsilon=20, delta="0.5", items=2, sites_per_person=1)
    collect(round_, SiteFlowerTransport(sites, nodes=3, wait=0))
    for each in sites.received:
        text = each["headcount"]["text"]
        assert len(text) & (len(text) - 1) == 0
        assert len(text.rstrip()) > len(text) / 2 or len(text) == 1024


def _broken(context: Any) -> list[str]:
    raise ValueError("blue")
