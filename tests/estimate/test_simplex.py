"""The nearest distribution."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.effort import examples

from headcount.estimate.distribution.simplex import simplex


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=6))
@settings(deadline=None, max_examples=examples(30))
def test_no_distribution_is_nearer(values: list[float]) -> None:
    """Compared with a solver that knows nothing of how it is done."""
    target, cells = np.array(values), len(values)
    found = simplex(target)
    solved = minimize(
        lambda x: ((x - target) ** 2).sum(),
        np.full(cells, 1 / cells),
        bounds=[(0, 1)] * cells,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        method="SLSQP",
    )
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    assert ((found - target) ** 2).sum() <= solved.fun + 1e-6


def test_a_distribution_stays_as_it_is() -> None:
    shares = np.random.default_rng(1).dirichlet(np.ones(1000))
    assert simplex(shares) == pytest.approx(shares, abs=1e-12)


def test_whatever_comes_is_made_a_distribution() -> None:
    for odd in ([np.nan, 1.0], [np.inf, 0.0], [-np.inf, 0.0], [1e300, -1e300, 1e300], [5e-324]):
        with np.errstate(all="ignore"):
            found = simplex(np.array(odd))
        assert found.min() >= 0
        assert found.sum() == pytest.approx(1)
