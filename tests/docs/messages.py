"""The page of messages, generated from their schema. `python -m tests.docs.update` writes it."""

from headcount.federated import Invitation, Report, Result, Round, SecureRound, ShapeRound, Shares, Tally, Total
from headcount.federated.aggregator_state import AggregatorState
from headcount.federated.listed.extension import Extension
from headcount.federated.rounds import HeavyHittersPlan, QuantilesPlan, RangesPlan, SecureHeavyHittersPlan
from headcount.federated.schema import VERSION, Message, Record
from headcount.federated.schema.record import kinds_of
from headcount.federated.secure import SumInbox, SumKeys, SumMasked, SumPartners, SumShares, SumSurvivors, SumUnmask
from headcount.federated.step import Cuts, Nodes, Prefixes, Scale, Step
from headcount.stream.state import Header
from tests.docs.snippets import ROOT

PAGE = ROOT / "docs" / "reference" / "messages.md"
SECURE: tuple[type[Message], ...] = (
    *(SecureRound, SumKeys, SumPartners, SumShares, SumInbox, SumMasked, SumSurvivors, SumUnmask),
)
PLANS: tuple[type[Message], ...] = (HeavyHittersPlan, QuantilesPlan, RangesPlan, SecureHeavyHittersPlan)
MESSAGES: tuple[type[Message], ...] = (
    *(Round, Invitation, Report, Result, *PLANS, ShapeRound, Shares, Tally, Total, *SECURE),
)
STEPS: tuple[type[Record], ...] = (Step, Prefixes, Nodes, Cuts, Scale, Extension)
HEAD = f"""# Messages between people and an analyst

What `headcount.federated` sends, for whoever writes a client in another language. This page is generated from the \
schema that headcount checks messages with. [vectors.json](vectors.json) has messages, digests, tickets and buckets to \
test an implementation with, and texts that must be refused.

## Spelling

A message is one JSON object with the fields below, `kind`, and `version`, which is {VERSION}. It has one spelling, \
and nothing else is read as a message:

- fields in alphabetical order, no space between tokens, every field present, none twice;
- ASCII alone: characters outside of the range from space to `~` are `\\uXXXX` with lower-case digits, in pairs of \
surrogates above U+FFFF; but `\\b`, `\\t`, `\\n`, `\\f`, `\\r`, `\\"` and `\\\\` are short. `/` is not escaped;
- whole numbers without a point or an exponent;
- exact numbers are strings: a plain decimal without trailing zeros if there is one (`"0.25"`), else a fraction in \
lowest terms (`"1/3"`). At most 40 digits before the point and 60 after it, 50 above and below a fraction's line.

A reader parses the text, checks every field, writes the message again, and refuses it unless that is the same text.

## Digest, ticket, bucket

| what | how |
|---|---|
| digest of a round | BLAKE2b of the round's text with 16 bytes of output, in hexadecimal. Answers and results carry \
it as `round` |
| ticket of an answer | BLAKE2b of the digest, as 32 ASCII characters, with 16 bytes of output, keyed with 32 secret \
bytes of the device: the same device has the same ticket if it answers a round again. An invited person takes that of \
the invitation |
| ticket of a person at a site | the same; the key is BLAKE2b of the person's id in UTF-8 with 32 bytes of output, \
keyed with the site's 32 secret bytes, with the personalisation `person`, padded with zero bytes |
| bucket of an item | BLAKE2b of the item in UTF-8 with 16 bytes of output, keyed with the 16 bytes of the round's \
`key`; as a big-endian number, modulo `buckets` |

In a round with a `step`, which is one of a series, it is as follows. A person answers each `number` of a promise \
once, whatever its level is, and pays for a promise once. 2^64 trials find two promises with one digest, so a device \
keeps more than the digest of what is paid, such as a keyed hash of the array; `|` stands between texts \
that are put together.

| what | how |
|---|---|
| promise | BLAKE2b with 16 bytes of output, in hexadecimal, of the canonical JSON array `[series, rounds, threshold, \
items, neighbours, rate, epsilon, delta]`, exact numbers as in messages; if the round has `insiders` or \
`sites_per_person`, with both at the end, 0 for one that is left out |
| order of a person's items | by BLAKE2b with 16 bytes of output of promise \\| item in UTF-8, keyed with the 32 \
secret bytes of the device, with the personalisation `order`, padded with zero bytes |
| answers | what the level makes of the items, in that order, each once, and of these the first `items` |
| level `prefixes` | the first `length` code points of each item whose first `known_length` are in `known` |
| level `nodes` | the cell of the first item that has one, divided by `width`, rounded down, as a decimal |
| level `cuts` | of that cell, for each of `cuts`: its place in the list, then `<` if the cell is below it, else `>` |
| cell of an item | none, unless it is a plain decimal of at most 100 characters (`-1.5`, `.5`, `1e3`); section s of S \
has the cells from floor(s `cells` / S) on; within a section, in 64-bit floats, floor((number - low) / (high - low) \
\\* cells of the section), at most its last. Below the first edge, and from the last on: the first and the last cell, \
or none if not `clamped` |

In a `secure-round` with a `step` it is as follows. Its vector has a number for each candidate.

| what | how |
|---|---|
| promise | BLAKE2b with 16 bytes of output, in hexadecimal, of the round as canonical JSON without `kind`, `version`, \
`keys` and the `number` of `step` |
| candidates | for each of `keys`, in their order: the key followed by each text of the alphabet of 0, 1, ..., \
`lengths[number]` - `lengths[number - 1]` code points (of 0, 1, ..., `lengths[0]` if `number` is 0); those of one \
length in the order of `alphabet`, the last character changing fastest |
| places of a person | those of the candidates of their items, in the order of items above: of an item of at most as \
many code points as the last length, all in `alphabet`, the first `lengths[number]`. Each place once, and of these the \
first `items` |

In a secure sum all is as follows, in the order of the messages; numbers of people are their places on the ring, n is \
the number of those who sent keys, and integers are big-endian unless said otherwise.

| what | how |
|---|---|
| keys | X25519, two pairs for each person and sum: of boxes and of masks |
| partners of person i | if n - 1 is at most `partners`, everybody else; else i ± 1, ..., i ± `partners` / 2, modulo n |
| key for a purpose | HKDF-SHA256 of the common X25519 secret, 32 bytes, without salt. Its info is these texts, each \
on a line, the last without a line feed: `headcount secure sum`, the digest, the purpose, two numbers, and the public \
keys of both people that the secret is of, in hexadecimal and in alphabetical order. The purpose is `box` with the \
numbers of sender and receiver, or `mask` with the lower number first |
| seed | 32 random bytes, of which two keys are derived in the same way, without numbers and keys: its commitment \
(`seed` of `sum-keys`, in hexadecimal) with the purpose `seed`, and the key of the person's own mask with the purpose \
`own` |
| shares of 32 bytes | modulo the prime 2^256 + 297: the secret is the value at 0 of a polynomial of degree \
`threshold` - 1, the share of person i its value at i + 1, as 66 hexadecimal digits |
| box | ChaCha20-Poly1305 with a nonce of 12 zero bytes and no further data; the content is the 33 bytes of the \
partner's share of the seed, then 33 of the share of the secret key of masks |
| mask of 32 bytes | the stream of ChaCha20 with that key, counter and nonce 0, in little-endian words of 4 bytes, \
or of 8 if `bits` is above 32; each word modulo 2^`bits` |
| masked vector | the person's numbers, plus their own mask, plus for each partner in their inbox the mask of \
the pair, or minus it if the partner's number is lower; modulo 2^`bits` |

A client answers a round once, never one whose promise does not hold, and draws its coins or its noise from the \
system's randomness: [sample and threshold](../proofs/sample-threshold.md), [shuffled noise](../proofs/shuffle.md), \
[secure sum](../proofs/secure-sum.md). In a secure sum it refuses fewer partners or boxes than `threshold`, more \
partners than `partners`, itself as a partner, numbers that are not those of partners, and fewer answers than \
`minimum`, which it counts if everybody is everybody's partner. It refuses nothing for what another person sent, such \
as keys that two of them share, or a box that it cannot open.
"""
CLIENT = """## A client of rounds

What the client of one person does with a `round`, in this order. `clients/javascript` in the repository is one, \
checked with the vectors, which takes part in rounds with Python clients.

1. It reads the text, and checks the promise as below. A round that does not keep it gets no answer.
2. It refuses an invitation whose `round` is not the digest of this round, none if `people` is a number, and any if \
`people` is null.
3. It refuses a round that it has answered, by its digest. If the device has a total budget, it refuses one whose \
epsilon or delta is more than what is left; otherwise it subtracts both. The answered round and what is left are on \
its disk before it draws. A round with a `step` is refused if its promise and its `number` were answered, and charged \
unless its promise is paid for.
4. It takes the person's items, each once, sorted by code points (in UTF-8: by bytes). If there are more than \
`items`, a uniform sequence of `items` of them takes part, in that order. With a `step`, its answers take part, \
as above.
5. With an invitation, the report has all of these items, and the invitation's ticket. Else each item has a coin of \
its own, which falls with probability `rate`; the report has those whose coin fell, in the same order, and the \
device's ticket. A report without an item is sent as well.

Coins and sequences come from the operating system's randomness, exactly, without floating point. Any exact way is \
right; the vectors use this one. A number below n takes as many bytes as n - 1 has (none if n is 1): of their \
big-endian number, the lowest bits that n - 1 has. If that is not below n, it is left out, and the next bytes are \
taken. A coin of rate a/b, in lowest terms, falls if a number below b is below a. A sequence of s of n swaps, for \
each place i from 0 to s - 1, the number at i with that at i + j, j a number below n - i.

**The promise is kept if an upper bound on the round's delta, at its epsilon ε, is at most its `delta`.** Let p be \
`rate`, θ `threshold` less `insiders` times `sites_per_person` (`insiders` counts as 0 if it is left out, \
`sites_per_person` as 1, in all of this), P_N(t) the chance that t of N coins fall, T_N(t) that of t or more.

- *One report, added or removed* (`items` is 1, `neighbours` is "add-remove"): the larger one of p P_{N-1}(θ-1) - \
(e^ε - 1) T_{N-1}(θ) at N = ⌈(θ-1)/q⌉, q = 1 - (1-p) e^-ε, and p P_{N-1}(θ-1) - (e^ε - 1) (1 - T_N(θ)) at N = \
⌈(θ-1)/r⌉, r = 1 - (1-p) e^ε, which counts as 0 if r ≤ 0. Both terms nearly cancel, so that floating point is not \
enough: analysts use all of `delta` to 11 digits. With 200 bits it is.
- *All else*: `up` and `down` are the two gains above as functions of ε ≥ 0, with N as it is for each ε; at -ε, \
either is 1 - e^-ε + e^-ε times the other at ε. On a grid of losses from log(1-p) to a largest one (`down`: the \
negatives), the delta that is straight in x = e^ε between grid points belongs to a pair of laws: the second has at a \
point the change of slope, the first x times that, and delta at the end of the grid is the chance of an infinite \
loss. The bound is that of `items` independent such losses, all of `up` or all of `down`, whichever is more; for \
"replace", of `items` of each together: the sum over losses l above ε of their chance times 1 - e^(ε-l). Analysts \
use a grid of 160 √`items` steps, within 1% of the limit, with ε on it; a client should take twice as many, so that \
it does not refuse what they publish. `sampled.py` and `losses.py` in `headcount.account.curves` say how rounding is \
bounded.
- *With `sites_per_person`* j, all of this is at ε/j, and delta is that times the sum of e^(i ε/j) over i below j.
- *If the round invites*, (1 + e^ε) times the chance that more than `invited` of `people` coins fall is added.

In the vectors, `prices` has the analyst's bound: to 12 digits for one report added or removed, else rounded up to \
4. `truncated` has what invitations add, also to 4. `coins`, `sequences` and `answers` begin with `bytes`; `left` is \
how many are not used.
"""
STATE = """## State of a stream

The bytes of a [counter](../how-to/stream.md) are a line `headcount stream state 1`, a line with the fields below as \
canonical JSON (without `kind` and `version`), each count as 8 bytes, little-endian, and the SHA-256 of all of that.
"""

