"""Counts of items that people reported by coins of their own: those below a threshold in the sample are hidden."""

from collections.abc import Sequence

import pyarrow as pa

from headcount.account.events import Event, SampleThreshold, from_json
from headcount.estimate.counts.sampled import unseen
from headcount.release.about import About
from headcount.release.plain import refuse
from headcount.release.views.layout import Layout
from headcount.release.views.view import View


class SampledView(View):
    """Values of items, and an upper limit of those that are not shown."""

    def check_about(self, about: About, events: Sequence[Event]) -> None:
        """Refuse events of which none is a sample."""
        if not events or not isinstance(events[0], SampleThreshold):
            refuse("events")

    def notes(self, table: pa.Table, about: About) -> list[str]:
        """How many people an item may have that is not shown."""
        sample = from_json(about.events)[0]
        assert isinstance(sample, SampleThreshold)
        most = unseen(float(sample.rate), sample.threshold)
        return [f"An item that is not shown has at most {most:,} people, in 19 of 20 cases."]


SAMPLED = SampledView("sampled", Layout())
