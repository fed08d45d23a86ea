"""The ledger as it is given: an object, or the path of its file."""

from typing import Any

from headcount.account.ledger.ledger import Ledger
from headcount.errors import BadParameter
from headcount.wording.typed import path_of

EXAMPLE = 'ledger="visits.db", or ledger=hc.Ledger("visits.db")'


def given_ledger(ledger: Any) -> Ledger | None:
    """Return the ledger, opened; None if none is given."""
    if ledger is None or isinstance(ledger, Ledger):
        return ledger
    path = path_of("ledger", ledger, EXAMPLE)
    if path.is_dir():
        raise BadParameter(f"ledger={str(path)!r}: a folder.", fix=f'ledger="{path / "visits.db"}"')
    return Ledger(path)
