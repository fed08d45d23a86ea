"""What a server of a secure sum, and an analyst of several rounds, see: recorded, and attacked on neighbours.

All of it at more runs: `python -m audits.views`.
"""

import pytest

pytest.importorskip("cryptography", reason="needs headcount[secure]")

from audits.views import reports, secure_rounds, secure_sum
from audits.views.view import View

ALL = [*secure_sum.views(), *secure_rounds.views(), *reports.views()]
HONEST, MISTAKES = [each for each in ALL if each.honest], [each for each in ALL if not each.honest]
RUNS = 400


def name(view: View) -> str:
    return view.name


def test_given_the_sum_every_view_is_equally_likely() -> None:
    """All masks of three people modulo 2, enumerated: each of the four vectors with a sum has the same weight."""
    laws = [secure_sum.exact_law(vectors) for vectors in ((1, 0, 0), (0, 1, 0), (1, 1, 1))]
    assert laws[0] == laws[1] == laws[2]
    assert set(laws[0].values()) == {16}
    assert len(laws[0]) == 4
    assert secure_sum.exact_law((1, 1, 0)).keys().isdisjoint(laws[0])


@pytest.mark.slow(sibling="test_given_the_sum_every_view_is_equally_likely")
def test_a_late_vector_is_uniform_in_every_view() -> None:
    one, other = (secure_sum.exact_law((1, 0, 1, last), late=True) for last in (0, 1))
    assert one == other
    assert len(set(one.values())) == 1


def test_without_masks_of_pairs_the_views_differ() -> None:
    plain = secure_sum.mistaken(secure_sum.exact_law, secure_sum.NO_PAIRS)
    assert plain((1, 0, 0)).keys().isdisjoint(plain((0, 1, 0)))


@pytest.mark.slow(but=["mistake: no masks with partners"])
@pytest.mark.parametrize("view", MISTAKES, ids=name)
def test_mistakes_are_found(view: View) -> None:
    assert view.audit(RUNS).flagged


@pytest.mark.slow(sibling="test_given_the_sum_every_view_is_equally_likely")
@pytest.mark.parametrize("view", HONEST, ids=name)
def test_views_hold(view: View) -> None:
    assert not view.audit(RUNS).flagged
