"""Every planted bug turns its test red. That the same tests are green without it, the rest of the run shows."""

import os
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from .planted import BUGS, Bug, caught


@pytest.fixture(scope="module")
def verdicts() -> dict[str, Future[bool]]:
    """Each bug runs in a process of its own, as many at a time as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return {bug.name: pool.submit(caught, bug) for bug in BUGS}


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_planted_bug_is_caught(bug: Bug, verdicts: dict[str, Future[bool]]) -> None:
    assert verdicts[bug.name].result()
