"""Sampling of people without contacting all of them, and its privacy price.

Of n people, n public, each is to be in the sample by a coin of chance p. The aggregator draws S ~ Bin(n, p). It draws a
sequence of s different people, all sequences alike and independent of S, and invites these s. The first min(S, s) of
the sequence are the sample: of the others' reports nothing is counted.

Why that is the same. Let S = k <= s. By symmetry the sample is each of the sets of k people with the same chance
1 / C(n, k). So a set A of k people is the sample with chance C(n, k) p^k (1 - p)^(n - k) / C(n, k), which is
p^k (1 - p)^(n - k): that of n independent coins. This needs that

- the sequence is drawn among all n people, evenly: an even order of people whom others have picked is not enough;
- who is in the sample is settled before anybody answers. Whoever does not answer is in it or not all the same, without
  an item. If the first S *answers* were taken, one person's silence would let another one in;
- S, the sequence, and who was invited stay in the aggregator. A person who is known to be invited is known to be in the
  sample with a chance of about n p / s, close to 1.

Where it is not the same. S > s has a chance, eta, that does not depend on the data. So for every event E the law P' of
what is seen differs from that of n coins, P, by at most eta; and so do Q' and Q for the neighbour. Then
P'(E) <= P(E) + eta <= e^epsilon Q(E) + delta + eta <= e^epsilon Q'(E) + delta + (1 + e^epsilon) eta.

Bharadwaj and Cormode 2022, Lemma 6, let each of the s invited people join with chance n p / s instead. Their number is
then Bin(s, n p / s), which is far narrower than Bin(n, p), and no price of independent coins holds for it.
"""

from fractions import Fraction

from headcount.account.curves.sampling import contacts, more_than
from headcount.exact import ball, ends, precision, round_up
from headcount.noise import Entropy
from headcount.noise.finite import Uniform


def random_sequence(count: int, size: int, entropy: Entropy) -> list[int]:
    """Draw a uniformly random sequence of `size` different numbers below `count`, or of all if there are fewer."""
    order: list[int] = []
    moved: dict[int, int] = {}  # number at a place, if not the place itself
    for index in range(min(count, size)):
        other = index + int(entropy.draw(Uniform(count - index), 1)[0])
        order.append(moved.get(other, other))
        moved[other] = moved.get(index, index)
    return order


def truncation_delta(people: int, rate: Fraction, invited: int, epsilon: Fraction) -> Fraction:
    """Addition to delta because the sample is limited to `invited` people."""
    return min(Fraction(1), round_up(_truncation_factor(epsilon) * more_than(people, rate, invited)))


def invitations_needed(people: int, rate: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    """Number of invitations with which truncation adds at most `delta`."""
    return contacts(people, rate, delta / _truncation_factor(epsilon))


def _truncation_factor(epsilon: Fraction) -> Fraction:
    """1 + e^epsilon, rounded up."""
    with precision(192):
        return round_up(ends(1 + ball(epsilon).exp())[1])
