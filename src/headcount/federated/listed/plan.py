"""Noise, bits and partners of a round, from its budget and its people."""

from dataclasses import dataclass, replace
from fractions import Fraction

from headcount.account.calibration import calibrate
from headcount.account.events import Neighbours
from headcount.errors import BadParameter
from headcount.exact import round_down, round_up, written
from headcount.federated.listed.counted_on import CountedOn
from headcount.federated.listed.gaussian import MIN_SHARE_VARIANCE, GaussianShares
from headcount.federated.listed.laplace import MAX_SCALE, LaplaceShares
from headcount.federated.listed.round import MAX_UNIT, Noise, SecureRound
from headcount.federated.listed.shares import NoiseShares
from headcount.federated.secure.partners import MAX_FAILURE, MAX_PARTNERS, arrangement, everybody

RESERVED = 2 * MAX_FAILURE
"""Delta that is not for noise: for a ring of partners that fails, and for shares that add up to nearly a Gaussian."""


@dataclass(frozen=True)
class SecureQuestion(CountedOn):
    """What an analyst wants to know, of whom, and for how much."""

    id: str
    asks: str
    keys: tuple[str, ...]
    items: int
    people: int
    minimum: int
    honest: Fraction
    neighbours: Neighbours
    epsilon: Fraction
    delta: Fraction

    def round(self) -> SecureRound:
        """The round with the least noise."""
        partners, threshold = self._arrangement()
        found = self._candidates()
        noise = min(found, key=lambda each: found[each].deviation(self.people))
        shares = found[noise]
        places = self.id, self.asks, self.keys, self.items, self.people, self.minimum, self.honest
        bits = shares.bits(self.people, len(self.keys))
        arranged = shares.spread, shares.unit, bits, partners, threshold
        round_ = SecureRound(*places, noise, *arranged, self.neighbours, self.epsilon, self.delta)
        return replace(round_, delta=round_.slack) if noise == "laplace" else round_

    def _arrangement(self) -> tuple[int, int]:
        """Partners and threshold; without a delta, everybody is everybody's partner, which cannot fail."""
        arranged = arrangement if self.delta > RESERVED else everybody
        found = arranged(self.people, self.minimum, self.needed)
        if found is None:
            raise BadParameter(
                f"people={self.people:,}, minimum={self.minimum:,}, honest={written(self.honest)}: if only "
                f"{self.needed:,} people are counted on, the others could open the sum.",
                fix='minimum and honest nearer to all people: honest="0.9"',
            )
        if found[0] > MAX_PARTNERS:
            raise BadParameter(f"delta={float(self.delta):g}: too small for more than 1,000 people.", fix="delta=1e-6")
        return found

    def _candidates(self) -> dict[Noise, NoiseShares]:
        """Kinds of noise that the budget allows."""
        found: dict[Noise, NoiseShares] = {}
        if (scale := self.change / self.epsilon) <= MAX_SCALE:
            found["laplace"] = LaplaceShares(scale, 1, self.priced)
        if self.delta > RESERVED:
            found["gaussian"] = self._gaussian()
        if not found:
            raise BadParameter(
                f"epsilon={float(self.epsilon):g}: noise this large cannot be drawn in shares without a delta.",
                fix=f"epsilon={float(round_up(Fraction(self.change, MAX_SCALE), digits=2)):g}, or delta=1e-6",
            )
        return found

    def _gaussian(self) -> GaussianShares:
        """Gaussian noise, in the largest parts of a person in which shares are not too small."""
        unit = 1
        while (shares := self._gaussian_in(unit)).spread < MIN_SHARE_VARIANCE:
            unit *= 2
        if unit > MAX_UNIT:
            raise BadParameter(f"people={self.people:,}: shares of noise are too small.", fix="a lower epsilon")
        return shares

    def _gaussian_in(self, unit: int) -> GaussianShares:
        squared = Fraction(self.change * unit**2)
        delta = round_down(self.delta - RESERVED)
        variance = calibrate.gaussian_variance(self.epsilon, delta, squared, self.change)
        return GaussianShares(round_up(variance / self.priced), unit, self.priced)
