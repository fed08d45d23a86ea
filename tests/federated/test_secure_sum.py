"""A secure sum is the sum, whoever drops out, and the server receives nothing but masks."""

import copy
import pickle
from base64 import b64decode
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from headcount.errors import BadParameter
from headcount.federated import Refused, Report
from headcount.federated.schema import Message
from headcount.federated.secure import (
    SumClient,
    SumInbox,
    SumKeys,
    SumMasked,
    SumPartners,
    SumServer,
    SumShares,
    SumSurvivors,
    SumUnmask,
)
from headcount.federated.secure.keys import KeyPair, commitment
from headcount.federated.secure.masks import pair_mask
from headcount.federated.secure.partners import MAX_FAILURE, arrangement, failure, partners_of, unfinished
from headcount.federated.secure.sharing import PRIME, restore, split
from headcount.federated.secure.vectors import centred, from_text, residues, to_text
from tests.federated.people import ID
from tests.federated.sums import NOBODY, SYSTEM, Sum, run, terms, ticket, vectors

pytest.importorskip("cryptography", reason="needs headcount[secure]")
FALSE_ALARM = 1e-9
Planted = Callable[[SumClient, SumClient], set[int]]


# the parts


@given(st.integers(2, 62), st.lists(st.integers(-(2**62), 2**62 - 1), min_size=1, max_size=9))
def test_vectors_pass_unchanged_modulo_a_power_of_two(bits: int, numbers: list[int]) -> None:
    asked = terms(5, length=len(numbers), bits=bits)
    found = residues(np.array(numbers, dtype=np.int64), asked)
    assert found.tolist() == [number % 2**bits for number in numbers]
    there = from_text(to_text(found, asked), asked)
    assert there is not None
    assert there.tolist() == found.tolist()
    half = 2 ** (bits - 1)
    assert centred(found, asked).tolist() == [(number + half) % 2**bits - half for number in numbers]
    assert len(b64decode(to_text(found, asked))) == -(-bits * len(numbers) // 8)


def test_any_threshold_of_shares_restores_a_secret() -> None:
    for secret in (bytes(32), b"\xff" * 32, SYSTEM.secret()):
        shares = split(secret, range(6), 3, SYSTEM.secret())
        assert {restore({n: shares[n] for n in some}, 3) for some in combinations(range(6), 3)} == {bytes(secret)}
        assert restore({n: shares[n] for n in range(2)}, 2) != secret


def test_fewer_shares_fit_every_secret() -> None:
    """For two shares of three and any secret there is exactly one polynomial: here is its third share."""
    shares = split(SYSTEM.secret(), range(3), 3, SYSTEM.secret())
    for other in (bytes(32), b"\x01" * 32):
        values = {0: int.from_bytes(other, "big"), 1: int(shares[0], 16), 2: int(shares[1], 16)}
        third = (values[0] - 3 * values[1] + 3 * values[2]) % PRIME  # the parabola through three points, at 3
        assert restore({0: shares[0], 1: shares[1], 2: f"{third:066x}"}, 3) == other


def test_shares_are_spread_over_the_field() -> None:
    """The first two digits after the sign of a share of the same secret: chi-square over 4,096 sharings."""
    digits = [int(split(bytes(32), [0], 2, SYSTEM.secret())[0][2:4], 16) for _ in range(4096)]
    assert stats.chisquare(np.bincount(digits, minlength=256)).pvalue > FALSE_ALARM


@pytest.mark.parametrize(("joined", "partners"), [(2, 4), (5, 4), (7, 4), (50, 10)])
def test_partners_are_mutual_and_as_many(joined: int, partners: int) -> None:
    found = [partners_of(number, joined, partners) for number in range(joined)]
    assert {len(each) for each in found} == {min(partners, joined - 1)}
    for number, each in enumerate(found):
        assert number not in each
        assert each == sorted(set(each))
        assert all(number in found[other] for other in each)


def connected(there: list[int], joined: int, partners: int) -> bool:
    reached, left = {there[0]}, [there[0]]
    while left:
        near = set(partners_of(left.pop(), joined, partners)) & set(there) - reached
        reached |= near
        left += near
    return len(reached) == len(there)


@pytest.mark.parametrize(("people", "others", "partners", "threshold"), [(8, 3, 4, 3), (9, 4, 6, 5), (10, 4, 4, 4)])
def test_the_bound_on_failures_is_one(people: int, others: int, partners: int, threshold: int) -> None:
    """Over every place of the others: apart, or with as many partners among them as restore a secret."""
    failed = total = 0
    for gone in combinations(range(people), others):
        there = [number for number in range(people) if number not in gone]
        told = any(len(set(partners_of(each, people, partners)) & set(gone)) >= threshold for each in there)
        failed += told or not connected(there, people, partners)
        total += 1
    assert Fraction(failed, total) <= failure(people, people - others, partners, threshold)


@pytest.mark.parametrize(
    ("people", "minimum", "counted_on"), [(1000, 900, 810), (1000, 950, 855), (10**6, 900_000, 810_000)]
)
def test_a_sparse_arrangement_is_safe_and_small(people: int, minimum: int, counted_on: int) -> None:
    found = arrangement(people, minimum, counted_on)
    assert found is not None
    assert found[0] <= 100
    assert failure(people, counted_on, *found) <= MAX_FAILURE
    assert 2 * found[1] > found[0]
    assert failure(people, counted_on, found[0], found[1] - 1) > MAX_FAILURE or 2 * (found[1] - 1) <= found[0]
    assert unfinished(people, minimum, *found) <= Fraction(1, 10**6)
    for fewer in (people - 1, people - people // 20):
        assert failure(fewer, counted_on, *found) <= failure(people, counted_on, *found)


def test_with_everybody_as_partner_the_threshold_is_above_all_others() -> None:
    assert arrangement(10, 9, 8) == (10, 5)  # and above half of the partners
    assert arrangement(10, 9, 5) == (10, 6)
    assert failure(10, 8, 10, 3) == 0
    assert failure(10, 8, 10, 2) == 1
    assert arrangement(10, 5, 4) is None


# whole sums


@settings(max_examples=10, deadline=None)
@given(st.integers(4, 12), st.integers(2, 40), st.data())
def test_the_sum_is_of_those_whose_vectors_came(people: int, bits: int, data: st.DataObject) -> None:
    asked = terms(people, bits=bits, minimum=3, partners=6)
    drop = st.sets(st.integers(0, people - 1), max_size=max(0, people - 6) // 2)
    unseen, silent = data.draw(drop), data.draw(drop)
    late = {max(set(range(people)) - unseen - silent)} if people > 8 else set()
    people_vectors = vectors(people, 3)
    there = set(range(people)) - unseen - silent
    if len(there) < 5:
        return
    found = run(Sum(asked, people_vectors), unseen, NOBODY, silent - unseen, late)
    total = sum(people_vectors[number] for number in there)
    half = 2 ** (bits - 1)
    assert found.answered == len(there)
    assert found.sums == tuple(((np.asarray(total) + half) % 2**bits - half).tolist())


def test_dropouts_at_every_step() -> None:
    people = vectors(40, 50)
    found = run(Sum(terms(40, length=50, partners=14, threshold=5, minimum=30), people), {0, 1}, {2, 3}, {4, 5}, {6, 7})
    assert found.answered == 34
    assert found.sums == tuple(np.sum(people[6:], axis=0).tolist())


@pytest.mark.parametrize("step", range(3))
def test_too_few_people_open_nothing(step: int) -> None:
    sum_ = Sum(terms(10), vectors(10, 3))
    gone = [NOBODY] * step + [frozenset({0, 1, 2})]
    with pytest.raises(Refused, match=r"7 people answered, and 8 must: all is forgotten\. Fix: "):
        run(sum_, *gone)
    with pytest.raises(Refused, match="closed"):
        sum_.server.close()
    assert not any(sum_.server._received)
    assert not len(sum_.server._sum)


def test_too_few_shares_open_nothing() -> None:
    sum_ = Sum(terms(10, threshold=4), vectors(10, 3))
    with pytest.raises(Refused, match="Too few people sent shares"):
        run(sum_, NOBODY, NOBODY, NOBODY, set(range(7)))
    assert not any(sum_.server._received)


def test_nobody_is_asked_for_a_vector_if_a_person_has_too_few_partners_left() -> None:
    """By the order on the ring: all partners of one person but two leave before they share."""
    sum_ = Sum(terms(12, minimum=6, partners=6, threshold=4), vectors(12, 3))
    replies = sum_.begin()
    tickets = {number: name for name, number in sum_.server._numbers.items()}
    gone = {int(tickets[number], 16) for number in (1, 2, 3, 11)}  # of 0; 4 has 3 left, too
    with pytest.raises(
        Refused, match=r"One of the people has \d partners left, and 4 are needed: all is forgotten\. Fix: "
    ):
        sum_.step(replies, gone)
    assert not any(isinstance(each, SumMasked) for each in sum_.received)
    assert not any(sum_.server._received)


def test_an_early_end_opens_nothing() -> None:
    sum_ = Sum(terms(5), vectors(5, 3))
    sum_.begin()
    for _ in range(2):
        with pytest.raises(Refused):
            sum_.server.close()


# what the server sees


def numbers_in(message: Message, bits: int, length: int) -> list[int]:
    assert isinstance(message, SumMasked)
    found = from_text(message.vector, terms(5, bits=bits, length=length))
    assert found is not None
    return [int(number) for number in found]


@pytest.mark.parametrize("own", [0, 1], ids=["without", "with"])
def test_masked_vectors_are_uniform_whatever_is_in_them(own: int) -> None:
    """The server's view of the same vector on neighbours: each number modulo 2^8, and pairs of neighbours' numbers."""
    length = 2000
    people = [np.full(length, own), *[np.zeros(length, dtype=np.int64)] * 4]
    sum_ = Sum(terms(5, length=length, bits=8), people)
    run(sum_)
    found = np.array([numbers_in(each, 8, length) for each in sum_.received if isinstance(each, SumMasked)])
    for row in found:
        assert stats.chisquare(np.bincount(row, minlength=256)).pvalue > FALSE_ALARM
    for one, other in combinations(found, 2):  # and so are differences, in which no mask cancels
        assert stats.chisquare(np.bincount((one - other) % 256, minlength=256)).pvalue > FALSE_ALARM
    assert (found.sum(axis=0) % 256 != own).any()


def test_the_recorder_would_see_a_mask_that_is_missing() -> None:
    """A planted client whose vector goes without masks fails the same chi-square."""
    sum_ = Sum(terms(5, length=2000, bits=8), vectors(5, 2000, largest=2))
    plain = sum_.clients[ticket(0)]._vector % np.uint64(256)
    assert stats.chisquare(np.bincount(plain.astype(np.int64), minlength=256)).pvalue < FALSE_ALARM


def test_the_server_has_never_both_secrets_of_a_person() -> None:
    """Of those whose vector came, shares restore the seed alone; of the others, the key alone. All that the server
    receives in the last step is tried: every choice of as many shares as restore a secret."""
    sum_ = Sum(terms(8, minimum=6, threshold=3), vectors(8, 3))
    secrets = {name: (client._seed, client._mask_keys.secret) for name, client in sum_.clients.items()}
    replies = sum_.step(sum_.begin())
    numbers = dict(sum_.server._numbers)
    sum_.step(sum_.step(replies, {7}))
    given = {each.ticket: dict(each.shares) for each in sum_.received if isinstance(each, SumUnmask)}
    assert len(given) == 7
    for name, (seed, key) in secrets.items():
        shares = {numbers[giver]: told[numbers[name]] for giver, told in given.items() if numbers[name] in told}
        assert len(shares) == (7 if name == ticket(7) else 6)
        found = {restore({number: shares[number] for number in some}, 3) for some in combinations(shares, 3)}
        assert found == {bytes(key) if name == ticket(7) else bytes(seed)}


def test_a_client_forgets_its_vector_and_its_secrets() -> None:
    sum_ = Sum(terms(5), vectors(5, 3))
    replies = sum_.step(sum_.begin())
    client = sum_.clients[ticket(0)]
    assert hasattr(client, "_vector")
    replies = sum_.step(replies)
    assert not hasattr(client, "_vector")
    sum_.step(replies)
    assert not client._shares
    assert not client._seed
    assert not hasattr(client, "_mask_keys")
    assert not hasattr(client, "_box_keys")


def test_nothing_of_a_vector_is_in_a_representation() -> None:
    sum_ = Sum(terms(5), [np.array([7, 7, 7])] * 5)
    run(sum_)
    for each in sum_.received:
        shown = repr(each)
        assert "vector" not in shown
        assert "ticket" not in shown
        assert "shares" not in shown
    assert repr(sum_.clients[ticket(0)]) == f"SumClient(sum {ID})"


@pytest.mark.parametrize("make_copy", [copy.copy, copy.deepcopy, pickle.dumps])
def test_neither_side_can_be_copied(make_copy: object) -> None:
    sum_ = Sum(terms(5), vectors(5, 3))
    for each in (sum_.server, sum_.clients[ticket(0)]):
        with pytest.raises(TypeError, match="there is one"):
            make_copy(each)  # type: ignore[operator]


# bad messages


def test_a_second_message_is_refused_and_changes_nothing() -> None:
    people = vectors(5, 3)
    sum_ = Sum(terms(5), people)
    replies = sum_.begin()
    for _ in range(2):
        messages = [sum_.clients[name].answer(message) for name, message in replies.items()]
        for message in messages:
            sum_.server.add(message)
            with pytest.raises(Refused, match="already used"):
                sum_.server.add(message)
        with pytest.raises(Refused, match="not the next message"):
            sum_.clients[ticket(0)].answer(replies[ticket(0)])
        replies = sum_.server.advance()
    sum_.step(replies)
    assert sum_.server.close().sums == tuple(np.sum(people, axis=0).tolist())


def test_messages_of_another_round_are_refused() -> None:
    sum_, other = Sum(terms(5), vectors(5, 3)), Sum(replace(terms(5), round="f" * 32), vectors(5, 3))
    with pytest.raises(Refused, match="another round"):
        sum_.server.add(other.clients[ticket(0)].begin())
    replies = sum_.begin()
    foreign = {name: replace(message, round="f" * 32) for name, message in replies.items()}  # type: ignore[type-var]
    with pytest.raises(Refused, match="another sum"):
        sum_.clients[ticket(0)].answer(foreign[ticket(0)])
    sum_.step(replies)


def test_masks_of_a_pair_cancel_in_one_round_alone() -> None:
    one, other = KeyPair(SYSTEM.secret()), KeyPair(SYSTEM.secret())
    asked = terms(5, length=200)
    mine, theirs = pair_mask(one, 1, other.public, 4, asked), pair_mask(other, 4, one.public, 1, asked)
    assert not ((mine + theirs) % 2**16).any()
    elsewhere = pair_mask(other, 4, one.public, 1, replace(asked, round="f" * 32))
    assert ((mine + elsewhere) % 2**16).any()


def test_a_pair_of_public_keys_has_masks_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same secret in common, but other public keys: other masks. So keys of a purpose are bound to the keys."""
    one, other = KeyPair(SYSTEM.secret()), KeyPair(SYSTEM.secret())
    mine = pair_mask(one, 1, other.public, 4, terms(5, length=200))
    monkeypatch.setattr(KeyPair, "agree", lambda _self, _public: bytes(32))
    plain = [pair_mask(each, 1, other.public, 4, terms(5, length=200)) for each in (one, KeyPair(SYSTEM.secret()))]
    assert (plain[0] != plain[1]).any()
    assert (plain[0] != mine).any()


def test_what_the_server_refuses() -> None:
    sum_ = Sum(terms(5), vectors(5, 3))
    with pytest.raises(BadParameter, match="people send no message of this kind"):
        sum_.server.add(Report(ID, ID, ()))
    keys = sum_.clients[ticket(0)].begin()
    with pytest.raises(Refused, match="hides nothing"):
        sum_.server.add(replace(keys, mask="00" * 32))
    with pytest.raises(Refused, match=r"A key is used twice\. Fix: "):
        sum_.server.add(replace(keys, box=keys.mask))
    others = [client.begin() for client in list(sum_.clients.values())[1:]]
    for other in others:
        sum_.server.add(other)
    for public in (others[0].box, others[0].mask):
        with pytest.raises(Refused, match="A key is used twice"):
            sum_.server.add(replace(keys, box=public))
    with pytest.raises(Refused, match="too late, or too early"):
        sum_.server.add(SumMasked(ID, ticket(1), ""))
    replies = sum_.server.advance()
    with pytest.raises(Refused, match="took no part"):
        sum_.server.add(SumShares(ID, ticket(0), ()))
    shares = sum_.clients[ticket(1)].answer(replies[ticket(1)])
    assert isinstance(shares, SumShares)
    with pytest.raises(Refused, match="one for each partner is needed"):
        sum_.server.add(replace(shares, boxes=shares.boxes[1:]))
    sum_.server.add(shares)
    replies = sum_.take(sum_.clients[name].answer(m) for name, m in replies.items() if name != ticket(1))
    masked = sum_.clients[ticket(1)].answer(replies[ticket(1)])
    assert isinstance(masked, SumMasked)
    with pytest.raises(Refused, match="another length"):
        sum_.server.add(replace(masked, vector=""))
    sum_.server.add(masked)
    full = SumServer(terms(5))
    for client in Sum(terms(5), vectors(5, 3)).clients.values():
        full.add(client.begin())
    with pytest.raises(Refused, match="at most 5 people"):
        full.add(replace(keys, ticket=ticket(5)))


def test_what_a_client_refuses() -> None:
    sum_ = Sum(terms(6, minimum=5, threshold=3), vectors(6, 3))
    replies = sum_.begin()
    client, first = sum_.clients[ticket(0)], replies[ticket(0)]
    assert isinstance(first, SumPartners)
    rows = first.partners
    wrong = [
        (replace(first, partners=rows[:2]), "2 partners; at least 3 are needed"),
        (replace(first, partners=(*rows, (99, "1" * 64, "2" * 64))), "6 partners; at most 5 are allowed"),
        (replace(first, number=rows[0][0]), "This person is among their own partners"),
        (
            replace(first, partners=((rows[0][0], *client._public), *rows[1:])),
            "This person is among their own partners",
        ),
        (SumSurvivors(ID, 6, ()), "not the next message"),
        (SumKeys(ID, ticket(0), "1" * 64, "2" * 64, "3" * 64), "not the next message"),
    ]
    for message, why in wrong:
        with pytest.raises(Refused, match=why):
            client.answer(message)
    replies = sum_.step(replies)
    second = replies[ticket(0)]
    assert isinstance(second, SumInbox)
    with pytest.raises(Refused, match="2 partners who shared"):
        client.answer(replace(second, boxes=second.boxes[:2]))
    with pytest.raises(Refused, match="belongs to no partner"):
        client.answer(replace(second, boxes=(*second.boxes, (99, second.boxes[0][1]))))
    replies = sum_.step(replies)
    third = replies[ticket(0)]
    assert isinstance(third, SumSurvivors)
    with pytest.raises(Refused, match="4 vectors; at least 5 are needed"):
        client.answer(replace(third, partners=third.partners[:3]))
    with pytest.raises(Refused, match="belongs to no partner"):
        client.answer(replace(third, partners=((99,),)))
    sum_.step(replies)
    with pytest.raises(Refused, match="not the next message"):
        client.answer(third)


@pytest.mark.parametrize(("partners", "told"), [(6, 3), (4, 4)], ids=["everybody", "some"])
def test_a_client_counts_those_who_answered_itself_if_it_can(partners: int, told: int) -> None:
    """A server that says more than there are is believed only by those who know a part of all people."""
    sum_ = Sum(terms(6, minimum=5, partners=partners), vectors(6, 3))
    replies = sum_.step(sum_.step(sum_.begin()))
    message = replies[ticket(0)]
    assert isinstance(message, SumSurvivors)
    lie = replace(message, answered=6, partners=message.partners[:3])
    if told == 3:
        with pytest.raises(Refused, match="4 vectors; at least 5 are needed"):
            sum_.clients[ticket(0)].answer(lie)
    else:
        with pytest.raises(Refused, match="4 vectors; at least 5 are needed"):
            sum_.clients[ticket(0)].answer(replace(message, answered=4))
        sum_.clients[ticket(0)].answer(lie)


def share_keys(one: SumClient, other: SumClient) -> set[int]:
    """Two tickets of one person: they refuse each other, and nobody else does. Returns who drops out."""
    other._box_keys, other._mask_keys = one._box_keys, one._mask_keys
    return {0, 1}


def have_one_key(one: SumClient, other: SumClient) -> set[int]:
    """A person whose keys are one, who goes on to the end."""
    one._box_keys = one._mask_keys
    return set()


@pytest.mark.parametrize("planted", [share_keys, have_one_key])
def test_keys_of_one_person_silence_nobody(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the check of the server, partners go on, and the round ends with the right sum."""
    people = vectors(7, 3)
    sum_ = Sum(terms(7, minimum=5), people)
    monkeypatch.setattr(SumServer, "_check_unused", lambda self, box, mask: None)
    gone = planted(sum_.clients[ticket(0)], sum_.clients[ticket(1)])
    replies = sum_.begin()
    for number in gone:
        with pytest.raises(Refused, match="This person is among their own partners"):
            sum_.clients[ticket(number)].answer(replies[ticket(number)])
    for without in (gone, NOBODY, NOBODY):
        replies = sum_.step(replies, without)
    found, there = sum_.server.close(), [vector for number, vector in enumerate(people) if number not in gone]
    assert (found.answered, found.sums) == (len(there), tuple(np.sum(there, axis=0).tolist()))


@pytest.mark.parametrize("wrong", ["seed", "key", "no secret"])
def test_a_wrong_share_opens_nothing(wrong: str) -> None:
    """Of a seed, of a key of masks, or one that gives no secret at all: the sum would be garbage."""
    sum_ = Sum(terms(6, minimum=5), vectors(6, 3))
    replies = sum_.step(sum_.begin())
    numbers = dict(sum_.server._numbers)
    replies = sum_.step(replies, {5} if wrong == "key" else NOBODY)
    messages = [sum_.clients[name].answer(message) for name, message in replies.items()]
    target = numbers[ticket(5 if wrong == "key" else 1)]
    for message in messages:
        assert isinstance(message, SumUnmask)
        shares = dict(message.shares)
        if target in shares:
            shares[target] = "f" * 66 if wrong == "no secret" else f"{int(shares[target], 16) ^ 1:066x}"
        sum_.server.add(replace(message, shares=tuple(shares.items())))
    with pytest.raises(Refused, match=r"A share is wrong: nothing is opened\. Fix: "):
        sum_.server.close()
    assert not any(sum_.server._received)


def test_a_commitment_is_to_one_seed_of_one_round() -> None:
    one, other = bytes(32), b"\x01" * 32
    assert len({commitment(one, ID), commitment(other, ID), commitment(one, "f" * 32)}) == 3


def test_boxes_that_are_broken_are_nobody_elses_fault() -> None:
    """A partner who sends rubbish instead of shares cannot stop others."""
    people = vectors(6, 3)
    sum_ = Sum(terms(6), people)
    replies = sum_.begin()
    for name, message in replies.items():
        answer = sum_.clients[name].answer(message)
        assert isinstance(answer, SumShares)
        broken = ((answer.boxes[0][0], "AAAA"), *answer.boxes[1:])
        sum_.server.add(replace(answer, boxes=broken) if name == ticket(0) else answer)
    replies = sum_.server.advance()
    for _ in range(2):
        replies = sum_.step(replies)
    assert sum_.server.close().sums == tuple(np.sum(people, axis=0).tolist())


def test_replies_are_in_the_order_in_which_people_came() -> None:
    """In the order of the ring, a transport that loses the last ones would lose neighbours: too many of one person."""
    sum_ = Sum(terms(40, partners=6), vectors(40, 3))
    assert list(sum_.begin()) == [ticket(number) for number in range(40)]
    assert [sum_.server._numbers[ticket(number)] for number in range(40)] != list(range(40))
