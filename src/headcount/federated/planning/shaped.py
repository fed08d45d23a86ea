"""The shape of a histogram, by a shuffler or a secure sum that is trusted to forget: its plan."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass

import pyarrow as pa

from headcount.federated.listed.laplace import LaplaceShares
from headcount.federated.planning import central
from headcount.federated.planning.collection import Collection, Error
from headcount.federated.planning.comparison import Comparison, compared
from headcount.federated.planning.meter import Meter
from headcount.federated.planning.people import ITEMS, People, names, with_items
from headcount.federated.planning.traffic import NO_ID, Traffic, fixed
from headcount.federated.shape import SecureSum, ShapeAnalyst, ShapeClient, ShapeRound, Shares, Shuffler
from headcount.noise import Entropy
from headcount.release import Release


@dataclass(frozen=True, kw_only=True)
class ShapeCollection(Collection):
    """One round of a shape."""

    what = "the shape of people per item"
    round: ShapeRound

    @property
    def terms(self) -> ShapeRound:
        return self.round

    def refusal(self, answers: int) -> str:
        needed = self.round.needed
        return "" if answers >= needed else f"nothing is released: {needed:,} answers are needed"

    def errors(self, answers: int) -> list[Error]:
        """Noise of a bucket: the shares of those who answer."""
        here = LaplaceShares(self.round.scale, 1, self.round.needed).width(answers)
        return [Error("a bucket", "people", here, central.of_bucket(self.round.epsilon, self.round.neighbours))]

    @property
    def more_missing(self) -> str:
        spare = self.people - self.round.needed
        return (
            f"With more than {spare:,} people missing nothing is released, and the round stays paid for. The promise "
            f"needs {self.round.needed:,} people who add their noise and keep it secret, so those who are missing and "
            f"those who collude may be {spare:,} together."
        )

    @property
    def traffic(self) -> tuple[Traffic, ...]:
        """How many messages an answer has follows its noise."""
        empty = len(Shares(NO_ID, NO_ID, ()).to_json())
        return fixed("receives", self.round), Traffic("sends", Shares.kind, empty, None, self.round.text_length)

    def made_up(self) -> People:
        return with_items(self.people, names(ITEMS))

    def relevant(self, people: People) -> People:
        """A person has one item."""
        return [items[:1] for items in people]

    def run(self, people: People, leaving: Set[int], meter: Meter, entropy: Entropy) -> Release:
        middle: Shuffler | SecureSum = Shuffler(self.round) if self.round.way == "shuffle" else SecureSum(self.round)
        text = self.round.to_json()
        for number, answer in enumerate(meter.timed(self._answers(people, entropy))):
            meter.count(number, "receives", "shape-round", text)
            meter.count(number, "sends", "shares", answer)
            middle.add(Shares.from_json(answer))
        return ShapeAnalyst([self.round]).read(middle.close())

    def _answers(self, people: People, entropy: Entropy) -> Iterator[str]:
        for items in people:
            yield ShapeClient(next(iter(items), None), entropy=entropy).answer(self.round).to_json()

    def compare(self, released: pa.Table, people: People) -> Comparison:
        """The number of items that at least so few people have."""
        counts = sorted(Counter(item for items in people for item in items).values())
        truth = [len(counts) - bisect_left(counts, count) for count in released["count"].to_pylist()]
        columns = released.select(["count", "at_least", "at_least_low", "at_least_high"])
        return compared(columns, truth, "at_least", "items")
