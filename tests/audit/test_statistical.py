"""The black-box audit: honest mechanisms are not flagged, the classic mistakes are, false alarms are rare."""

import random
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.effort import at_night, runs

from audits.registry import specimens
from audits.specimen import Specimen
from headcount.audit import artefacts, audit
from headcount.audit.evidence import Claim
from headcount.audit.outputs import Seen, features, lowest_bit, observe, seen
from headcount.errors import BadParameter
from headcount.noise import SystemEntropy

HONEST = [each for each in specimens() if each.honest]
WRONG = [each for each in specimens() if not each.honest]
PROFILED = {"weighted, after a profile": 4, "plume": 4}
"""What looks at a profile first takes four times as long, so it gets a quarter of the runs in the quick tier."""
FIRST_OF_EACH_KIND = {each.name.partition(",")[0]: each.name for each in reversed(HONEST)}


@pytest.mark.parametrize("specimen", HONEST, ids=lambda each: each.name)
def test_honest_mechanisms_run(specimen: Specimen) -> None:
    """An audit takes errors for outputs: a specimen that cannot run would pass, as nothing distinguishes neighbours."""
    for people in (specimen.left, specimen.right):
        for _ in range(10):
            specimen.run(people, SystemEntropy())


@pytest.mark.slow(but=[*FIRST_OF_EACH_KIND.values(), "weighted, twice, an own item"])
@pytest.mark.parametrize("specimen", HONEST, ids=lambda each: each.name)
def test_honest_mechanisms_pass(specimen: Specimen) -> None:
    """A slow one gets fewer runs, but never fewer than an audit needs."""
    tried = runs(20_000) // (1 if at_night() else PROFILED.get(specimen.name, 1))
    assert not specimen.audit(runs=max(tried, 400 * specimen.slow)).flagged


@pytest.mark.slow(but=["a sample of a fixed size", "rows by the true number", "people counted without noise"])
@pytest.mark.parametrize("specimen", WRONG, ids=lambda each: each.name)
def test_mistakes_are_flagged(specimen: Specimen) -> None:
    found = specimen.audit(runs=100_000 if specimen.name == "noise / 1.1" else 40_000)
    assert found.flagged, found
    assert found.epsilon > specimen.epsilon


def test_what_is_shown_is_close_to_the_truth() -> None:
    """Randomised response with epsilon 2: the audit must show most of it, and not more."""
    source = random.Random(1)

    def response(bit: int) -> int:
        return bit if source.random() < np.exp(2) / (1 + np.exp(2)) else 1 - bit

    found = audit(response, 0, 1, epsilon=3, runs=50_000)
    assert 1.8 < found.epsilon < 2
    assert not found.flagged


@pytest.mark.slow(sibling="test_what_is_shown_is_close_to_the_truth")
def test_false_alarms_are_as_rare_as_they_say() -> None:
    """At alarm 0.2 and a claim that is exactly kept, 300 audits of 400 runs flag at most about a fifth."""
    source = random.Random(2)

    def response(bit: int) -> int:
        return bit if source.random() < np.e / (1 + np.e) else 1 - bit

    flagged = sum(audit(response, 0, 1, epsilon=1, runs=400, alarm=0.2).flagged for _ in range(300))
    assert flagged <= 95  # five standard deviations above 60


def test_the_evidence_is_an_e_value() -> None:
    """Its expectation under any law that keeps the claim is at most 1, exactly, for 1 run and whatever stakes."""
    claim = Claim.of(0.7, 0.05)
    for a, b in ((0.1, 0.1), (0.5, 2.0), (3.0, 8.0), (1.0, 0.01)):
        for q in np.linspace(0, (1 - 0.05) / np.exp(0.7), 50):
            p = np.exp(0.7) * q + 0.05
            chances = {(1, 1): p * q, (1, 0): p * (1 - q), (0, 1): (1 - p) * q, (0, 0): (1 - p) * (1 - q)}
            mean = sum(
                chance * np.exp(claim.evidence(x, y, 1, [(0.5, (a, b)), (0.5, (0.3, 0.9))]))
                for (x, y), chance in chances.items()
            )
            assert mean <= 1 + 1e-12


