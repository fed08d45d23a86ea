"""Nothing changes by accident: each request gives what is stored, byte for byte. If a change is meant, run
`python -m tests.golden.update` and read the diff of tests/golden/expected."""

from typing import Any

import pytest

import headcount as hc
from tests.golden import command_line, expected
from tests.golden.record import parameters, record, refusal, signature
from tests.golden.requests import JOBS, REQUESTS, WRONG, Request

BESIDE = {"data", "ledger"}
"""Parameters that are no part of what is asked."""


def check(stored: dict[str, Any], found: dict[str, Any]) -> None:
    """Fail with what differs."""
    if told := expected.differences(stored, found):
        pytest.fail(told, pytrace=False)


def named(request: Request) -> str:
    return f"{request.job}: {request.name}"


@pytest.mark.every_case
@pytest.mark.parametrize("request_", REQUESTS, ids=named)
def test_requests(request_: Request) -> None:
    check(expected.read(request_.job).get(request_.name, {}), record(request_))


def test_refusals() -> None:
    check(expected.read("refused"), {named(each): refusal(each) for each in WRONG})


def test_signatures() -> None:
    check(expected.read("signatures"), {name: signature(name) for name in (*JOBS, "plan", "table")})


def test_command_line() -> None:
    check(expected.read("command_line"), command_line.record())


def test_nothing_is_stored_that_is_not_asked() -> None:
    for job in JOBS:
        assert set(expected.read(job)) == {each.name for each in REQUESTS if each.job == job}


def test_a_difference_is_shown_by_its_name() -> None:
    told = expected.differences({"same": [1], "text": ["one", "two"]}, {"same": [1], "text": ["one", "three"]})
    assert told.splitlines()[0] == "text:"
    assert '-["one", "two"]' in told
    assert '+["one", "three"]' in told


def test_every_parameter_is_asked_for() -> None:
    """A parameter that no request has would change unseen."""
    for job in JOBS:
        asked = {name for each in REQUESTS if each.job == job for name in each.arguments}
        assert {each.name for each in parameters(job)} - asked <= BESIDE, job
    assert set(JOBS) <= set(hc.__all__)
