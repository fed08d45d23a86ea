"""Messages have one spelling, and nothing else is taken for one."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.account.ledger.record.chain import canonical
from headcount.errors import BadParameter
from headcount.federated import Analyst, Invitation, Report, Result, Round
from headcount.federated.schema import Message
from tests.federated.people import ID

TICKET = "f" * 32
EXAMPLES: list[Message] = [
    Analyst().publish("Which? ☕", epsilon=1, items=3),
    Analyst().publish("Which?", epsilon="1/3", delta="1e-8", neighbours="replace", people=10_000),
    Invitation(ID, 17, TICKET),
    Report(ID, TICKET, ()),
    Report(ID, TICKET, ("quince", "", 'Ω\n\0 "', "x" * 4096)),
    Result(ID, ()),
    Result(ID, (("b", 20), ("a", 17), ("c", 17))),
]
BIG = 10**5000


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message.kind)
def test_there_and_back(message: Message) -> None:
    text = message.to_json()
    assert type(message).from_json(text) == message
    assert canonical(json.loads(text)) == text
    assert text.isascii()
    assert json.loads(text)["version"] == 1


@given(st.lists(st.text(alphabet=st.characters(codec="utf-8"), max_size=40), max_size=5, unique=True))
def test_any_text_is_an_item(items: list[str]) -> None:
    report = Report(ID, TICKET, tuple(items))
    assert Report.from_json(report.to_json()) == report


@given(st.text())
def test_any_other_text_is_refused(text: str) -> None:
    for kind in (Round, Report, Result, Invitation):
        with pytest.raises(BadParameter):
            kind.from_json(text)


def changed(message: Message, **changes: Any) -> str:
    """Its text with other values; `...` takes a field away."""
    said = {**json.loads(message.to_json()), **changes}
    return canonical({name: value for name, value in said.items() if value is not ...})


ROUND, INVITES, INVITATION, _, REPORT, _, RESULT = EXAMPLES
WRONG: list[tuple[Message, dict[str, list[Any]]]] = [
    (
        ROUND,
        {
            "kind": ["report", None, 1, ...],
            "version": [0, 2, "1", None, True, 1.0, ...],
            "id": ["", "A" * 32, "0" * 31, "0" * 33, 7, None, ["0" * 32], f"{ID}\n", ...],
            "asks": [None, 7, "x" * 4097, "\ud800", ["x"], ...],
            "rate": [
                "0",
                "1",
                "0.0000000001",
                "0.991",
                "-0.1",
                "1.5",
                "nan",
                "inf",
                "1e-3",
                "0.10",
                "2/4",
                "1/0",
                "",
                " 0.1",
                "0.1 ",
                "１/3",
            ],
            "threshold": [1, 0, -3, 14.0, "14", None, True, BIG, 2**60, [14], ...],
            "items": [0, -1, 1.5, "1", True, None, 1001, BIG, ...],
            "neighbours": ["none", "", None, 1, ["replace"], ...],
            "epsilon": ["0", "0.0000001", "-1", "21", 1, 1.0, None, "1e400", "9" * 400, ...],
            "delta": ["0", "1", "2", 0.000001, None, True, "0." + "0" * 5000 + "1", ...],
            "people": [0, -1, 1.5, "3", True, BIG, 10_000, ...],
            "invited": [0, 1, 10_000, ...],
            "more": [1, None],
        },
    ),
    (
        INVITES,
        {
            "people": [None, 1, 0, 2**60, "10000", 10_000.0],
            "invited": [None, 0, 10_001, True],
            "items": [2],
            "neighbours": ["add-remove"],
        },
    ),
    (
        INVITATION,
        {"round": ["", None, ...], "person": [-1, 1.0, "1", True, None, BIG, 2**60, ...], "ticket": ["", 1, None, ...]},
    ),
    (
        REPORT,
        {
            "round": ["", None, 1, "z" * 32, ...],
            "ticket": ["", None, 1, "F" * 32, ...],
            "items": [None, "a", {"a": 1}, [1], [None], [["a"]], ["a", "a"], [True], [1.5], ...],
            "coin": [1],
        },
    ),
    (
        RESULT,
        {
            "round": [None, ...],
            "counts": [None, {}, [["a"]], [["a", 1, 2]], [["a", 0]], [["a", -1]], [["a", 1.0]], [["a", BIG]], ...],
            "people": [17],
        },
    ),
]


@pytest.mark.parametrize(
    ("message", "name", "value"),
    [
        pytest.param(message, name, value, id=f"{message.kind}-{name}-{index}")
        for message, fields in WRONG
        for name, values in fields.items()
        for index, value in enumerate(values)
    ],
)
def test_one_wrong_field_is_refused(message: Message, name: str, value: Any) -> None:
    if value == BIG:
        text = changed(message, **{name: 12345678}).replace("12345678", "9" * 5000)
    elif value == [["a", BIG]]:
        text = changed(message, **{name: [["a", 12345678]]}).replace("12345678", "9" * 5000)
    else:
        text = changed(message, **{name: value})
    with pytest.raises(BadParameter) as refusal:
        type(message).from_json(text)
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "NaN",
        '"report"',
        "[" * 100_000,
        "{" * 100_000,
        REPORT.to_json() + " ",
        " " + REPORT.to_json(),
        REPORT.to_json().replace(":", ": ", 1),
        REPORT.to_json().replace("quince", "\\u0071uince"),
        REPORT.to_json().replace('"version":1', '"version":1,"version":1'),
        REPORT.to_json().replace('"version":1', '"version":1.0'),
        REPORT.to_json().replace('"version":1', '"version":NaN'),
        REPORT.to_json().replace('["quince"', '[NaN,"quince"'),
        REPORT.to_json().replace("quince", "a" * (1 << 24)),
        REPORT.to_json().encode(),
        None,
    ],
)
def test_other_spellings_are_refused(text: Any) -> None:
    with pytest.raises(BadParameter) as refusal:
        Report.from_json(text)
    assert "quince" not in str(refusal.value)


@pytest.mark.parametrize("kind", [Round, Invitation, Report, Result])
def test_a_message_of_another_kind_is_refused(kind: type[Message]) -> None:
    for message in EXAMPLES:
        if not isinstance(message, kind):
            with pytest.raises(BadParameter):
                kind.from_json(message.to_json())


@pytest.mark.parametrize("items", [["x" * 4097], ["é" * 2049], ["\udfff"], [str(number) for number in range(1001)]])
def test_too_much_is_refused(items: list[str]) -> None:
    with pytest.raises(BadParameter):
        Report.from_json(changed(REPORT, items=items))
    with pytest.raises(BadParameter):
        Report(ID, TICKET, tuple(items))


@pytest.mark.parametrize(
    "counts", [[["a", 2], ["a", 1]], [["a", 1], ["b", 2]], [["b", 1], ["a", 1]], [["a", True]], [["a", "1"]], [[1, 1]]]
)
def test_a_result_is_in_order_and_has_each_item_once(counts: list[list[Any]]) -> None:
    with pytest.raises(BadParameter):
        Result.from_json(changed(RESULT, counts=counts))


def test_made_by_hand_they_are_checked_as_well() -> None:
    half = Fraction(1, 2)
    for wrong in (
        lambda: Report(ID, TICKET, ["a"]),  # type: ignore[arg-type]
        lambda: Report(ID, TICKET, ("a", "a")),
        lambda: Result(ID, [("a", 1)]),  # type: ignore[arg-type]
        lambda: Invitation(ID, -1, TICKET),
        lambda: Round(ID, "Which?", 0.5, 20, 1, "add-remove", half, half),  # type: ignore[arg-type]
        lambda: Round(ID, "Which?", half + Fraction(1, 10**200), 20, 1, "add-remove", half, half),
        lambda: Round(ID, "Which?", half, 1, 1, "add-remove", half, half),
        lambda: Round(ID, "Which?", half, 20, 1, "replace", half, half, people=10),
    ):
        with pytest.raises(BadParameter):
            wrong()
