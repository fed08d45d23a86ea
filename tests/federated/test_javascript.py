"""The JavaScript client meets the published vectors, refuses what it must, draws exactly, and takes part in rounds.

A second implementation of what docs/reference/messages.md says; it runs in a process of node, without any package.
"""

import json
import re
import secrets
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headcount.account.curves import sampling
from headcount.account.events import Neighbours, SampleThreshold
from headcount.errors import BadParameter
from headcount.exact import written
from headcount.federated import Aggregator, Analyst, Client, Invitation, Report, Result, Round
from headcount.federated.rounds import RoundsAnalyst, collect_rounds, heavy_hitters, quantiles
from headcount.federated.step import Nodes, Prefixes, Scale, step_of
from headcount.federated.transport import MemoryTransport, collect
from tests.effort import runs
from tests.federated.node import NODE, Node, NodeTransport, RefusedThere, needs_node
from tests.federated.vectors import BROKEN, INVITING, KEY, PATH, ROUND, TICKET

pytestmark = needs_node
VECTORS: dict[str, Any] = json.loads(PATH.read_text())
FOLDER = Path(__file__).parents[2] / "clients" / "javascript"


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with Node() as process:
        yield process


def refusal(node: Node, command: str, **fields: Any) -> str:
    with pytest.raises(RefusedThere) as refused:
        node.run(command, **fields)
    return refused.value.name


# the vectors


@pytest.mark.parametrize("vector", VECTORS["messages"], ids=lambda vector: vector["kind"])
def test_messages_are_spelled_as_the_vectors_are(node: Node, vector: dict[str, Any]) -> None:
    assert node.run("spell", fields=vector["fields"]) == vector["text"]
    if "digest" in vector:
        assert node.run("digest", text=vector["text"], key="") == vector["digest"]
    if vector["kind"] in ("round", "invitation", "report"):
        assert node.run("read", kind=vector["kind"], text=vector["text"]) == vector["text"]
    if vector["kind"] == "round":
        assert node.run("holds", round=vector["text"]) == vector["holds"]


@pytest.mark.parametrize("vector", VECTORS["refused"], ids=lambda vector: vector["why"])
def test_what_must_be_refused_is(node: Node, vector: dict[str, Any]) -> None:
    assert refusal(node, "read", kind=vector["kind"], text=vector["text"]) == "BadParameter"


def test_tickets_and_buckets(node: Node) -> None:
    for vector in VECTORS["tickets"]:
        assert node.run("digest", text=vector["round"], key=vector["key"]) == vector["ticket"]
    for vector in VECTORS["buckets"]:
        hashed = node.run("digest", text=vector["item"], key=vector["key"])
        assert int(hashed, 16) % vector["buckets"] == vector["bucket"]


def test_coins_and_sequences_from_given_bytes(node: Node) -> None:
    for vector in VECTORS["sequences"]:
        found = node.run("sequence", count=vector["count"], size=vector["size"], bytes=vector["bytes"])
        assert found == {"drawn": vector["order"], "left": vector["left"]}
    for vector in VECTORS["coins"]:
        content, falls = vector["bytes"], []
        for _ in vector["falls"]:
            found = node.run("coin", rate=vector["rate"], bytes=content)
            falls.append(found["drawn"])
            content = content[len(content) - 2 * found["left"] :]
        assert falls == vector["falls"]
        assert len(content) == 2 * vector["left"]


@pytest.mark.parametrize("vector", VECTORS["answers"], ids=lambda vector: "-".join(vector["items"]).encode().hex()[:9])
def test_reports_are_the_same_byte_for_byte(node: Node, vector: dict[str, Any]) -> None:
    node.run("person", name="vector", items=vector["items"], key=vector["key"], bytes=vector["bytes"])
    found = node.run("answer", name="vector", round=vector["round"], invitation=vector["invitation"])
    assert found == vector["report"] == Report.from_json(found).to_json()


