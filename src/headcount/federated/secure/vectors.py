"""Vectors of integers modulo 2^bits, and their bytes: `bits` bits for each number, without gaps."""

from base64 import b64decode, b64encode

import numpy as np

from headcount.exact import Integers
from headcount.federated.secure.masks import Residues, low_bits
from headcount.federated.secure.terms import SumTerms

WORD = 64


def residues(values: Integers, terms: SumTerms) -> Residues:
    """Integers modulo 2^bits: those below 0 count down from 2^bits."""
    return values.astype(np.int64).view(np.uint64) & low_bits(terms)


def centred(found: Residues, terms: SumTerms) -> Integers:
    """The integers from -2^(bits-1) to 2^(bits-1) - 1 that have these residues."""
    half, modulus = 1 << (terms.bits - 1), 1 << terms.bits
    values = found.view(np.int64)
    return np.where(values >= half, values - modulus, values)


def to_text(found: Residues, terms: SumTerms) -> str:
    """The bytes of a vector, in base64."""
    bits = np.unpackbits(found.astype(">u8").view(np.uint8).reshape(-1, 8), axis=1)
    return b64encode(np.packbits(bits[:, WORD - terms.bits :]).tobytes()).decode()


def from_text(text: str, terms: SumTerms) -> Residues | None:
    """The vector of a text; None if it has another length."""
    content, count = b64decode(text), terms.length * terms.bits
    if len(content) != -(-count // 8):
        return None
    bits = np.zeros((terms.length, WORD), dtype=np.uint8)
    unpacked = np.unpackbits(np.frombuffer(content, dtype=np.uint8))
    bits[:, WORD - terms.bits :] = unpacked[:count].reshape(terms.length, terms.bits)
    return np.packbits(bits, axis=1).view(">u8").ravel().astype(np.uint64)
