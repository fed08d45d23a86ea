"""State of an aggregator at rest: all that it holds, encrypted with a key that its operator gives.

Invariants:

- nothing is written without a key: what is counted is people's reports, and no noise is in it;
- counts and the tickets that they are made of are in one state: none is kept without the other;
- a state is authenticated with its format (ChaCha20-Poly1305, a fresh random nonce each time). A wrong key, a cut file
  or another byte is refused; an older state is not noticed, as nothing newer is known here;
- the length of a state tells about how many people answered: it is the operator's alone.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from headcount.account.ledger.record.chain import canonical
from headcount.errors import BadParameter, optional_package
from headcount.federated.messages import MAX_INTEGER, Round
from headcount.federated.schema import Counts, Hex, Record, Rows, Text, Texts, Truth, Whole
from headcount.federated.schema.record import parse_object
from headcount.federated.terms import ITEM, MAX_PEOPLE
from headcount.noise import SystemEntropy

NAME = b"headcount aggregator state 1\n"
KEY_BYTES, NONCE_BYTES = 32, 12
MAX_SHARDS = 1024


@dataclass(frozen=True)
class AggregatorState(Record):
    """All that an aggregator holds."""

    open: Annotated[bool, Truth()]
    """False once it is closed: then there are no counts, tickets or invitations."""
    round: Annotated[str, Text(Round.longest)]
    """The round's text."""
    shard: Annotated[int, Whole(0, MAX_SHARDS - 1)]
    shards: Annotated[int, Whole(1, MAX_SHARDS)]
    counts: Annotated[tuple[tuple[str, int], ...], Counts(ITEM, Whole(1, MAX_INTEGER))]
    used: Annotated[tuple[str, ...], Texts(Text(32), MAX_PEOPLE)]
    """Tickets that were counted, sorted."""
    invited: Annotated[tuple[tuple[int, str, bool], ...], Rows((Whole(0, MAX_PEOPLE), Hex(), Truth()), MAX_PEOPLE)]
    """Person, ticket, and whether they are in the sample."""


def seal(state: AggregatorState, key: bytes) -> bytes:
    """Encrypt a state: a line that names the format, a nonce, and the content with its tag."""
    nonce = bytes(SystemEntropy().secret()[:NONCE_BYTES])
    content = canonical(state.to_plain()).encode()
    return NAME + nonce + bytes(_cipher(key).encrypt(nonce, content, NAME))


def unseal(path: str | Path, key: bytes) -> AggregatorState:
    """Decrypt the state that a file holds, or raise."""
    cipher, content = _cipher(key), _content(path)
    if not content.startswith(NAME):
        raise _bad("not the state of an aggregator, or one of another version")
    nonce, box = content[len(NAME) :][:NONCE_BYTES], content[len(NAME) + NONCE_BYTES :]
    try:
        text = cipher.decrypt(nonce, box, NAME).decode()
    except (_cryptography("cryptography.exceptions").InvalidTag, ValueError):
        raise _bad("another key, or a file that was cut off or changed") from None
    return AggregatorState.from_plain(parse_object(text, len(text)))


def _cipher(key: object) -> Any:
    if not isinstance(key, bytes) or len(key) != KEY_BYTES:
        raise BadParameter("key: 32 bytes are needed; nothing is written in plain.", fix="secrets.token_bytes(32)")
    return _cryptography("cryptography.hazmat.primitives.ciphers.aead").ChaCha20Poly1305(key)


def _cryptography(name: str) -> Any:
    return optional_package(name, user="The state of an aggregator", install="'headcount[secure]'")


def _content(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise _bad(f"{path!s:.200} cannot be read ({error.strerror})") from None


def _bad(reason: str) -> BadParameter:
    return BadParameter(f"state: {reason}.", fix="what aggregator.save(path, key=key) wrote, and the same key")
