"""What a sample removed, undone: upper ends allow for people who have far more, and the release says so."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from headcount.account.guarantee import Cost
from headcount.bound import SampledItems
from headcount.bound.boundings.sample import Loss
from headcount.mechanism.mechanism import LARGE_HIDDEN, Columns, Noisy
from headcount.mechanism.stages import clipped
from headcount.mechanism.undone import MAX_HIDDEN, undo_sampling
from headcount.mechanism.unknown import thresholded

SAMPLE = SampledItems(1, Loss(0.0, 0.0))
COUNTS = Columns({"count": np.array([1000, 40]), "low": np.array([990, 30]), "high": np.array([1010, 50])})


def test_upper_ends_alone_allow_for_hidden_people() -> None:
    """Together with noise, and for no more than twice a count."""
    plain = undo_sampling(COUNTS, SAMPLE, 5.0).by_name
    found = undo_sampling(COUNTS, replace(SAMPLE, hidden=100.0), 5.0).by_name
    assert plain["high"].tolist() == [1010, 50]
    assert found["high"].tolist() == [1000 + 101, 40 + 81]
    assert MAX_HIDDEN * 40 == 80
    assert all(found[name].tolist() == plain[name].tolist() for name in ("count", "low"))


@pytest.mark.parametrize(("hidden", "says"), [(0.0, False), (90.0, False), (200.0, True)])
def test_many_hidden_people_are_said(hidden: float, says: bool) -> None:
    """From a tenth of typical counts that are clear of noise."""
    found = undo_sampling(COUNTS, replace(SAMPLE, hidden=hidden), 50.0)
    assert found.tail == ({"count": hidden / 1000} if says else {})
    assert not says or hidden / 1000 > LARGE_HIDDEN


def test_counts_that_are_not_corrected_stay() -> None:
    """What a sample removed is then not known, and counts are for what it kept."""
    assert undo_sampling(COUNTS, SampledItems(1, hidden=100.0), 5.0) is COUNTS


@pytest.mark.parametrize("known", [False, True])
def test_both_mechanisms_of_samples_allow_for_them(known: bool) -> None:
    """Of known items, and of items above a threshold."""
    budget, sample = Cost(Fraction(1), Fraction(1, 10**6)), replace(SAMPLE, hidden=50.0)
    of_known, above = (
        clipped.laplace(budget, sample, 2, "add-remove"),
        thresholded.calibrated(budget, sample, "add-remove"),
    )
    noisy = Noisy(pa.table({"item0": ["a", "b"]}), np.array([400, 200]))
    columns = (of_known if known else above).estimate(noisy)
    assert (columns.by_name["high"] >= [450, 250]).all()
    assert columns.tail["count"] == pytest.approx(1 / 6)
