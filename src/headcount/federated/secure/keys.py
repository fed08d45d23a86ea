"""Keys of a sum: X25519 key pairs, the keys that two people agree on, and boxes that only the other one opens.

Invariants:

- a secret is 32 bytes of the person's entropy, for one sum; keys that are agreed on depend on the round, on both
  people, on the public keys of both and on the purpose (HKDF-SHA256), so that none is used for anything else;
- a box is sealed once under its key (ChaCha20-Poly1305): the nonce is 0.
"""

from functools import cache
from typing import Any

from headcount.errors import optional_package
from headcount.federated.messages import Refused

NONCE = bytes(12)
BOX_BYTES = 16
"""Bytes by which a box is longer than its content."""
_PRIMITIVES = "cryptography.hazmat.primitives"


class KeyPair:
    """Secret key of a person for one sum, and its public key."""

    __slots__ = ("_private", "public", "secret")

    def __init__(self, secret: bytes) -> None:
        self.secret = secret
        self._private = _package(".asymmetric.x25519").X25519PrivateKey.from_private_bytes(bytes(secret))
        self.public: str = self._private.public_key().public_bytes_raw().hex()

    def agree(self, public: str) -> bytes:
        """The secret in common with the owner of a public key."""
        there = _package(".asymmetric.x25519").X25519PublicKey.from_public_bytes(bytes.fromhex(public))
        try:
            return bytes(self._private.exchange(there))
        except ValueError:  # a point of small order
            raise Refused("This public key hides nothing.", fix="a key that a client made") from None


def commitment(seed: bytes, round_: str) -> str:
    """What a person announces of their seed: it fits no other seed, and says nothing about this one."""
    return derive(seed, round_, "seed").hex()


def derive(common: bytes, *about: str) -> bytes:
    """A key of 32 bytes for one purpose."""
    hashes, derivation = _package(".hashes"), _package(".kdf.hkdf")
    info = "\n".join(("headcount secure sum", *about)).encode()
    return bytes(derivation.HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=info).derive(common))


def seal(key: bytes, content: bytes) -> bytes:
    """Encrypt and authenticate, once for a key."""
    return bytes(_package(".ciphers.aead").ChaCha20Poly1305(key).encrypt(NONCE, content, None))


def unseal(key: bytes, box: bytes) -> bytes | None:
    """The content of a box; None if it was not sealed with this key."""
    try:
        return bytes(_package(".ciphers.aead").ChaCha20Poly1305(key).decrypt(NONCE, box, None))
    except (_package("cryptography.exceptions").InvalidTag, ValueError):
        return None


def stream(key: bytes, count: int) -> bytes:
    """The first bytes of ChaCha20's stream under a key."""
    ciphers, algorithms = _package(".ciphers"), _package(".ciphers.algorithms")
    return bytes(ciphers.Cipher(algorithms.ChaCha20(key, bytes(16)), mode=None).encryptor().update(bytes(count)))


@cache
def _package(name: str) -> Any:
    full = f"{_PRIMITIVES}{name}" if name.startswith(".") else name
    return optional_package(full, user="headcount.federated.secure", install="'headcount[secure]'")
