"""Exact samplers: draws whose law is exactly the one that the proofs assume, on the operating system's entropy.

    words (entropy.py) ──► table.py: certified inverse CDF ──► laws: finite, laplace, gaussian ──► the functions here

Every function takes rational parameters (a float means the decimal it prints as), returns int64, and takes all
randomness from one `Entropy` object. Nothing here depends on privacy.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from headcount.errors import BadParameter
from headcount.exact import Integers, Number, positive, rational, whole
from headcount.noise.distribution import LARGEST_SCALE, LARGEST_VALUE, NoiseDistribution
from headcount.noise.entropy import Entropy, KeyedEntropy, SystemEntropy
from headcount.noise.finite import Bernoulli, Softmax, Uniform
from headcount.noise.gaussian import DiscreteGaussian
from headcount.noise.laplace import DiscreteLaplace, Geometric, NegativeBinomial

__all__ = [
    "Entropy",
    "KeyedEntropy",
    "NoiseDistribution",
    "SystemEntropy",
    "bernoulli",
    "discrete_gaussian",
    "discrete_laplace",
    "geometric",
    "negative_binomial",
    "softmax",
    "uniform",
]

_SYSTEM = SystemEntropy()


def discrete_laplace(scale: Number, size: int, entropy: Entropy = _SYSTEM) -> Integers:
    """Draw `size` integers k, each with probability proportional to exp(-|k| / scale).

    >>> discrete_laplace(20, 3).dtype
    dtype('int64')
    """
    return _draw(DiscreteLaplace(_scale("scale", scale)), size, entropy)


def discrete_gaussian(sigma: Number, size: int, entropy: Entropy = _SYSTEM) -> Integers:
    """Draw `size` integers k, each with probability proportional to exp(-k^2 / (2 sigma^2)).

    >>> len(discrete_gaussian("4.25", 3))
    3
    """
    return _draw(DiscreteGaussian(_scale("sigma", sigma) ** 2), size, entropy)


def geometric(scale: Number, size: int, entropy: Entropy = _SYSTEM) -> Integers:
    """Draw `size` integers k >= 0, each with probability proportional to exp(-k / scale).

    >>> bool((geometric(20, 1000) >= 0).all())
    True
    """
    return _draw(Geometric(_scale("scale", scale)), size, entropy)


def negative_binomial(shape: Number, scale: Number, size: int, entropy: Entropy = _SYSTEM) -> Integers:
    """Draw `size` integers k >= 0 with weight Gamma(k + shape) / k! exp(-k / scale): `1 / shape` of them add up to a
    geometric.

    >>> bool((negative_binomial("1/1000", 20, 1000) >= 0).all())
    True
    """
    exact_shape = positive("shape", shape, fix='shape="1/1000"')
    if (exact_shape + 50) * _scale("scale", scale) > 250_000:
        raise BadParameter(
            f"shape={shape!r}, scale={scale!r}: its table would have more than 250,000 edges.",
            fix='shape="1/1000", scale=20',
        )
    return _draw(NegativeBinomial(exact_shape, _scale("scale", scale)), size, entropy)


def bernoulli(p: Number, size: int, entropy: Entropy = _SYSTEM) -> Integers:
    """Draw `size` coins: 1 with probability exactly p, else 0.

    >>> bernoulli(1, 3).tolist()
    [1, 1, 1]
    """
    probability = rational("p", p, fix='p="1/3"')
    if not 0 <= probability <= 1:
        raise BadParameter(f"p={p!r}: a probability lies between 0 and 1.", fix='p="1/3"')
    return _draw(Bernoulli(probability), size, entropy)


def uniform(count: int, size: int, entropy: Entropy = _SYSTEM) -> Integers:
    """Draw `size` integers, each of 0 .. count - 1 with the same probability.

    >>> uniform(1, 2).tolist()
    [0, 0]
    """
    if whole("count", count, minimum=1, fix="count=6") > LARGEST_VALUE:
        raise BadParameter(f"count={count!r}: more than 2**62 does not fit into 64 bits.", fix="count=6")
    return _draw(Uniform(int(count)), size, entropy)


def softmax(scores: Sequence[Number] | NDArray[np.generic], rate: Number, entropy: Entropy = _SYSTEM) -> int:
    """Draw the index of one score with probability proportional to exp(rate * score).

    Equal scores are drawn as one group and then uniformly, so the work grows with the number of distinct scores.

    >>> softmax([0, 1000], rate=1)
    1
    """
    if not len(scores):
        raise BadParameter("scores=[]: there is nothing to choose from.", fix="scores=[3, 1, 4]")
    exact_rate = rational("rate", rate, fix="rate=0.5")
    members = _groups(scores)
    exponents = [exact_rate * score for score in members]
    distribution = Softmax(
        tuple(exponent - max(exponents) for exponent in exponents), tuple(map(len, members.values()))
    )
    group = list(members.values())[int(entropy.draw(distribution, 1)[0])]
    return int(group[int(entropy.draw(Uniform(len(group)), 1)[0])])


def _groups(scores: Sequence[Number] | NDArray[np.generic]) -> dict[Fraction, Sequence[int] | Integers]:
    """Indices of each distinct score."""
    if isinstance(scores, np.ndarray) and np.issubdtype(scores.dtype, np.integer):
        distinct, sizes = np.unique(scores, return_counts=True)
        indices = np.split(np.argsort(scores, kind="stable"), np.cumsum(sizes)[:-1])
        return {Fraction(int(score)): group for score, group in zip(distinct, indices, strict=True)}
    groups: dict[Fraction, list[int]] = {}
    for index, score in enumerate(scores):
        groups.setdefault(_score(score), []).append(index)
    return dict(groups)


def _score(score: Number) -> Fraction:
    """Parse a score as a fraction. Scores come from data, so the error does not repeat the value."""
    try:
        return rational("score", score, fix="")
    except BadParameter:
        raise BadParameter("scores: each must be a finite number.", fix="scores=[3, 1, 4]") from None


def _draw(distribution: NoiseDistribution, size: int, entropy: Entropy) -> Integers:
    return entropy.draw(distribution, whole("size", size, minimum=0, fix="size=1000"))


def _scale(name: str, value: Number) -> Fraction:
    width = positive(name, value, fix=f"{name}=20")
    if width > LARGEST_SCALE:
        raise BadParameter(f"{name}={value!r}: noise of more than 2**50 does not fit into 64 bits.", fix=f"{name}=20")
    return width