@pytest.mark.parametrize(
    ("outputs", "feature"),
    [
        (lambda secret: secret, "value"),
        (lambda secret: [5, secret, 5], "[1]"),
        (lambda secret: {"a", "b"} if secret else {"a"}, "has 'b'"),
        (lambda secret: {"a": 1, "b": secret}, "['b']"),
        (lambda secret: {"a": 1, "b": 1} if secret else {"b": 1, "a": 1}, "order"),
        (lambda secret: 1 // secret, "output"),
        (lambda secret: np.array([[secret, 2]]), "[0]"),
        (lambda secret: np.int64(secret), "value"),
        (lambda secret: 0.5 if secret else 0.25, "digits of value"),
        (lambda secret: 0.0 if secret else -0.0, "output"),
        (lambda secret: True if secret else 1, "output"),
        (lambda secret: [1] if secret else (1,), "output"),
        (lambda secret: "text" if secret else None, "value"),
    ],
)
def test_every_kind_of_output_is_looked_at(outputs: Any, feature: str) -> None:
    assert audit(outputs, 1, 0, epsilon=1, runs=400).flagged
    one, other = (features(observe(partial(outputs, secret))) for secret in (0, 1))
    assert one.get(feature) != other.get(feature)


@pytest.mark.slow(sibling="test_no_output_breaks_the_audit")
def test_the_artefact_detector() -> None:
    by_name = {each.name: each for each in specimens()}
    entropy = SystemEntropy()
    floats, integers = by_name["noise in floating point"], by_name["clipped, Laplace"]
    leaking = artefacts(lambda people: floats.run(people, entropy), floats.left, floats.right, epsilon=1)
    assert not leaking.clean
    assert leaking.finding.flagged
    assert leaking.finding.epsilon > 2
    assert leaking.floats > 0.99
    clean = artefacts(lambda people: integers.run(people, entropy), integers.left, integers.right, epsilon=1)
    assert clean.clean
    assert (clean.floats, clean.lowest) == (0, 0)


def test_where_the_bits_of_a_float_end() -> None:
    assert [lowest_bit(value) for value in (0.625, 1.0, 3, 0.1, 2.0**-1074)] == [-3, 0, 0, -55, -1074]
    assert lowest_bit(float("inf")) == lowest_bit(float("nan")) == 0


def test_nothing_is_forgotten_of_an_output() -> None:
    inside = Seen("list", (1, Seen("set", frozenset({2}))))
    assert seen({"b": [1, {2}], "a": np.float64(1.5)}) == Seen(
        "dict", (Seen("pair", ("b", inside)), Seen("pair", ("a", Seen("float", "0x1.8000000000000p+0"))))
    )
    different = [1, True, 1.0, "1", None, 0.0, -0.0, float("nan"), (1,), [1], {1}, {1: 1}, ((1, 1),), b"1"]
    assert len({seen(each) for each in different}) == len(different)
    assert observe(lambda: 1 // 0) == Seen("raised", ("ZeroDivisionError", "integer division or modulo by zero"))


class Untellable(Exception):
    def __str__(self) -> str:
        raise RuntimeError


def untellable() -> None:
    raise Untellable


@pytest.mark.parametrize(
    "output",
    [
        lambda: [10**400, 1.5],
        lambda: [10**5000, {10**5000: 1}],
        lambda: [float("inf"), float("-inf"), float("nan")],
        untellable,
        lambda: np.longdouble(1.5),
        lambda: ("float", "zz"),
        lambda: object(),
        lambda: (number for number in range(3)),
    ],
)
def test_no_output_breaks_the_audit(output: Any) -> None:
    assert not audit(lambda data: output(), 0, 1, epsilon=1, runs=400).flagged
    assert not artefacts(lambda data: output(), 0, 1, epsilon=1, runs=400).finding.flagged


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({"epsilon": -1}, "epsilon=-1, delta=0: not a privacy claim. Fix: epsilon=1, delta=0"),
        ({"epsilon": 1, "delta": 1}, "epsilon=1, delta=1: not a privacy claim. Fix: epsilon=1, delta=0"),
        ({"epsilon": "x"}, "epsilon='x': a finite number is needed. Fix: epsilon=1"),
        ({"epsilon": 99}, "epsilon=99: more than 32 cannot be detected from outputs. Fix: epsilon=1"),
        ({"epsilon": 1, "alarm": 5}, "alarm=5: a chance between 0 and 1 is needed. Fix: alarm=1e-6"),
        ({"epsilon": 1, "runs": 10}, "runs=10: a whole number of at least 400 is needed. Fix: runs=100_000"),
    ],
)
def test_bad_input(claim: dict[str, Any], message: str) -> None:
    with pytest.raises(BadParameter) as refusal:
        audit(len, "ab", "a", **claim)
    assert str(refusal.value) == message
