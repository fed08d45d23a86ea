"""Classic mistakes with noise, on the number of people."""

import math
from fractions import Fraction

from audits.on_people import COUNTED, PERSON
from audits.specimen import ONE, Cases, People, Run
from headcount import noise
from headcount.noise import Entropy, NoiseDistribution
from headcount.noise.laplace import DiscreteLaplace


def wrong() -> Cases:
    """Too little noise, floating point, and a limit to the noise."""
    laplace, narrow = DiscreteLaplace(ONE), DiscreteLaplace(ONE / Fraction("1.1"))
    yield "noise / 1.1", noisy_count(narrow), Fraction(0), COUNTED, 1
    yield "noise in floating point", float_count(ONE), Fraction(0), ((PERSON,), ()), 1
    yield "noise clamped at 4", clamped_count(laplace, 4), Fraction(0), COUNTED, 1


def noisy_count(distribution: NoiseDistribution) -> Run[People]:
    """The noisy number of people."""
    return lambda people, entropy: len(people) + int(entropy.draw(distribution, 1)[0])


def float_count(scale: Fraction) -> Run[People]:
    """The textbook's Laplace noise in floating point: the logarithm of a uniform float."""

    def run(people: People, entropy: Entropy) -> float:
        uniform = (1 + int(noise.uniform(2**53, 1, entropy)[0])) / 2.0**53
        sign = 1 - 2 * int(noise.bernoulli("1/2", 1, entropy)[0])
        return len(people) + sign * float(scale) * -math.log(uniform)

    return run


def clamped_count(distribution: NoiseDistribution, max_items: int) -> Run[People]:
    """Noise clamped at a limit: an output at the limit reveals the count."""

    def run(people: People, entropy: Entropy) -> int:
        return len(people) + max(-max_items, min(max_items, int(entropy.draw(distribution, 1)[0])))

    return run