@pytest.mark.parametrize("vector", VECTORS["steps"], ids=lambda vector: vector["what"])
def test_answers_in_a_series(node: Node, vector: dict[str, Any]) -> None:
    """All answers of a step are in a report only if all coins fall: the most that one report can have."""
    assert node.run("promise", round=vector["round"]) == vector["promise"]
    sure = "00" * 64  # below every rate's numerator: each coin falls
    node.run("person", name="series", items=vector["items"], key=vector["key"], bytes=sure)
    report = Report.from_json(node.run("answer", name="series", round=vector["round"]))
    assert list(report.items) == vector["answers"]


def test_prices(node: Node) -> None:
    for vector in VECTORS["prices"]:
        parameters = {name: value for name, value in vector.items() if name != "delta"}
        exact = vector["items"] == 1 and vector["neighbours"] == "add-remove"
        found = Fraction(node.run("price" if exact else "prices", **parameters))
        assert Fraction(vector["delta"]) * Fraction("0.985" if not exact else "0.99999999999") <= found
        assert found <= Fraction(vector["delta"])
    for vector in VECTORS["truncated"]:
        found = Fraction(node.run("more", people=vector["people"], rate=vector["rate"], maximum=vector["invited"]))
        grown = found * (1 + Fraction("2.7182818284590453"))
        assert Fraction(vector["delta"]) * Fraction("0.999") <= grown <= Fraction(vector["delta"]) * Fraction("1.001")


# promises, against the analyst's own arithmetic

CHANGES: list[tuple[int, Neighbours]] = [(1, "add-remove"), (1, "replace"), (2, "add-remove"), (7, "replace")]
BUDGETS = [
    (epsilon, delta, items, neighbours)
    for epsilon, delta in (("1", "0.000001"), ("0.1", "0.00001"), ("5", "0.000000001"))
    for items, neighbours in CHANGES
]


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda budget: "-".join(map(str, budget)))
def test_it_answers_what_an_analyst_publishes_and_no_weaker_round(
    node: Node, budget: tuple[str, str, int, Neighbours]
) -> None:
    epsilon, delta, items, neighbours = budget
    round_ = Analyst().publish("Which?", epsilon=epsilon, delta=delta, items=items, neighbours=neighbours)
    assert node.run("holds", round=round_.to_json())
    weaker = [
        replace(round_, rate=round_.rate * Fraction("1.01")),
        replace(round_, threshold=round_.threshold - 1),
        replace(round_, delta=round_.delta * Fraction("0.95")),
    ]
    for changed in weaker:
        assert not changed.holds
        assert not node.run("holds", round=changed.to_json())
    for changed in (replace(round_, epsilon=round_.epsilon * Fraction("0.9")), replace(round_, items=items + 1)):
        assert node.run("holds", round=changed.to_json()) == changed.holds


@pytest.mark.parametrize(("insiders", "sites", "items"), [(0, 1, 1), (3, None, 1), (1, 2, 1), (2, 5, 3)])
def test_rounds_for_insiders_and_sites(node: Node, insiders: int, sites: int | None, items: int) -> None:
    round_ = Analyst().publish("Which?", epsilon=1, items=items, insiders=insiders, sites_per_person=sites)
    assert node.run("read", kind="round", text=round_.to_json()) == round_.to_json()
    assert node.run("holds", round=round_.to_json())
    weaker = [
        replace(round_, insiders=insiders + 1),
        replace(round_, sites_per_person=round_.memberships + 1),
        replace(round_, threshold=round_.threshold - 1),
    ]
    for changed in weaker:
        assert not changed.holds
        assert not node.run("holds", round=changed.to_json())


def test_rounds_whose_insiders_reach_the_threshold_are_no_rounds(node: Node) -> None:
    text = ROUND.to_json().replace('"insiders":1', "").replace('"items"', '"insiders":13,"items"')
    with pytest.raises(BadParameter):
        Round.from_json(text)
    assert refusal(node, "read", kind="round", text=text) == "BadParameter"


