"""Classic mistakes with noise and with outputs: each breaks the claim of an otherwise honest mechanism."""

import math
from collections import Counter
from fractions import Fraction

from headcount import noise
from headcount.audit.found_first import People
from headcount.audit.sampled import ONE, Run
from headcount.noise import Entropy, Law
from headcount.noise.laplace import DiscreteLaplace


def float_count(scale: Fraction) -> Run[People]:
    """The textbook's Laplace noise in floating point: the logarithm of a uniform float."""

    def run(people: People, entropy: Entropy) -> float:
        uniform = (1 + int(noise.uniform(2**53, 1, entropy)[0])) / 2.0**53
        sign = 1 - 2 * int(noise.bernoulli("1/2", 1, entropy)[0])
        return len(people) + sign * float(scale) * -math.log(uniform)

    return run


def clamped_count(law: Law, most: int) -> Run[People]:
    """Noise clamped at a limit: an output at the limit reveals the count."""

    def run(people: People, entropy: Entropy) -> int:
        return len(people) + max(-most, min(most, int(entropy.draw(law, 1)[0])))

    return run


def ordered_by_appearance(mechanism: Run[People]) -> Run[People]:
    """The same output, its keys in the order of the rows."""

    def run(people: People, entropy: Entropy) -> dict[str, int]:
        shown = mechanism(people, entropy)
        assert isinstance(shown, dict)
        appearance = list(dict.fromkeys(item for person in people for item in person))
        return {item: shown[item] for item in appearance if item in shown}

    return run


def refusing_rare(mechanism: Run[People]) -> Run[People]:
    """The same output, but an error that names an item which only one person has."""

    def run(people: People, entropy: Entropy) -> object:
        for item, count in Counter(item for person in people for item in person).items():
            if count == 1:
                raise ValueError(f"too few people for {item!r}")
        return mechanism(people, entropy)

    return run


def support_before_bounding(mechanism: Run[People], threshold: int) -> Run[People]:
    """Liu et al. 2023, Algorithm 3, as printed: items that nobody keeps after bounding (to one item) get noise, too."""

    def run(people: People, entropy: Entropy) -> object:
        nobody = sorted({item for person in people for item in person[1:]})
        ghosts = entropy.draw(DiscreteLaplace(ONE), len(nobody)).tolist()
        shown = mechanism(tuple(person[:1] for person in people), entropy)
        assert isinstance(shown, dict)
        return {**shown, **{item: ghost for item, ghost in zip(nobody, ghosts, strict=True) if ghost >= threshold}}

    return run
