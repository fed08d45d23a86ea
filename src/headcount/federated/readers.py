"""What readers of a result may know of its sample, as an analyst types it, and the sample that this allows."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from headcount.account.calibration import rates
from headcount.account.curves.sampling import group_factor
from headcount.account.events import Neighbours, SampleThreshold
from headcount.exact import round_down
from headcount.federated.schema import Optional, Whole
from headcount.federated.terms import MAX_INSIDERS, MAX_SITES_PER_PERSON

Amounts = tuple[Fraction, Fraction]
"""Epsilon and delta."""

ROUNDING = Fraction(1, 10**6)
"""Share of delta that is left to clients, who compose several reports on grids of their own and round up."""


@dataclass(frozen=True)
class Readers:
    """Who may read a result."""

    insiders: int
    """Number of people who answered and may read it together."""
    sites_per_person: int | None
    """Largest number of sites that report for the same person; None if no site may answer."""

    def __post_init__(self) -> None:
        Whole(0, MAX_INSIDERS).check("insiders", self.insiders)
        Optional(Whole(1, MAX_SITES_PER_PERSON)).check("sites_per_person", self.sites_per_person)

    @property
    def terms(self) -> dict[str, Any]:
        """The fields of a round, or of a plan of several."""
        return {"insiders": self.insiders or None, "sites_per_person": self.sites_per_person}

    def best(self, cost: Amounts, reports: int, neighbours: Neighbours) -> SampleThreshold:
        """The rate and the threshold with which most is seen."""
        at_site = _for_clients(self._at_site(cost), reports, neighbours)
        event = rates.best(*at_site, items=reports, neighbours=neighbours, known=self._known)
        return replace(event, threshold=event.threshold + self._known)

    def at_threshold(self, cost: Amounts, threshold: int, reports: int, neighbours: Neighbours) -> SampleThreshold:
        """The largest sample that this threshold allows to readers who know nothing; for others it is higher."""
        at_site = _for_clients(self._at_site(cost), reports, neighbours)
        rate = rates.largest_rate(*at_site, threshold=threshold, items=reports, neighbours=neighbours)
        return SampleThreshold(rate, threshold + self._known, reports, neighbours, cost[0])

    @property
    def _sites(self) -> int:
        return self.sites_per_person or 1

    @property
    def _known(self) -> int:
        """Most sampled reports about one item that a reader knows of."""
        return self.insiders * self._sites

    def _at_site(self, cost: Amounts) -> Amounts:
        """The part of epsilon and delta for the reports of one person at one site."""
        epsilon, delta = cost
        if self._sites == 1:
            return cost
        return epsilon / self._sites, round_down(delta / group_factor(epsilon, self._sites))


def _for_clients(cost: Amounts, reports: int, neighbours: Neighbours) -> Amounts:
    """The amounts less what a client may add to the price of several reports; that of one report is exact."""
    if reports == 1 and neighbours == "add-remove":
        return cost
    return cost[0], cost[1] * (1 - ROUNDING)