AGGREGATOR = """## State of an aggregator

The file that [`aggregator.save`](../how-to/federated.md#a-round-that-survives) writes is a line `headcount aggregator \
state 1`, 12 random bytes, and the fields below as canonical JSON (without `kind` and `version`), encrypted with \
ChaCha20-Poly1305: the key is the operator's 32 bytes, the nonce these 12 bytes, the line (with its line feed) is \
authenticated too. It is for aggregators alone: no client reads or writes it.
"""


def page() -> str:
    """The whole page."""
    return "\n".join(
        [
            HEAD,
            CLIENT,
            *map(_section, MESSAGES),
            *map(_part, STEPS),
            STATE,
            _table(Header),
            AGGREGATOR,
            _table(AggregatorState),
        ]
    )


def _section(message: type[Message]) -> str:
    summary = (message.__doc__ or "").partition("\n")[0]
    return f"## `{message.kind}`\n\n{summary} At most {message.longest:,} characters.\n\n{_table(message)}"


def _part(record: type[Record]) -> str:
    summary = (record.__doc__ or "").partition("\n")[0]
    return f"## {record.__name__}\n\n{summary}\n\n{_table(record)}"


def _table(record: type[Record]) -> str:
    rows = [f"| `{name}` | {kind.words.rstrip(',')} |" for name, kind in kinds_of(record).items()]
    rules = ["", *(f"- {rule}" for rule in record.rules)] if record.rules else []
    return "\n".join(["| field | what it may hold |", "|---|---|", *rows, *rules, ""])