@pytest.mark.parametrize("epsilon", [2, 4, 8, 16])
def test_rounding_of_a_client_refuses_no_series(node: Node, epsilon: int) -> None:
    """At a large epsilon the price has no grid in it, by which a client's is lower than an analyst's."""
    for share, insiders in (("0.2", 1), ("0.1", 2), ("0.01", 5)):
        plan = heavy_hitters("Which?", share=share, people=400, epsilon=epsilon, delta="1e-4", insiders=insiders)
        assert node.run("holds", round=RoundsAnalyst(plan).publish().to_json())


@pytest.mark.parametrize("people", [1_000, 20_000, 3_000_000])
def test_rounds_that_invite(node: Node, people: int) -> None:
    round_ = Analyst().publish("Which?", epsilon=1, neighbours="replace", people=people)
    assert round_.invited is not None
    assert node.run("holds", round=round_.to_json())
    fewer = replace(round_, invited=round_.invited - max(1, round_.invited // 100))
    assert not fewer.holds
    assert not node.run("holds", round=fewer.to_json())


@pytest.mark.parametrize("rate", ["0.000000001", "0.01", "0.2", "1/3", "0.6321", "0.99"])
@pytest.mark.parametrize("threshold", [2, 3, 14, 200])
def test_the_price_of_one_report_is_the_same_to_many_digits(node: Node, rate: str, threshold: int) -> None:
    for epsilon in ("0.000001", "0.1", "1", "4.6", "20"):
        event = SampleThreshold(Fraction(rate), threshold, 1, "add-remove", Fraction(epsilon))
        here = sampling.delta(event)
        there = Fraction(node.run("price", rate=rate, threshold=threshold, epsilon=epsilon))
        assert abs(there - here) <= here / 10**30 + Fraction(1, 2**3000)


@pytest.mark.parametrize("epsilon", ["0.01", "1", "6"])
def test_the_price_of_several_reports_is_at_least_the_exact_one(node: Node, epsilon: str) -> None:
    """One report is a composition of one: the bound of the grid must not be below the exact delta."""
    for rate, threshold in (("0.2", 14), ("0.02", 3), ("0.8", 60)):
        parameters = {"rate": rate, "threshold": threshold, "epsilon": epsilon}
        exact = Fraction(node.run("price", **parameters))
        found = Fraction(node.run("prices", items=1, neighbours="add-remove", **parameters))
        assert exact <= found <= exact * Fraction("1.02") + Fraction(1, 10**290)


def test_extreme_rounds_have_an_answer(node: Node) -> None:
    for rate, threshold, items in (("0.000000001", 2, 1000), ("0.99", 2**14, 1), ("0.99", 2, 1000)):
        for neighbours in ("add-remove", "replace"):
            extreme = Round(*(ROUND.id, "Which?", Fraction(rate), threshold, items), neighbours, *(Fraction(1, 3),) * 2)
            assert node.run("holds", round=extreme.to_json()) == extreme.holds


# what is refused


def test_a_client_answers_once_and_no_promise_that_does_not_hold(node: Node) -> None:
    node.run("person", name="once", items=["apple"])
    assert refusal(node, "answer", name="once", round=BROKEN.to_json()) == "Refused"
    Report.from_json(node.run("answer", name="once", round=ROUND.to_json()))
    with pytest.raises(RefusedThere, match="has answered this round"):
        node.run("answer", name="once", round=ROUND.to_json())


def test_invitations_are_for_their_round(node: Node) -> None:
    node.run("person", name="invited", items=["apple"])
    wrong, right = Invitation(ROUND.digest, 3, TICKET), Invitation(INVITING.digest, 3, TICKET)
    for round_, invitation in ((ROUND, wrong), (INVITING, wrong), (INVITING, None)):
        text = invitation.to_json() if invitation else None
        with pytest.raises(RefusedThere, match="needs the invitation"):
            node.run("answer", name="invited", round=round_.to_json(), invitation=text)
    found = Report.from_json(node.run("answer", name="invited", round=INVITING.to_json(), invitation=right.to_json()))
    assert found == Report(INVITING.digest, TICKET, ("apple",))


def test_a_total_budget_ends(node: Node) -> None:
    for name, total in (("epsilon", {"epsilon": "2.5", "delta": "0.1"}), ("delta", {"epsilon": "99"})):
        node.run("person", name=name, items=["apple"], **total)
        allowed = 2 if name == "epsilon" else 10  # by default, delta is 0.00001 in all
        for _ in range(allowed):
            node.run("answer", name=name, round=replace(ROUND, id=secrets.token_hex(16)).to_json())
        with pytest.raises(RefusedThere, match="budget"):
            node.run("answer", name=name, round=replace(ROUND, id=secrets.token_hex(16)).to_json())


@pytest.mark.parametrize(
    "wrong",
    [{"items": "apple"}, {"items": [1]}, {"items": ["x" * 4097]}, {"items": ["\ud800"]}, {"items": [], "key": "00"},
     {"items": [], "epsilon": "-1"}, {"items": [], "epsilon": "0"}, {"items": [], "epsilon": "1", "delta": "1"}],
    ids=str,
)  # fmt: skip
def test_a_client_with_wrong_parameters_is_refused(node: Node, wrong: dict[str, Any]) -> None:
    assert refusal(node, "person", name="wrong", **wrong) == "BadParameter"


def changed_texts(round_: Round) -> Iterator[str]:
    """Texts that are no round."""
    text = round_.to_json()
    for field in json.loads(text):
        yield re.sub(rf'"{field}":("(\\.|[^"\\])*"|[^,}}]*)', f'"{field}":[]', text)
        yield text.replace(f'"{field}"', f'"{field}s"')
    for more in ("digest", "holds", "text", "__proto__", "constructor"):
        yield "{" + ",".join(sorted([*_fields(text), f'"{more}":"1"'])) + "}"
    for value in ("0.20", "00.2", ".2", "1/5", "2/10", "1e-1", "0", "0.9900001", "+0.2", "0.2 ", " 0.2", "\u0660.2"):
        yield text.replace('"rate":"0.2"', f'"rate":{json.dumps(value)}')
    for value in ("14.0", "1.4e1", "014", "-14", "1", "1048577", "null", '"14"', "true"):
        yield text.replace('"threshold":14', f'"threshold":{value}')
    yield from ("", "[]", "null", "1", '"round"', "{}", text + " ", text[:-1], "[" * 40_000, "x" * 70_000)
    yield text.replace('"people":null', '"people":5')
    yield text.replace('"invited":null', '"invited":5')
    yield text.replace('"invited":null', '"invited":5').replace('"people":null', '"people":5')


def _fields(text: str) -> list[str]:
    return [f"{json.dumps(name)}:{json.dumps(value)}" for name, value in json.loads(text).items()]


def test_texts_that_are_no_round_are_refused_by_both(node: Node) -> None:
    texts = list(changed_texts(ROUND))
    assert len(texts) > 50
    for text in texts:
        with pytest.raises(Exception, match="Fix:"):
            Round.from_json(text)
        assert refusal(node, "read", kind="round", text=text) == "BadParameter", text


def test_numbers_are_written_as_in_python(node: Node) -> None:
    for text in ("0", "1", "100", "0.10", "1/3", "2/4", "3/1", "1/1024", "12345678901234567890", "0.000000001", "7/40"):
        assert node.run("written", text=text) == written(Fraction(text))


# series of rounds

SCALES = [
    Scale((0.0, 0.1, 1e-7 + 1, 1000.0), 64, True),
    Scale((-1e6, -1.5, 0.0, 1e-5, 0.3, 1e15, 1e300), 1000, False),
    Scale(tuple(2.0**power for power in range(-40, 20)), 2**14, True),
    Scale((0.1, 0.7), 2**17, False),
    Scale((-3.0, 0.0, 5e-324, 4.0), 3, True),
]


@pytest.mark.every_case
@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: str(scale.cells))
def test_cells_are_the_same_for_any_number(node: Node, scale: Scale) -> None:
    """Random numbers, the ends of all cells and their neighbours, in spellings that either language may write."""
    rng = np.random.default_rng(7)
    ends = rng.choice(scale.axis.points, 150)
    near = np.concatenate([ends, np.nextafter(ends, -np.inf), np.nextafter(ends, np.inf)])
    drawn = rng.uniform(scale.edges[0] - 1, scale.edges[-1] * 1.01, 150)
    texts = [repr(float(value)) for value in [*near, *drawn, *rng.choice(scale.edges, 40)]]
    texts += [f"{value:.60g}" for value in near[:100]] + ["1e999", "-1e999", "+.5", "7.", "-0", "0x1", "1_0", "1e", ""]
    step = step_of("0" * 32, 0, 2, Nodes(scale, 1))
    round_ = replace(ROUND, items=1, step=step).to_json()
    for text in texts:
        assert node.run("level", round=round_, items=[text]) == step.level.answers([text]), text


def test_floats_are_written_as_in_python(node: Node) -> None:
    numbers = [0.0, -0.0, 1.0, 1e15, 1e16, 123456789012345680.0, 1e-4, 1e-5, 1.5e-7, -2.5, 1e300, 5e-324, 0.1, 1e22]
    numbers += [float(each) for each in np.random.default_rng(3).standard_cauchy(200)]
    for number in numbers:
        assert node.run("float", number=repr(number)) == repr(number)


def test_prefixes_are_of_code_points(node: Node) -> None:
    round_ = replace(ROUND, items=2, step=step_of("0" * 32, 1, 2, Prefixes(("𝄞", "é"), 1, 2))).to_json()
    assert node.run("level", round=round_, items=["𝄞🎵x", "éa", "e", "𝄞"]) == ["𝄞🎵", "éa", "𝄞"]


def test_a_series_is_paid_once_and_each_of_its_rounds_is_answered_once(node: Node) -> None:
    plan = quantiles("How many?", range=(0, 64), cells=64, epsilon=1)
    first = plan.next_round([])
    assert first is not None
    second = plan.next_round([Result(first.digest, ())])
    assert second is not None
    node.run("person", name="once", items=["5"], epsilon="1.5")
    for round_ in (first, second):
        node.run("answer", name="once", round=round_.to_json())
        with pytest.raises(RefusedThere, match="has answered this round"):
            node.run("answer", name="once", round=round_.to_json())
    assert first.step is not None
    again = replace(first, step=replace(first.step, nodes=Nodes(plan.scale, 1)))
    with pytest.raises(RefusedThere, match="has answered this round"):  # another level of the same number
        node.run("answer", name="once", round=again.to_json())
    other = replace(first, step=replace(first.step, series=secrets.token_hex(16)))
    with pytest.raises(RefusedThere, match="budget"):
        node.run("answer", name="once", round=other.to_json())


def test_steps_that_contradict_themselves_are_refused_by_both(node: Node) -> None:
    scale = '{"cells":64,"clamped":true,"edges":["0.0","1000.0"]}'
    nodes = f'{{"scale":{scale},"width":16}}'
    text = replace(ROUND, step=step_of("0" * 32, 1, 2, Nodes(Scale((0.0, 1000.0), 64, True), 16))).to_json()
    assert nodes in text
    changes = [
        ('"0.0"', '"0"'),
        ('"1000.0"', '"1e3"'),
        ('"1000.0"', '"inf"'),
        ('"0.0","1000.0"', '"-1.7e+308","1.7e+308"'),
        ('"1000.0"', '"0.0"'),
    ]
    changes += [('"cells":64', '"cells":0'), ('"0.0"', '"0x0"'), ('"0.0"', "0")]
    changes += [('"clamped":true', '"clamped":1'), ('"width":16', '"width":131073'), ('"number":1', '"number":2')]
    changes += [('"rounds":2', '"rounds":65'), ('"rounds":2', '"rounds":1'), (nodes, "null"), ('"cuts":null,', "")]
    changes += [('"cuts":null', f'"cuts":{{"cuts":[1],"scale":{scale}}}'), ('"scale":{', '"scales":{')]
    changes += [('"items":2', '"items":501'), ('"people":null', '"people":5'), ('"cuts":null', '"cuts":[]')]
    for before, after in changes:
        changed = text.replace(before, after, 1)
        assert changed != text
        with pytest.raises(BadParameter):
            Round.from_json(changed)
        assert refusal(node, "read", kind="round", text=changed) == "BadParameter", changed
    null = ROUND.to_json().replace('"threshold"', '"step":null,"threshold"')
    with pytest.raises(BadParameter):
        Round.from_json(null)
    assert refusal(node, "read", kind="round", text=null) == "BadParameter"


# exact coins


@pytest.mark.parametrize(("rate", "drawn"), [("1/7", 8), ("0.2", 8), ("3/4", 4), ("5/6", 8)])
def test_a_coin_has_exactly_its_probability(node: Node, rate: str, drawn: int) -> None:
    """Every byte that there is, once: those that are not drawn again fall with exactly this probability."""
    found: Counter[bool] = Counter()
    for byte in range(256):
        try:
            found[node.run("coin", rate=rate, bytes=f"{byte:02x}")["drawn"]] += 1
        except RefusedThere as refused:
            assert "no bytes are left" in str(refused)  # noqa: PT017
    assert found.total() == 256 * Fraction(rate).denominator // drawn
    assert Fraction(found[True], found.total()) == Fraction(rate)


def test_sequences_are_uniform(node: Node) -> None:
    """All pairs of bytes of which none is drawn again: each of the 12 sequences of 2 of 4 is as frequent."""
    found: Counter[tuple[int, ...]] = Counter()
    for content in range(16):
        try:
            drawn = node.run("sequence", count=4, size=2, bytes=f"{content >> 2:02x}{content & 3:02x}")["drawn"]
            found[tuple(drawn)] += 1
        except RefusedThere:
            continue
    assert set(found.values()) == {1}
    assert len(found) == 12


# rounds


class Both:
    """People with JavaScript clients and people with Python clients, by number."""

    def __init__(self, node: Node, javascript: Sequence[Sequence[str]], python: Sequence[Sequence[str]]) -> None:
        self._javascript = NodeTransport(node, javascript)
        self._python = MemoryTransport([*(Client([]) for _ in javascript), *map(Client, python)])
        self._others = {Client: len(javascript)}

    def answers(self, round_: Round, invitations: Sequence[Invitation]) -> Iterator[str]:
        yield from self._javascript.answers(round_, invitations)
        after = [each for each in invitations if each.person >= self._others[Client]]
        if round_.people is None or after:
            yield from self._python.answers(round_, after)


def test_a_round_of_both_kinds_of_clients_ends_in_a_release(node: Node) -> None:
    """150 + 150 people have "both", 150 with JavaScript "there", 150 with Python "here", and one each "rare"."""
    there, here = ([["both", name, f"rare {name}"]] * 150 for name in ("there", "here"))
    analyst = Analyst()
    round_ = analyst.publish("Which?", epsilon=3, items=3)
    result = collect(round_, Both(node, there, here))
    counts = dict(result.counts)
    release = analyst.read(result)
    assert counts.keys() >= {"both", "there", "here"}
    assert release.table["item"].to_pylist()[0] == "both"
    for item, people in (("both", 300), ("there", 150), ("here", 150)):
        mean, deviation = people * round_.rate, float(people * round_.rate * (1 - round_.rate)) ** 0.5
        assert abs(counts[item] - mean) < 5.5 * deviation, item


def test_a_round_that_invites_both_kinds_of_clients(node: Node) -> None:
    analyst = Analyst()
    round_ = analyst.publish("Which?", epsilon=3, neighbours="replace", people=400)
    counts = dict(collect(round_, Both(node, [["there"]] * 200, [["here"]] * 200)).counts)
    for item in ("there", "here"):
        deviation = float(200 * round_.rate * (1 - round_.rate)) ** 0.5
        assert abs(counts[item] - 200 * round_.rate) < 5.5 * deviation


def test_quantiles_of_both_kinds_of_clients(node: Node) -> None:
    """Numbers below 100 live in JavaScript, those above in Python: the median lies between."""
    there, here = ([[str(first + number)] for number in range(250)] for first in (0, 750))
    plan = quantiles("How many?", range=(0, 1024), cells=64, q=[0.1, 0.5, 0.9], epsilon=8)
    table = collect_rounds(RoundsAnalyst(plan), Both(node, there, here)).table
    low, middle, high = table["value"].to_pylist()
    assert 0 <= low < 200 < middle < 800 < high <= 1024


def test_heavy_hitters_of_both_kinds_of_clients(node: Node) -> None:
    """Half of the people who have an item use one language, half the other; without either half it is not found."""
    words = ["🎵 song", "song 1", "song 2"]
    people = [[word] for word in words for _ in range(120)] + [[f"rare {number}"] for number in range(40)]
    plan = heavy_hitters("Which?", share="0.2", people=400, lengths=[2, 5], epsilon=8, delta="1e-4")
    found = collect_rounds(RoundsAnalyst(plan), Both(node, people[::2], people[1::2])).table
    assert sorted(found["item"].to_pylist()) == sorted(words)


def test_the_same_device_counts_once_in_either_language(node: Node) -> None:
    """A device that answers again with the other client, from the same key, has the same ticket."""
    node.run("person", name="device", items=["apple"], key=KEY.hex())
    aggregator = Aggregator(ROUND)
    aggregator.add(Report.from_json(node.run("answer", name="device", round=ROUND.to_json())))
    with pytest.raises(Exception, match="ticket was already used"):
        aggregator.add(Client(["apple"], key=KEY).answer(ROUND))


def test_items_are_sampled_each_by_its_own_coin(node: Node) -> None:
    """How often both of two items of one person are in the sample: the square of the rate, and not the rate."""
    people = runs(4_000)
    reports = NodeTransport(node, [["a", "b"]] * people).answers(ROUND, ())
    found = Counter(Report.from_json(text).items for text in reports)
    rate = float(ROUND.rate)
    for items, chance in ((("a", "b"), rate**2), (("a",), rate * (1 - rate)), (("b",), rate * (1 - rate))):
        assert abs(found[items] - people * chance) < 5.5 * (people * chance * (1 - chance)) ** 0.5


# its page


def test_the_example_of_its_page_runs(tmp_path: Path) -> None:
    code = re.findall(r"```js\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)
    assert len(code) == 1
    (tmp_path / "round.json").write_text(Analyst().publish("Which song?", epsilon=1).to_json())
    program = tmp_path / "phone.mjs"
    program.write_text(code[0].replace("./index.js", f"{FOLDER}/index.js"))
    done = subprocess.run([str(NODE), str(program)], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert Report.from_json(done.stdout.strip()).items in ((), ("song 0001",))


def test_it_needs_no_package() -> None:
    assert "ependencies" not in (FOLDER / "package.json").read_text()
    imported = {name for path in FOLDER.glob("*.js") for name in re.findall(r'from "([^.][^"]*)"', path.read_text())}
    assert imported == {"node:crypto"}
