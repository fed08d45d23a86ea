"""How much noise and how many pairs a round through a shuffler takes; and where that is too much, what would do."""

from dataclasses import dataclass, replace
from fractions import Fraction

from headcount.account.events import Neighbours, ShuffledLaplace
from headcount.account.shuffling import NOISE_SHARE, NOISE_SHARES, best, least_noise, messages
from headcount.errors import BadParameter
from headcount.exact import round_down, round_up
from headcount.federated.messages import MOST_EPSILON

MESSAGES = 10_000
"""Of one person on average, if nothing else is said."""


@dataclass(frozen=True)
class Wanted:
    """A budget, and what may be sent for it."""

    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    buckets: int
    needed: int
    """Answers that the noise comes from."""
    most: int | None
    """Messages of one person on average. If nothing is said, a moderate number is taken, up to a limit."""

    @property
    def room(self) -> Fraction:
        """Messages that a bucket may have, beside those of people's items."""
        return Fraction(((MESSAGES if self.most is None else self.most) - 1) * self.needed, self.buckets)

    def event(self) -> ShuffledLaplace:
        """The least noise, or moderate noise with moderately many messages."""
        if self.most is None:
            event = self._with(NOISE_SHARE)
        else:
            event = least_noise(self.epsilon, self.delta, most=self.room, neighbours=self.neighbours) or self._fewest()
        if messages(event) > self.room:
            raise self._refusal(event)
        return event

    def _with(self, share: Fraction) -> ShuffledLaplace:
        return best(self.epsilon, self.delta, neighbours=self.neighbours, share=share)

    def _fewest(self) -> ShuffledLaplace:
        """With hardly more messages than it takes at least."""
        return self._with(NOISE_SHARE if self.most is None else NOISE_SHARES[0])

    def _refusal(self, event: ShuffledLaplace) -> BadParameter:
        """What was asked for takes too many messages."""
        takes = messages(event) * self.buckets / self.needed + 1
        allowed = MESSAGES if self.most is None else self.most
        fewer = round_down(self.buckets * self.room / Fraction(messages(event)), digits=1)
        others = [self._larger(Fraction(takes) / allowed), f"buckets={int(fewer)}" if fewer >= 1 else ""]
        told = f"{takes:,.0f} messages a person on average are more than {allowed:,}"
        return BadParameter(
            f"epsilon={float(self.epsilon):g}, buckets={self.buckets:,}: {told}.",
            fix=", or ".join([*filter(None, others), 'way="secure-sum"']),
        )

    def _larger(self, factor: Fraction) -> str:
        """An epsilon that would do, if there is one: messages are nearly as 1 / epsilon."""
        tried = replace(self, epsilon=round_up(self.epsilon * factor, digits=1))
        while tried.epsilon <= MOST_EPSILON:
            if messages(tried._fewest()) <= self.room:
                return f"epsilon={float(tried.epsilon):g}"
            tried = replace(tried, epsilon=round_up(tried.epsilon * Fraction(11, 10), digits=1))
        return ""
