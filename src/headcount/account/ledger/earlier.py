"""Which of the earlier charges for the same request answers it: one rule for whoever holds the data, one for a ledger
that serves others.

The holder of the data learns if they changed since (`DataChanged`). Whoever is only served must not: that is an exact
bit about one person. So when a ledger serves others, what was sealed comes back whatever the data are now, and
a charge that was never finished is refused whatever they are: its secret may be used for the data that it was charged
for, and for no others, and whether these are the same data must not show.
"""

import logging
from collections.abc import Callable, Sequence

from headcount.account.ledger import pending
from headcount.account.ledger.key import KeyedData
from headcount.account.ledger.record.history import ChargeRecord, History
from headcount.account.ledger.stores.store import Store
from headcount.errors import BadParameter, NotFinished

LOG = logging.getLogger("headcount")
"""The operator's log. What it says is for the operator alone: it tells if data changed."""

Look = Callable[[], bytes]
"""Looks at the data, and returns bytes that stand for them."""
Known = tuple[bytes | None, bytes | None]
"""Bytes that stand for the data, and for their rows, as far as they are given and needed."""
Find = Callable[[History, Sequence[ChargeRecord], KeyedData], ChargeRecord | None]
"""Finds the charge that answers a request, among those for the same request: pending before sealed, oldest first."""


def newest(history: History, charges: Sequence[ChargeRecord], data: KeyedData) -> ChargeRecord | None:
    """Newest charge for the same data, preferring a sealed one to one that was never finished."""
    same = [each for each in charges if data.is_of(each) or (data.has_rows_of(each) and not history.is_pending(each))]
    if charges and not same:
        raise data.changed(charges)
    return same[-1] if same else None


def unfinished(history: History, charges: Sequence[ChargeRecord], data: KeyedData) -> ChargeRecord | None:
    """Newest charge for the same data that can still be finished: an interrupted new draw is not paid for twice."""
    same = (each for each in reversed(charges) if history.is_pending(each) and data.is_of(each))
    return next((each for each in same if pending.find(data.store, each)), None)


def served(history: History, charges: Sequence[ChargeRecord], data: KeyedData) -> ChargeRecord | None:
    """Newest charge that was sealed, whatever its data; refused if there are only others."""
    sealed = [each for each in charges if not history.is_pending(each)]
    if charges and not sealed:
        raise NotFinished(
            "this request was charged, and its release is not finished. Nothing was drawn, nothing was spent.",
            fix="ask again later; if it was interrupted, whoever runs the ledger can finish it, with serves=False",
        )
    return sealed[-1] if sealed else None


def check_again(serves: bool, again: bool, store: Store) -> None:
    """Refuse a new draw through a ledger that serves others."""
    if serves and again:
        raise BadParameter(
            "again=True: only whoever runs the ledger draws again, and this one serves others. Nothing was spent.",
            fix=f'again=False; to draw again, open it as its operator: Ledger("{store.name}", serves=False)',
        )


def log_if_stale(store: Store, request: str, charge: ChargeRecord, data: Look | None) -> None:
    """Tell the operator if a sealed release that is served is not about the data as they are now. The data are looked
    at only if the operator listens, and even if that fails, the answer is the same. Rows of a file with other bytes are
    not compared: the time that takes would tell whoever asks that the file changed."""
    if data is None or not LOG.isEnabledFor(logging.INFO):
        return
    try:
        known = KeyedData.of(store, request, data())
        if not known.is_of(charge):
            LOG.info("%s: row %d is served, and the data are not those of its charge.", store.name, charge.number)
    except Exception as error:
        LOG.info(
            "%s: row %d is served; the data cannot be compared (%s).", store.name, charge.number, type(error).__name__
        )
