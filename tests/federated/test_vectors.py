"""The published test vectors are of this code, and an implementation of the page alone meets them."""

import hashlib
import json
import re
from typing import Any

import pytest

from headcount.errors import BadParameter
from headcount.federated import Report
from tests.docs.messages import MESSAGES, PAGE, page
from tests.federated.vectors import PATH, vectors

FILE: dict[str, Any] = json.loads(PATH.read_text())
SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def test_the_file_is_fresh() -> None:
    """`python -m tests.federated.vectors` writes it."""
    assert vectors() == FILE


def test_the_page_is_fresh() -> None:
    """`python -m tests.docs.update` writes it."""
    assert PAGE.read_text() == page()


def spelled(text: str) -> str:
    """A string as the page has it."""
    units = memoryview(text.encode("utf-16-be", "surrogatepass")).cast("B")
    codes = [int.from_bytes(units[index : index + 2], "big") for index in range(0, len(units), 2)]
    return "".join(SHORT.get(chr(code)) or (chr(code) if 32 <= code < 127 else f"\\u{code:04x}") for code in codes)


def canonical(value: Any) -> str:
    """Canonical JSON by the page alone."""
    if isinstance(value, dict):
        return "{" + ",".join(f'"{name}":{canonical(value[name])}' for name in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f'"{spelled(value)}"' if isinstance(value, str) else str(value)


def keyed(text: str, key: str = "") -> str:
    return hashlib.blake2b(text.encode(), key=bytes.fromhex(key), digest_size=16).hexdigest()


@pytest.mark.parametrize("vector", FILE["messages"], ids=lambda vector: vector["kind"])
def test_another_implementation_writes_the_same(vector: dict[str, Any]) -> None:
    assert canonical(vector["fields"]) == vector["text"]
    if "digest" in vector:
        assert keyed(vector["text"]) == vector["digest"]
    message = next(message for message in MESSAGES if message.kind == vector["kind"])
    assert message.from_json(vector["text"]).to_json() == vector["text"]


def test_every_kind_has_a_vector_and_promises_are_kept_or_not() -> None:
    assert {vector["kind"] for vector in FILE["messages"]} == {message.kind for message in MESSAGES}
    assert {vector["holds"] for vector in FILE["messages"] if "holds" in vector} == {True, False}


def test_tickets_and_buckets_are_as_the_page_says() -> None:
    for vector in FILE["tickets"]:
        assert keyed(vector["round"], vector["key"]) == vector["ticket"]
    for vector in FILE["buckets"]:
        assert int(keyed(vector["item"], vector["key"]), 16) % vector["buckets"] == vector["bucket"]


@pytest.mark.parametrize("vector", FILE["steps"], ids=lambda vector: vector["what"])
def test_answers_in_a_series_are_as_the_page_says(vector: dict[str, Any]) -> None:
    round_ = json.loads(vector["round"])
    step = round_["step"]
    terms = [step["series"], step["rounds"], *(round_[name] for name in ("threshold", "items", "neighbours"))]
    terms += [round_[name] for name in ("rate", "epsilon", "delta")]
    if "insiders" in round_ or "sites_per_person" in round_:
        terms += [round_.get("insiders", 0), round_.get("sites_per_person", 0)]
    promise = keyed(canonical(terms))
    assert promise == vector["promise"]
    key, order = bytes.fromhex(vector["key"]), b"order" + bytes(11)

    def place(item: str) -> bytes:
        return hashlib.blake2b((promise + item).encode(), key=key, person=order, digest_size=16).digest()

    items = sorted(vector["items"], key=place)
    found = list(dict.fromkeys(answered(step, items)))[: round_["items"]]
    assert found == vector["answers"]


def answered(step: dict[str, Any], items: list[str]) -> list[str]:
    """What a level makes of items, by the page alone."""
    if level := step["prefixes"]:
        known, length = level["known_length"], level["length"]
        return [item[:length] for item in items if item[:known] in level["known"]]
    level = step["nodes"] or step["cuts"]
    cells = [each for item in items if (each := cell(level["scale"], item)) is not None]
    if not cells:
        return []
    if step["nodes"]:
        return [str(cells[0] // level["width"])]
    return [f"{place}{'<' if cells[0] < cut else '>'}" for place, cut in enumerate(level["cuts"])]


def cell(scale: dict[str, Any], item: str) -> int | None:
    """The cell of an item, by the page alone."""
    if not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?", item, re.ASCII):
        return None
    edges, number = [float(edge) for edge in scale["edges"]], float(item)
    if not scale["clamped"] and not edges[0] <= number < edges[-1]:
        return None
    number, sections = min(max(number, edges[0]), edges[-1]), len(edges) - 1
    section = max(place for place in range(sections) if edges[place] <= number)
    cells = int(scale["cells"])
    first, after = (each * cells // sections for each in (section, section + 1))
    low, high = edges[section], edges[section + 1]
    return first + min(int((number - low) / (high - low) * (after - first)), after - first - 1)


@pytest.mark.parametrize("vector", FILE["refused"], ids=lambda vector: vector["why"])
def test_what_must_be_refused_is(vector: dict[str, Any]) -> None:
    with pytest.raises(BadParameter):
        Report.from_json(vector["text"])
