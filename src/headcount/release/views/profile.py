"""A profile: people by number of items and of events, and the bound that it suggests: free post-processing of released
values."""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from headcount.account.events import Event, Laplace, from_json
from headcount.bound.boundings.scale import GRID
from headcount.bound.selection.profile import PROFILE_EDGES, Profile
from headcount.release import pictures
from headcount.release.about import About
from headcount.release.people import People
from headcount.release.plain import refuse
from headcount.release.views.layout import Layout, check_order
from headcount.release.views.view import View
from headcount.source.contributions.derived import EVENTS, ITEMS, SIZE, WHAT, size_bins

BEYOND_SHARE = 0.05
"""Share of people who may contribute more than the suggested bound."""


class ProfileView(View):
    """Bins of items and bins of events, beside each other."""

    def check_about(self, about: About, events: Sequence[Event]) -> None:
        """Refuse noise that is not known: a suggested bound follows from it."""
        if not (events and isinstance(events[0], Laplace)):
            refuse("events")

    def check_rows(self, table: pa.Table, about: About) -> None:
        """Refuse a table that lacks the row of a bin."""
        bins = [(what, label) for what in (ITEMS, EVENTS) for label in size_bins(PROFILE_EDGES).labels]
        rows = zip(*(table[name].to_pylist() for name in about.by), strict=True)
        if about.by != (WHAT, SIZE) or sorted(rows) != sorted(bins):
            refuse("the bins of a profile")
        check_order(table[SIZE], about)

    def notes(self, table: pa.Table, about: About) -> list[str]:
        """The bound that it suggests."""
        items, events = (suggested_bound(table, about, what) for what in (ITEMS, EVENTS))
        return [f"suggested: bound={items}; 95% of people have at most {items} items (and {events} events)"]

    def people(self, table: pa.Table, about: About, parameters: Mapping[str, Any]) -> People | None:
        """The sum of the bins, each with noise."""
        items = table.filter(pc.equal(table[WHAT], ITEMS))
        return People(pc.sum(items["count"]).as_py() or 0, "the sum of the released profile, with noise")

    def picture(self, table: pa.Table, about: About, options: "pictures.Options") -> "pictures.Scene":
        """A panel for items and one for events."""
        return pictures.bars.profile(table, about, options)

    def chart(self, table: pa.Table, about: About, most: int) -> "pictures.Marks":
        """A panel for items and one for events."""
        return pictures.vega.profile, table


def suggested_bound(table: pa.Table, about: About, what: str) -> int:
    """The number of items, or of events, that all but 1 in 20 people do not exceed."""
    return profile_of(table, about, what).within(BEYOND_SHARE)


def profile_of(table: pa.Table, about: About, what: str) -> Profile:
    """The released bins of items, or of events, in their order."""
    rows = zip(*(table[name].to_pylist() for name in (WHAT, SIZE, "count")), strict=True)
    counts = {size: count for contributes, size, count in rows if contributes == what}
    labels = size_bins(PROFILE_EDGES).labels
    values = np.array([counts[label] for label in labels], dtype=np.int64)
    return Profile(PROFILE_EDGES[:-1], values, _noise_deviation(about) / GRID)


def _noise_deviation(about: About) -> float:
    """The standard deviation of the noise on each bin, which the first event has."""
    event = from_json(about.events)[0]
    assert isinstance(event, Laplace)
    return sqrt(2) * float(event.scale)


PROFILE = ProfileView("profile", Layout(), cuts_nobody=True)
