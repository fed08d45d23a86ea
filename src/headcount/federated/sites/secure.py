"""Site of many people in secure sums: sends their counts as masked numbers with one share of noise.

Invariants:

- those of a person's client (listed/client.py): promises are checked, rounds are answered once, and up to a total,
  which is that of each of its people; it always takes part; numbers leave under masks alone;
- each person counts for at most `items` items, once each, whatever their rows are;
- a count has at most the round's number of people, whatever the table is, so that no sum wraps. It is cut, and not
  refused: that a site refuses would tell;
- the table is read before the round is noted, so that a table that cannot be read costs nothing. Noise is drawn after.
"""

from typing import Any

import numpy as np

from headcount.exact import Integers, Number
from headcount.federated.listed.client import SecureClient
from headcount.federated.listed.round import SecureRound
from headcount.federated.messages import Refused
from headcount.federated.sites.table import open_table
from headcount.noise import Entropy, SystemEntropy

_SYSTEM = SystemEntropy()


class SecureSite(SecureClient):
    """Site with a table of people.

    >>> import headcount as hc
    >>> SecureSite(hc.example(), user="user", by="song")
    SecureSite()
    """

    __slots__ = ("_table",)

    def __init__(
        self,
        data: Any,
        *,
        user: str,
        by: str,
        epsilon: Number | None = None,
        delta: Number = "1e-5",
        key: bytes | None = None,
        state: str | None = None,
        entropy: Entropy = _SYSTEM,
    ) -> None:
        """Create the site of a table: a path, a frame, an Ibis table, a view, or any other data for `hc.histogram`, or
        `hc.table(data, ...)`.

        user: the column that tells people apart.
        by: the column of items, text or whole numbers.
        epsilon: what each person at this site can lose in all rounds together, or delta; without it, there is no limit.
        key, state: as for `SecureClient`.
        """
        super().__init__((), epsilon=epsilon, delta=delta, key=key, state=state, entropy=entropy)
        self._table = open_table(data, user, by)

    def _counts(self, round_: SecureRound) -> Integers:
        """For each key how many people have it, after each person is held to the round's bound."""
        if round_.sites is None:
            raise Refused("This round is for people who answer by themselves.", fix="publish(..., sites=5)")
        counts = self._table.counts(round_.keys, round_.items, self._entropy.secret())
        return np.minimum(counts, round_.most)
