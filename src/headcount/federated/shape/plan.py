"""Noise and pairs of a shuffled round within a limit of messages; if there are none, parameters that would work."""

from dataclasses import dataclass, replace
from fractions import Fraction

from headcount.account.curves.shuffling import NOISE_SHARE, NOISE_SHARES, best, least_noise, messages
from headcount.account.events import Neighbours, ShuffledLaplace
from headcount.errors import BadParameter
from headcount.exact import round_down, round_up
from headcount.federated.terms import MAX_EPSILON

DEFAULT_MAX_MESSAGES = 10_000
"""Limit of one person's messages on average, by default."""


@dataclass(frozen=True)
class MessageLimits:
    """Privacy budget and message limit of a round."""

    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    buckets: int
    needed: int
    """Number of answers whose shares make up the noise."""
    most: int | None
    """Limit of one person's messages on average; None for a moderate number, up to DEFAULT_MAX_MESSAGES."""

    @property
    def max_per_bucket(self) -> Fraction:
        """Limit of messages in a bucket, beside those of people's items."""
        return Fraction(((DEFAULT_MAX_MESSAGES if self.most is None else self.most) - 1) * self.needed, self.buckets)

    def event(self) -> ShuffledLaplace:
        """Calibrate to the least noise; without a message limit, to moderate noise with moderately many messages."""
        if self.most is None:
            event = self._with(NOISE_SHARE)
        else:
            minimum = least_noise(self.epsilon, self.delta, most=self.max_per_bucket, neighbours=self.neighbours)
            event = minimum or self._fewest()
        if messages(event) > self.max_per_bucket:
            raise self._refusal(event)
        return event

    def _with(self, share: Fraction) -> ShuffledLaplace:
        return best(self.epsilon, self.delta, neighbours=self.neighbours, share=share)

    def _fewest(self) -> ShuffledLaplace:
        """Calibrate to nearly the fewest messages possible."""
        return self._with(NOISE_SHARE if self.most is None else NOISE_SHARES[0])

    def _refusal(self, event: ShuffledLaplace) -> BadParameter:
        """Error for a round that takes too many messages, with parameters that would work."""
        takes = messages(event) * self.buckets / self.needed + 1
        allowed = DEFAULT_MAX_MESSAGES if self.most is None else self.most
        fewer = round_down(self.buckets * self.max_per_bucket / Fraction(messages(event)), digits=1)
        others = [self._sufficient_epsilon(Fraction(takes) / allowed), f"buckets={int(fewer)}" if fewer >= 1 else ""]
        problem = f"{takes:,.0f} messages a person on average are more than {allowed:,}"
        return BadParameter(
            f"epsilon={float(self.epsilon):g}, buckets={self.buckets:,}: {problem}.",
            fix=", or ".join([*filter(None, others), 'way="secure-sum"']),
        )

    def _sufficient_epsilon(self, factor: Fraction) -> str:
        """Find an epsilon that would work, if there is one: messages are nearly proportional to 1 / epsilon."""
        tried = replace(self, epsilon=round_up(self.epsilon * factor, digits=1))
        while tried.epsilon <= MAX_EPSILON:
            if messages(tried._fewest()) <= self.max_per_bucket:
                return f"epsilon={float(tried.epsilon):g}"
            tried = replace(tried, epsilon=round_up(tried.epsilon * Fraction(11, 10), digits=1))
        return ""
