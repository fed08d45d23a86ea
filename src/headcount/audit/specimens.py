"""Small mechanisms to show the evidence harness at work: honest ones, and the classic mistakes.

Each reads a tuple of people, a person being the tuple of items that they did, and takes the entropy object. They are
made of the same parts as the product's mechanisms: laws from `noise`, amounts from `account.calibrate`.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from headcount import noise
from headcount.account import calibrate
from headcount.account.events import GaussianThreshold, LaplaceThreshold, Neighbours
from headcount.account.threshold import gaussian_delta, laplace_delta
from headcount.account.threshold import people as differing
from headcount.audit.enumerate import Delta, worst_delta
from headcount.audit.neighbours import pairs
from headcount.audit.statistical import Finding, audit
from headcount.noise import Entropy, Law, SystemEntropy
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.laplace import DiscreteLaplace

People = tuple[tuple[str, ...], ...]
Mechanism = Callable[[People, Entropy], object]


@dataclass(frozen=True)
class Specimen:
    """A mechanism with what it claims, and two neighbours on which a wrong claim shows."""

    name: str
    run: Mechanism
    epsilon: Fraction
    delta: Fraction
    honest: bool
    """False if the claim is known to be wrong."""
    left: People
    right: People

    def audited(self, runs: int, progress: Callable[[int], None] = lambda done: None) -> Finding:
        """What the black-box audit finds."""
        entropy = SystemEntropy()

        def run(people: People) -> object:
            return self.run(people, entropy)

        return audit(run, self.left, self.right, epsilon=self.epsilon, delta=self.delta, runs=runs, progress=progress)


def noisy_count(law: Law) -> Mechanism:
    """How many people there are."""
    return lambda people, entropy: len(people) + int(entropy.draw(law, 1)[0])


def noisy_histogram(law: Law, threshold: int) -> Mechanism:
    """People per item, items not known in advance; shown, in order of the items, from the threshold on."""

    def run(people: People, entropy: Entropy) -> dict[str, int]:
        counts = Counter(item for person in people for item in set(person))
        noisy = dict(zip(sorted(counts), entropy.draw(law, len(counts)).tolist(), strict=True))
        shown = {item: counts[item] + draw for item, draw in noisy.items()}
        return {item: value for item, value in shown.items() if value >= threshold}

    return run


def float_count(scale: Fraction) -> Mechanism:
    """The textbook's Laplace noise in floating point: the logarithm of a uniform float."""

    def run(people: People, entropy: Entropy) -> float:
        uniform = (1 + int(noise.uniform(2**53, 1, entropy)[0])) / 2.0**53
        sign = 1 - 2 * int(noise.bernoulli("1/2", 1, entropy)[0])
        return len(people) + sign * float(scale) * -math.log(uniform)

    return run


def clamped_count(law: Law, most: int) -> Mechanism:
    """Noise cut off at a limit: what lies beyond the limit tells the count."""

    def run(people: People, entropy: Entropy) -> int:
        return len(people) + max(-most, min(most, int(entropy.draw(law, 1)[0])))

    return run


def ordered_by_appearance(mechanism: Mechanism) -> Mechanism:
    """The same output, its keys in the order of the rows."""

    def run(people: People, entropy: Entropy) -> dict[str, int]:
        shown = mechanism(people, entropy)
        assert isinstance(shown, dict)
        appearance = list(dict.fromkeys(item for person in people for item in person))
        return {item: shown[item] for item in appearance if item in shown}

    return run


def refusing_rare(mechanism: Mechanism) -> Mechanism:
    """The same output, but an error that names an item which only one person has."""

    def run(people: People, entropy: Entropy) -> object:
        for item, count in Counter(item for person in people for item in person).items():
            if count == 1:
                raise ValueError(f"too few people for {item!r}")
        return mechanism(people, entropy)

    return run


ONE = Fraction(1)
PERSON = ("a",)


@dataclass(frozen=True)
class Enumeration:
    """A histogram with a threshold on tiny data: what it is priced, and what it costs exactly."""

    name: str
    neighbours: Neighbours
    epsilon: Fraction
    price: Fraction
    exact: Delta

    @property
    def sound(self) -> bool:
        """Whether the exact delta is at most the price."""
        return self.exact.low <= self.price


def enumerations() -> Iterator[Enumeration]:
    """Both kinds of noise, both kinds of neighbours; up to two people with one or two of two items, alone or in a
    crowd."""
    both: tuple[Neighbours, ...] = ("add-remove", "replace")
    crowd = (("a", "b"),) * 14
    for neighbours in both:
        few = list(pairs([("a",), ("b",), ("a", "b")], 2, neighbours))
        people = few + [(crowd + one, crowd + other) for one, other in few]
        scale, variance, limit = ONE, Fraction(2), 5
        epsilon = differing(neighbours) * 2 / scale
        laplace = LaplaceThreshold(scale, bound=2, largest=1, threshold=limit, neighbours=neighbours)
        exact = worst_delta(noisy_histogram(DiscreteLaplace(scale), limit), people, epsilon)
        yield Enumeration("Laplace, scale 1", neighbours, epsilon, laplace_delta(laplace), exact)
        gaussian = GaussianThreshold(variance, items=2, largest=1, threshold=limit, neighbours=neighbours)
        exact = worst_delta(noisy_histogram(DiscreteGaussian(variance), limit), people, ONE)
        yield Enumeration("Gaussian, variance 2", neighbours, ONE, gaussian_delta(ONE, gaussian), exact)


def specimens() -> list[Specimen]:
    """The list that `headcount audit` runs through. Epsilon is 1 everywhere, delta at most 1/100."""
    delta = Fraction(1, 100)
    laplace, narrow = DiscreteLaplace(ONE), DiscreteLaplace(ONE / Fraction("1.1"))
    joint = calibrate.joint_gaussian(ONE, delta, items=1, largest=1)
    gaussian = DiscreteGaussian(joint.variance)
    threshold = calibrate.laplace_threshold(ONE, delta, bound=1, largest=1)
    paid = laplace_delta(LaplaceThreshold(ONE, bound=1, largest=1, threshold=threshold, neighbours="add-remove"))
    counted = ((PERSON,) * 3, (PERSON,) * 2)
    alone = ((("a",),) * 9 + (("b",),), (("a",),) * 9)
    swapped = ((("b",),) + (("a",), ("b",)) * 9, (("a",), ("b",)) * 9)
    honest = [
        ("count, Laplace", noisy_count(laplace), Fraction(0), counted),
        ("count, Gaussian", noisy_count(gaussian), delta, counted),
        ("histogram, Laplace, threshold", noisy_histogram(laplace, threshold), paid, alone),
        ("histogram, Gaussian, threshold", noisy_histogram(gaussian, joint.threshold), delta, alone),
    ]
    wrong = [
        ("noise / 1.1", noisy_count(narrow), Fraction(0), counted),
        ("threshold off by one", noisy_histogram(laplace, threshold - 1), paid, alone),
        ("noise in floating point", float_count(ONE), Fraction(0), ((PERSON,), ())),
        ("noise clamped at 4", clamped_count(laplace, 4), Fraction(0), counted),
        ("keys in order of rows", ordered_by_appearance(noisy_histogram(laplace, threshold)), paid, swapped),
        ("an error for rare items", refusing_rare(noisy_histogram(laplace, threshold)), paid, alone),
    ]
    return [Specimen(name, run, ONE, d, True, *pair) for name, run, d, pair in honest] + [
        Specimen(name, run, ONE, d, False, *pair) for name, run, d, pair in wrong
    ]
