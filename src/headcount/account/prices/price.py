"""Prices of one event under each definition, as functions that the files of this folder extend.

Every number is exact or rounded up.
"""

from functools import singledispatch

from headcount.account.events import Event, Gaussian
from headcount.account.guarantee import Concentrated, Cost


@singledispatch
def native(event: Event) -> Cost:
    """The (epsilon, delta) price of an event without its Gaussian noise (see `noises`)."""
    raise TypeError(f"{type(event).__name__} is not an event")


@singledispatch
def noises(event: Event) -> list[Gaussian]:
    """The Gaussian noise of an event, as separate events."""
    return []


@singledispatch
def concentrated(event: Event) -> Concentrated:
    """The zCDP price: D^2 / (2 variance) for Gaussian noise, and epsilon^2 / 2 for anything else that is
    (epsilon, delta)-private (Bun & Steinke 2016, Proposition 3.3)."""
    own = native(event)
    rho = own.epsilon**2 / 2
    for noise in noises(event):
        rho += noise.squared_sensitivity / (2 * noise.variance)
    return Concentrated(rho, own.delta)
