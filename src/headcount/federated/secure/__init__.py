"""Secure sum of vectors of integers: a server learns the sum of all vectors, and of no vector anything else.

    server.py              client.py
       ◄──────SumKeys──────  public keys for this sum alone          keys.py
       ─────SumPartners───►  the keys of one's partners              partners.py
       ◄─────SumShares─────  both secrets, in shares, one for each   sharing.py
       ──────SumInbox─────►  the shares of one's partners
       ◄─────SumMasked─────  the vector plus masks                   masks.py, vectors.py
       ────SumSurvivors───►  which partners' vectors came
       ◄─────SumUnmask─────  shares of their secrets
          ──► Total: the sum

It is the protocol of Bonawitz et al. 2017, "Practical Secure Aggregation for Privacy-Preserving Machine Learning", for
a server that is honest but curious, and that of Bell et al. 2020, "Secure Single-Server Aggregation with
(Poly)Logarithmic Overhead", if people share secrets with some partners instead of with everybody.

Client and server are state machines of messages: they know no transport and no question. Integers modulo 2^bits pass
unchanged: nothing is clipped, rounded or weighted. Proof: docs/proofs/secure-sum.md.

The building blocks are those of `cryptography`: X25519, HKDF-SHA256, ChaCha20, ChaCha20-Poly1305. Flower has some, too
(`flwr.common.secure_aggregation`), but its masks are drawn from NumPy's Mersenne Twister, with a seed of 32 bits: a
server can try all seeds. And they need all of Flower on every device. Only Shamir's sharing is ours (sharing.py).
"""

from headcount.federated.secure.client import SumClient
from headcount.federated.secure.messages import (
    SumInbox,
    SumKeys,
    SumMasked,
    SumPartners,
    SumShares,
    SumSurvivors,
    SumUnmask,
)
from headcount.federated.secure.server import SumServer
from headcount.federated.secure.terms import SumTerms

__all__ = [
    "SumClient",
    "SumInbox",
    "SumKeys",
    "SumMasked",
    "SumPartners",
    "SumServer",
    "SumShares",
    "SumSurvivors",
    "SumTerms",
    "SumUnmask",
]
