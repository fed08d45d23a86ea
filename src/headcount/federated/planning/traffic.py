"""Sizes of messages in bytes, as their schema spells them: messages are ASCII, so that characters are bytes.

A size is exact if nothing varies; else it has the least and the most that there can be, and the mean where it follows
from public numbers alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from headcount.account.ledger.record.chain import canonical
from headcount.federated.schema import Message

Way = Literal["receives", "sends"]
NO_ID = "0" * 32
"""Stands for ids, digests and tickets: all have as many digits."""


@dataclass(frozen=True)
class Traffic:
    """A message of one client."""

    way: Way
    kind: str
    """Kind of the message."""
    least: int
    most: int | None
    """None if there is no limit but that of the schema: the size follows noise."""
    mean: float | None
    """Mean over chance, with the stated dropouts; None if it depends on data."""

    @property
    def is_fixed(self) -> bool:
        """True if every such message is as long."""
        return self.least == self.most


def fixed(way: Way, message: Message) -> Traffic:
    """Traffic of a message that is as long for everybody."""
    size = len(message.to_json())
    return Traffic(way, message.kind, size, size, size)


def between(way: Way, least: Message, most: Message, mean: float | None = None) -> Traffic:
    """Traffic of a message between the shortest and the longest one."""
    return Traffic(way, least.kind, len(least.to_json()), len(most.to_json()), mean)


@dataclass(frozen=True)
class RowSizes:
    """Mean size of a message with rows that begin with a person's number."""

    frame: float
    """Characters of the message without rows."""
    row: Sequence[Any]
    """The other values of a row."""
    people: int
    """Numbers are from 0 to this, without it."""

    def mean(self, rows: float) -> float:
        """Mean characters of the message with this mean number of rows, of which there is always one."""
        each = len(canonical([0, *self.row])) - 1 + mean_digits(self.people)
        return self.frame + rows * (each + 1) - 1


def mean_digits(count: int) -> float:
    """Mean number of digits of the numbers from 0 to `count`, without it."""
    powers = [int(f"1{'0' * power}") for power in range(1, len(str(count)))]
    return 1 + sum(max(count - power, 0) for power in powers) / count


def mean_report_size(frame: int, texts: Sequence[str], rate: Fraction) -> float:
    """Mean characters of a report in which each of these items is with a probability of `rate`: with k of them, k - 1
    commas."""
    chance = float(rate)
    some = 1 - (1 - chance) ** len(texts)
    return frame + chance * sum(len(canonical(text)) + 1 for text in texts) - some


def in_all(traffic: Iterable[Traffic], way: Way) -> tuple[int, int | None, float | None]:
    """Least, most and mean bytes that a client sends, or receives."""
    sizes = [each for each in traffic if each.way == way]
    most = [each.most for each in sizes if each.most is not None]
    mean = [each.mean for each in sizes if each.mean is not None]
    return (
        sum(each.least for each in sizes),
        sum(most) if len(most) == len(sizes) else None,
        sum(mean) if len(mean) == len(sizes) else None,
    )
