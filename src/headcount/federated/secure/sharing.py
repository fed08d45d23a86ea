"""Shamir's sharing of 32 bytes: any `threshold` shares restore the secret, fewer look alike for all secrets.

A secret is the value at 0 of a polynomial of degree threshold - 1 over the integers modulo PRIME; the share of person i
is its value at i + 1 (Shamir 1979). With uniform coefficients, fewer shares would have the same law for all secrets.
Here they are expanded by SHAKE-256 from 32 bytes (to within 2^-255): nobody of bounded computing power sees the
difference.
"""

from collections.abc import Iterable, Mapping
from hashlib import shake_256

PRIME = 2**256 + 297
"""The least prime above every number of 32 bytes."""
SHARE_DIGITS = 66
"""Hexadecimal digits of a share."""
WIDE = 64
"""Bytes that are reduced to a coefficient."""


def split(secret: bytes, numbers: Iterable[int], threshold: int, coins: bytes) -> dict[int, str]:
    """The share of each of these people; `coins` are 32 fresh secret bytes."""
    stream = shake_256(bytes(coins)).digest(WIDE * (threshold - 1))
    uniform = [int.from_bytes(stream[at : at + WIDE], "big") % PRIME for at in range(0, len(stream), WIDE)]
    coefficients = [*uniform, int.from_bytes(secret, "big")]
    return {number: f"{_value(coefficients, number + 1):0{SHARE_DIGITS}x}" for number in numbers}


def restore(shares: Mapping[int, str], threshold: int) -> bytes | None:
    """The secret of these shares, of which there are at least `threshold`; None if the result is no
    secret, as a share is wrong."""
    points = [(number + 1, int(share, 16)) for number, share in sorted(shares.items())[:threshold]]
    secret = sum(value * _weight(at, points) for at, value in points) % PRIME
    return secret.to_bytes(32, "big") if secret < 1 << 256 else None


def _value(coefficients: list[int], at: int) -> int:
    """Value of a polynomial, by Horner."""
    value = 0
    for coefficient in coefficients:
        value = (value * at + coefficient) % PRIME
    return value


def _weight(at: int, points: list[tuple[int, int]]) -> int:
    """Lagrange's weight of a point for the value at 0."""
    above = below = 1
    for other, _ in points:
        if other != at:
            above, below = above * other % PRIME, below * (other - at) % PRIME
    return above * pow(below, -1, PRIME)
