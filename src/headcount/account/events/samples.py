"""Counts of a sample were shown, without noise."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from headcount.account.events.event import Event, Neighbours
from headcount.exact import whole


@dataclass(frozen=True)
class SampleThreshold(Event):
    """Each of a person's reports entered a sample by its own coin; the sample's counts were shown if at least the
    threshold."""

    name: ClassVar[str] = "sample-threshold"
    rate: Fraction
    """Probability of a coin."""
    threshold: int
    items: int
    """The most reports of one person, each about another item, or at another level, or in another round."""
    neighbours: Neighbours
    epsilon: Fraction
    """The epsilon at which `delta` is stated; the full price is a curve."""

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("threshold", self.threshold, minimum=2, fix="threshold=20")


@dataclass(frozen=True)
class RepeatedSample(SampleThreshold):
    """The same, with `items` reports of one person from each of several sites, which may be about the same items."""

    name: ClassVar[str] = "repeated-sample"
    sites: int
    """The most sites that report for the same person."""
