"""People per item behind a trusted aggregator, by sample and threshold: its plan."""

from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from headcount.bound import SampledItems
from headcount.federated.analyst import Analyst
from headcount.federated.client import Client
from headcount.federated.messages import Report, Round
from headcount.federated.planning import central
from headcount.federated.planning.collection import COUNTS, Collection, Error
from headcount.federated.planning.comparison import Comparison, of_counts
from headcount.federated.planning.meter import Meter, MeteredTransport
from headcount.federated.planning.people import ITEMS, People, names, with_items
from headcount.federated.planning.traffic import NO_ID, Traffic, between, fixed, mean_report_size
from headcount.federated.transport import collect
from headcount.mechanism.sampled.sample_threshold import Sampled
from headcount.noise import Entropy
from headcount.release import Release

MISSING = (
    "Whoever is missing is not counted. Nothing else changes with more people missing than stated: the promise and the "
    "threshold are the same however many answer."
)
SIZES = "A report is as long as its items: these sizes are for items of 9 ASCII characters."
TENTH = "an item of 10% of them"


@dataclass(frozen=True, kw_only=True)
class SampledCollection(Collection):
    """One round of sample and threshold."""

    what = "people per item, by sample and threshold"
    round: Round

    @property
    def terms(self) -> Round:
        return self.round

    @cached_property
    def mechanism(self) -> Sampled:
        """What the aggregator computes."""
        return Sampled(SampledItems(self.round.items), self.round.sample)

    @property
    def traffic(self) -> tuple[Traffic, ...]:
        items = tuple(names(self.round.items))
        empty, full = (Report(NO_ID, NO_ID, each) for each in ((), items))
        mean = mean_report_size(len(empty.to_json()), items, self.round.rate)
        return fixed("receives", self.round), between("sends", empty, full, mean)

    def errors(self, answers: int) -> list[Error]:
        return count_errors(self, self.mechanism, self.round.items, answers)

    @property
    def more_missing(self) -> str:
        return f"{MISSING} {SIZES}"

    def made_up(self) -> People:
        return with_items(self.people, names(ITEMS), self.round.items)

    def run(self, people: People, leaving: Set[int], meter: Meter, entropy: Entropy) -> Release:
        clients = [Client(items, entropy=entropy) for items in people]
        return Analyst([self.round]).read(collect(self.round, MeteredTransport(clients, meter), entropy=entropy))

    def compare(self, released: pa.Table, people: People) -> Comparison:
        return of_counts(released, people)


def count_errors(collection: Collection, mechanism: Sampled, items: int, answers: int) -> list[Error]:
    """Errors of counts of some sizes, and of an item that a tenth of those who answer have."""
    table = central.of_found_items(collection.cost, items, mechanism.event.neighbours)
    visible = mechanism.visible_from or 0

    def error(of: str, count: int) -> Error:
        here = mechanism.error_at(count) if count >= visible else None
        return Error(of, "people", here, table.error if count >= table.visible_from else None)

    needed = Error("an item appears from about", "people", visible, table.visible_from)
    sizes = [error(f"an item of {count:,} people", count) for count in COUNTS if count <= answers]
    return [needed, *sizes, error(TENTH, answers // 10)]
