"""Noise, bits and partners of a round, from its budget and its people."""

from dataclasses import dataclass, replace
from fractions import Fraction

from headcount.account.calibration import calibrate
from headcount.account.events import Neighbours
from headcount.errors import BadParameter
from headcount.exact import round_down, round_up, written
from headcount.federated.listed.counted_on import CountedOn
from headcount.federated.listed.extension import Extension
from headcount.federated.listed.gaussian import MIN_SHARE_VARIANCE, GaussianShares
from headcount.federated.listed.laplace import MAX_SCALE, LaplaceShares
from headcount.federated.listed.round import MAX_BITS, MAX_UNIT, Noise, SecureRound
from headcount.federated.listed.shares import NoiseShares
from headcount.federated.secure.partners import MAX_FAILURE, MAX_PARTNERS, arrangement, everybody

RESERVED = 2 * MAX_FAILURE
"""Delta of a round that is not for noise: for a ring of partners that fails, and for shares that add up to nearly a
Gaussian."""


@dataclass(frozen=True)
class SecureQuestion(CountedOn):
    """Question of an analyst: what, of whom, and for which price."""

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
    sites: int | None = None
    memberships: int = 1
    step: Extension | None = None

    def round(self) -> SecureRound:
        """The round with the least noise."""
        partners, threshold = self._arrangement()
        found = self._candidates()
        noise = min(found, key=lambda each: found[each].deviation(self.parties))
        shares = found[noise]
        places = self.id, self.asks, self.keys, self.items, self.people, self.minimum, self.honest
        arranged = shares.spread, shares.unit, self._bits(shares), partners, threshold
        at_sites = self.sites, self.memberships if self.memberships > 1 else None
        round_ = SecureRound(*places, noise, *arranged, self.neighbours, self.epsilon, self.delta, *at_sites, self.step)
        return replace(round_, delta=round_.slack) if noise == "laplace" else round_

    @property
    def who(self) -> str:
        """Those who answer, in a word."""
        return "people" if self.sites is None else "sites"

    def _bits(self, shares: NoiseShares) -> int:
        """Bits of the sum: each site has up to all people in a count."""
        found = shares.bits(self.parties, self.most_places, 1 if self.sites is None else self.people)
        if found > MAX_BITS:
            raise BadParameter(
                f"people={self.people:,}, sites={self.sites:,}: too large for one sum.",
                fix="fewer people, or fewer sites",
            )
        return found

    @property
    def _noise_delta(self) -> Fraction:
        """Delta for the noise of all rounds; 0 if there is none."""
        reserved = RESERVED * self.rounds
        return round_down(self.delta - reserved) if self.delta > reserved else Fraction(0)

    def _arrangement(self) -> tuple[int, int]:
        """Partners and threshold; without a delta, everybody is everybody's partner, which cannot fail."""
        arranged = arrangement if self._noise_delta > 0 else everybody
        found = arranged(self.parties, self.minimum, self.needed)
        if found is None:
            raise BadParameter(
                f"{self.who}={self.parties:,}, minimum={self.minimum:,}, honest={written(self.honest)}: if only "
                f"{self.needed:,} {self.who} are counted on, the others could open the sum.",
                fix=f'minimum and honest nearer to all {self.who}: honest="0.9"',
            )
        if found[0] > MAX_PARTNERS:
            raise BadParameter(
                f"delta={float(self.delta):g}: too small for more than 1,000 {self.who}.", fix="delta=1e-6"
            )
        return found

    def _candidates(self) -> dict[Noise, NoiseShares]:
        """Kinds of noise that the budget allows."""
        found: dict[Noise, NoiseShares] = {}
        if (scale := self.change.total / self.epsilon) <= MAX_SCALE:
            found["laplace"] = LaplaceShares(scale, 1, self.priced)
        if self._noise_delta > 0:
            found["gaussian"] = self._gaussian()
        if not found:
            raise BadParameter(
                f"epsilon={float(self.epsilon):g}: noise this large cannot be drawn in shares without a delta.",
                fix=f"epsilon={float(round_up(Fraction(self.change.total, MAX_SCALE), digits=2)):g}, or delta=1e-6",
            )
        return found

    def _gaussian(self) -> GaussianShares:
        """Gaussian noise, in the largest parts of a person in which shares are not too small."""
        unit = 1
        while (shares := self._gaussian_in(unit)).spread < MIN_SHARE_VARIANCE:
            unit *= 2
        if unit > MAX_UNIT:
            raise BadParameter(f"{self.who}={self.parties:,}: shares of noise are too small.", fix="a lower epsilon")
        return shares

    def _gaussian_in(self, unit: int) -> GaussianShares:
        squared = Fraction(self.change.squared * unit**2)
        variance = calibrate.gaussian_variance(self.epsilon, self._noise_delta, squared, self.change.items)
        return GaussianShares(round_up(variance / self.priced), unit, self.priced)
