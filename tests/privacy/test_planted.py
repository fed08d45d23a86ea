"""Every planted bug turns its test red. That the same tests are green without it, the rest of the run shows."""

import pytest

from .planted import BUGS, Bug, caught


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_planted_bug_is_caught(bug: Bug) -> None:
    """Each bug runs in a process of its own."""
    assert caught(bug)
