"""Several rounds that end in one release, behind a trusted aggregator: their plans.

What later rounds of heavy hitters ask for depends on what earlier ones showed; their size is then between that for one
prefix and that for as many as can reach the threshold.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from headcount.exact import Floats
from headcount.federated.client import Client
from headcount.federated.messages import Report
from headcount.federated.planning import central
from headcount.federated.planning.collection import Collection, Error
from headcount.federated.planning.comparison import Comparison, compared, of_heavy_hitters
from headcount.federated.planning.meter import Meter, MeteredTransport
from headcount.federated.planning.people import ITEMS, LENGTH, People, names, with_items, with_numbers
from headcount.federated.planning.sampled import MISSING, SIZES, count_errors
from headcount.federated.planning.traffic import NO_ID, Traffic, between
from headcount.federated.rounds import HeavyHittersPlan, QuantilesPlan, RoundsAnalyst, collect_rounds
from headcount.federated.rounds.numbers import NumbersPlan
from headcount.federated.rounds.plan import RoundsPlan
from headcount.federated.step import MAX_PREFIXES, Cuts, Level, Nodes, Prefixes
from headcount.mechanism.ordered.readout import Quantiles, Ranges
from headcount.noise import Entropy
from headcount.release import Release
from headcount.wording import counted_noun

PLAIN = "".join(chr(code) for code in range(32, 127) if chr(code) not in '"\\')
ENDED = "If a round shows nothing, the series ends early, and costs the same."


def texts(count: int, length: int, characters: str = PLAIN) -> tuple[str, ...]:
    """Different texts of this many characters, by default ones that JSON does not escape; fewer if there are not as
    many.

    >>> texts(3, 2)
    ('  ', '! ', '# ')
    """
    base, many = len(characters), min(count, len(characters) ** min(length, 3))
    return tuple("".join(characters[number // base**place % base] for place in range(length)) for number in range(many))


@dataclass(frozen=True, kw_only=True)
class SeriesCollection(Collection):
    """Several rounds, each answered by everybody."""

    @property
    def what(self) -> str:
        return f"{self.terms.what}, in {counted_noun(self.rounds, 'round')}"

    @abstractmethod
    def _levels(self, number: int) -> tuple[Level, Level]:
        """The level of a round with the shortest text that there can be, and with the longest."""

    @abstractmethod
    def _answers(self, number: int) -> tuple[str, ...]:
        """The longest answers of one person in a round."""

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return self.terms.rounds

    def run(self, people: People, leaving: Set[int], meter: Meter, entropy: Entropy) -> Release:
        clients = [Client(items, entropy=entropy) for items in people]
        return collect_rounds(RoundsAnalyst(self.terms), MeteredTransport(clients, meter), entropy=entropy)

    @property
    @abstractmethod
    def terms(self) -> RoundsPlan:
        """The plan of all rounds."""

    @property
    def traffic(self) -> tuple[Traffic, ...]:
        return tuple(each for number in range(self.rounds) for each in self._round_traffic(number))

    def _round_traffic(self, number: int) -> Iterator[Traffic]:
        shortest, longest = (self.terms.round_at(number, level) for level in self._levels(number))
        exact = float(len(longest.to_json())) if shortest == longest else None
        yield between("receives", shortest, longest, exact)
        yield between("sends", Report(NO_ID, NO_ID, ()), Report(NO_ID, NO_ID, self._answers(number)))


@dataclass(frozen=True, kw_only=True)
class NumbersCollection(SeriesCollection):
    """Quantiles or ranges of a number."""

    is_comparable = True
    plan: NumbersPlan

    @property
    def terms(self) -> NumbersPlan:
        return self.plan

    def errors(self, answers: int) -> list[Error]:
        """The error of a sample grows with the root of the people, that of noise does not."""
        return [Error(self._kind, self.plan.error_unit, self.plan.error_at(answers), self._central)]

    @property
    def _kind(self) -> str:
        return "a quantile" if isinstance(self.plan, QuantilesPlan) else "a range of half of them"

    @cached_property
    def _central(self) -> float:
        readout = getattr(self.plan.mechanism, "readout", None)
        assert isinstance(readout, Quantiles | Ranges)
        return central.of_numbers(self.cost, self.plan.neighbours, readout)

    @property
    def more_missing(self) -> str:
        visible = round(self.plan.threshold / self.plan.rate)
        return (
            f"{MISSING} Whoever is missing in one round counts in the others, and blurs the result. {ENDED} A part of "
            f"the scale with fewer than about {visible:,} people stays hidden, and intervals are as wide as that."
        )

    def _levels(self, number: int) -> tuple[Level, Level]:
        level = self.plan.level(())
        if isinstance(level, Nodes):
            width = level.width // (self.plan.shape.fan_out**number)
            return (Nodes(level.scale, width),) * 2
        assert isinstance(level, Cuts)
        if not number:
            return level, level
        shortest, longest = ((cut,) * len(level.cuts) for cut in (0, 2**self.rounds - 1))
        return Cuts(level.scale, shortest), Cuts(level.scale, longest)

    def _answers(self, number: int) -> tuple[str, ...]:
        level = self._levels(number)[1]
        return tuple(level.answers([repr(self.plan.scale.edges[-1])] if self.plan.scale.clamped else [self._last()]))

    def made_up(self) -> People:
        return with_numbers(self.people, self.plan.scale.edges[0], self.plan.scale.edges[-1])

    def relevant(self, people: People) -> People:
        """A person has one number: the first item that is one."""
        return [[item for item in items if self.plan.scale.cell(item) is not None][:1] for items in people]

    def compare(self, released: pa.Table, people: People) -> Comparison:
        numbers = np.sort([float(item) for items in people for item in items])
        if isinstance(self.plan, QuantilesPlan):
            return _compare_quantiles(released, numbers)
        ends = (np.searchsorted(numbers, released[name].to_numpy()) for name in ("from", "to"))
        return compared(released, np.diff(list(ends), axis=0)[0].tolist(), "count", "people")

    def _last(self) -> str:
        """A number of the last cell."""
        return repr(float(self.plan.scale.axis.points[-2]))


def _compare_quantiles(released: pa.Table, numbers: Floats) -> Comparison:
    """Errors are in ranks: how many people lie between a value and the quantile."""
    q, values = (released[name].to_numpy().astype(float) for name in ("q", "value"))
    first, last = (np.searchsorted(numbers, values, side=side) for side in ("left", "right"))
    wanted = q * len(numbers)
    errors = np.maximum(0, np.maximum(first - wanted, wanted - last))
    places = np.clip(np.ceil(wanted).astype(int) - 1, 0, len(numbers) - 1)
    return compared(released, numbers[places].tolist(), "value", "ranks", errors=errors)


@dataclass(frozen=True, kw_only=True)
class PrefixesCollection(SeriesCollection):
    """Heavy hitters, prefix by prefix."""

    plan: HeavyHittersPlan

    @property
    def terms(self) -> HeavyHittersPlan:
        return self.plan

    def errors(self, answers: int) -> list[Error]:
        return count_errors(self, self.plan.mechanism, self.plan.items, answers)

    @property
    def more_missing(self) -> str:
        return f"{MISSING} An item must have the share of all people, also of those who are missing. {ENDED} {SIZES}"

    def _levels(self, number: int) -> tuple[Level, Level]:
        lengths: Sequence[int | None] = (*self.plan.lengths, None)
        if not number:
            return (Prefixes(("",), 0, lengths[0]),) * 2
        before = self.plan.lengths[number - 1]
        most = min(MAX_PREFIXES, max(1, self.people * self.plan.items // self.plan.threshold))
        known = texts(most, before)
        return Prefixes(known[:1], before, lengths[number]), Prefixes(known, before, lengths[number])

    def _answers(self, number: int) -> tuple[str, ...]:
        length = self.plan.lengths[number] if number < len(self.plan.lengths) else LENGTH
        return texts(self.plan.items, length)

    def made_up(self) -> People:
        return with_items(self.people, names(ITEMS), self.plan.items)

    def compare(self, released: pa.Table, people: People) -> Comparison:
        return of_heavy_hitters(released, people, self.plan.minimum)
