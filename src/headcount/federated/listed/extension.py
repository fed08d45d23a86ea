"""Extensions of prefixes: how a secure sum finds items that are on no list, round by round over a public tree.

A round counts every way in which a known prefix can go on: by characters of a public alphabet up to the length of the
round, or by fewer, if an item ends there. So the list of a round, its candidates, follows from its prefixes alone, and
two people who have the same prefixes have the same places.

An item takes part if it is spelled with the alphabet and has at most as many characters as the last length. All others
are in no count.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise, product
from typing import Annotated

from headcount.errors import BadParameter
from headcount.federated.schema import Record, Text, Whole, Wholes
from headcount.federated.step import MAX_ROUNDS

MAX_CANDIDATES = 2**16
MAX_ALPHABET = 1024
"""Most bytes of an alphabet."""
MAX_CHARACTERS = 1024
"""Most characters of a prefix: with 4 bytes each it is as long as an item can be."""


@dataclass(frozen=True)
class Extension(Record):
    """Place of a secure sum in a series that shares one promise, and how its prefixes go on."""

    number: Annotated[int, Whole(0, MAX_ROUNDS - 1)]
    """Number of the round, from 0 on; there are as many as lengths."""
    lengths: Annotated[tuple[int, ...], Wholes(Whole(1, MAX_CHARACTERS), MAX_ROUNDS)]
    """Number of characters (code points) of the prefixes of each round. Longer items than the last take no part."""
    alphabet: Annotated[str, Text(MAX_ALPHABET)]
    """The characters of which items consist that take part."""
    candidates: Annotated[int, Whole(1, MAX_CANDIDATES)]
    """Most candidates of a round. The promise is for as many in each."""

    rules = (
        "`number` is below the number of `lengths`, which rise; `alphabet` has characters, each once.",
        "In no round one prefix has more than `candidates` extensions.",
    )

    def check(self) -> None:
        """Raise BadParameter for a tree that cannot be walked."""
        if self.number >= self.rounds:
            raise BadParameter(f"number={self.number}: below {self.rounds}.", fix=f"number={self.rounds - 1}")
        if any(longer <= shorter for shorter, longer in pairwise(self.lengths)):
            raise BadParameter(f"lengths={list(self.lengths)}: they must rise.", fix="lengths=[2, 3, 4]")
        if not self.alphabet or len(set(self.alphabet)) < len(self.alphabet):
            raise BadParameter("alphabet: characters are needed, each once.", fix='alphabet="0123456789"')
        for known, length in pairwise((0, *self.lengths)):
            if extensions(len(self.alphabet), length - known) > self.candidates:
                raise BadParameter(
                    f"lengths={list(self.lengths)}: from {known} to {length} characters there are more than "
                    f"{self.candidates:,} candidates for one prefix.",
                    fix="lengths that rise by less, or more candidates=",
                )

    @property
    def rounds(self) -> int:
        """Number of rounds that share the promise."""
        return len(self.lengths)

    @property
    def known_length(self) -> int:
        """Number of characters of the prefixes of which this round counts the extensions."""
        return self.lengths[self.number - 1] if self.number else 0

    @property
    def length(self) -> int:
        """Most characters of a candidate of this round."""
        return self.lengths[self.number]

    @property
    def is_last(self) -> bool:
        """True if every candidate is a whole item."""
        return self.number == self.rounds - 1

    @cached_property
    def of_each(self) -> int:
        """Number of candidates for each known prefix."""
        return self._starts[-1]

    def __str__(self) -> str:
        found = f" of {self.known_length}-character prefixes" if self.number else ""
        return f"{self.number + 1} of {self.rounds}: extensions{found} to at most {self.length:,} characters"

    def spells(self, text: str) -> bool:
        """True if the text has characters of the alphabet alone."""
        return all(character in self._digits for character in text)

    def is_whole(self, candidate: str) -> bool:
        """True if a candidate of this round is an item, and not the beginning of others."""
        return self.is_last or len(candidate) < self.length

    def labels(self, known: Iterable[str]) -> Iterator[str]:
        """The candidates of these prefixes, in their order: those of one prefix by length, then by the alphabet."""
        sizes = range(self.length - self.known_length + 1)
        ends = ["".join(each) for size in sizes for each in product(self.alphabet, repeat=size)]
        return (prefix + end for prefix in known for end in ends)

    def places(self, known: Sequence[str], items: Iterable[str]) -> list[int]:
        """The place of each item's candidate, in the order of the items; none for an item that takes no part."""
        numbers = {prefix: number for number, prefix in enumerate(known)}
        return [
            numbers[item[: self.known_length]] * self.of_each + self._place(item[self.known_length : self.length])
            for item in items
            if item[: self.known_length] in numbers and len(item) <= self.lengths[-1] and self.spells(item)
        ]

    def _place(self, end: str) -> int:
        """The place of what follows a prefix: after all that is shorter."""
        place = 0
        for character in end:
            place = place * len(self.alphabet) + self._digits[character]
        return self._starts[len(end)] + place

    @cached_property
    def _digits(self) -> dict[str, int]:
        return {character: digit for digit, character in enumerate(self.alphabet)}

    @cached_property
    def _starts(self) -> list[int]:
        """The first place of each number of further characters; last, the number of all places."""
        sizes = range(self.length - self.known_length + 1)
        return [0, *accumulate(len(self.alphabet) ** size for size in sizes)]


def extensions(characters: int, longest: int) -> int:
    """Number of texts of at most `longest` of these characters, the empty one among them; just above the most
    candidates there can be if there are more."""
    found, of_length = 1, 1
    for _ in range(longest):
        of_length *= characters
        found += of_length
        if found > MAX_CANDIDATES:
            break
    return found
