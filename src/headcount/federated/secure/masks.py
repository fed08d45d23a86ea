"""Masks: uniform vectors modulo 2^bits, expanded from 32 bytes by ChaCha20.

The number of a word of the stream modulo 2^bits is uniform if the word is: bits are cut, nothing is rounded.
"""

import numpy as np
from numpy.typing import NDArray

from headcount.federated.secure.keys import KeyPair, derive, stream
from headcount.federated.secure.terms import SumTerms

Residues = NDArray[np.uint64]
"""Integers modulo 2^bits."""
SHORT_BITS = 32
"""Largest number of bits for which a word of 4 bytes is enough."""


def mask(key: bytes, terms: SumTerms) -> Residues:
    """The mask of 32 bytes."""
    word = np.dtype("<u4" if terms.bits <= SHORT_BITS else "<u8")
    words = np.frombuffer(stream(bytes(key), word.itemsize * terms.length), dtype=word)
    return words.astype(np.uint64) & low_bits(terms)


def own_mask(seed: bytes, terms: SumTerms) -> Residues:
    """The mask of one person, whose seed this is."""
    return mask(derive(seed, terms.round, "own"), terms)


def pair_mask(keys: KeyPair, number: int, public: str, other: int, terms: SumTerms) -> Residues:
    """What one of two people adds, whose keys these are: the other one adds the negative, so that both cancel."""
    low, high = sorted((number, other))
    seed = derive(keys.agree(public), terms.round, "mask", str(low), str(high), *sorted((keys.public, public)))
    found = mask(seed, terms)
    return found if number < other else (-found) & low_bits(terms)


def low_bits(terms: SumTerms) -> np.uint64:
    """2^bits - 1."""
    return np.uint64((1 << terms.bits) - 1)
