"""Noise on every item that occurs, of which those at or above a threshold were shown."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from headcount.account.events.event import Event, Neighbours


@dataclass(frozen=True)
class LaplaceThreshold(Event):
    """Discrete Laplace noise on every item that occurs; shown if the noisy count is at least the threshold."""

    name: ClassVar[str] = "laplace-threshold"
    scale: Fraction
    bound: int
    """The most that one person adds to all items together."""
    largest: int
    """The most that one person adds to one item."""
    threshold: int
    neighbours: Neighbours


@dataclass(frozen=True)
class RandomizedThreshold(LaplaceThreshold):
    """The same, where a coin is added to each noisy count before it is compared with the threshold."""

    name: ClassVar[str] = "randomized-laplace-threshold"
    coin: Fraction
    """Probability that the coin is 1; else it is 0."""


@dataclass(frozen=True)
class GaussianThreshold(Event):
    """Discrete Gaussian noise on every item that occurs; shown if the noisy count is at least the threshold."""

    name: ClassVar[str] = "gaussian-threshold"
    variance: Fraction
    items: int
    """The most items that one person adds to."""
    largest: int
    """The most that one person adds to one item."""
    threshold: int
    neighbours: Neighbours


@dataclass(frozen=True)
class WeightedThreshold(Event):
    """Discrete Gaussian noise on every item that occurs, each person's counts being scaled to a norm; shown if the
    noisy count is at least the threshold."""

    name: ClassVar[str] = "weighted-threshold"
    variance: Fraction
    squared_sensitivity: Fraction
    """The most that one person adds to all items together: sum of squares (l2, squared)."""
    items: int
    """Each count that a person adds is at least 1/items of their squares, so they add to at most this many items."""
    threshold: int
    neighbours: Neighbours
