"""Rows that a ledger appends: the first, a charge, the beginning of a part, a seal."""

from datetime import UTC, datetime
from secrets import token_hex

from headcount.account.guarantee import Cost
from headcount.account.ledger.charge import Charge
from headcount.account.ledger.record.chain import Row, amount, digest, part_digest
from headcount.account.ledger.record.formats import FORMAT, PARTS_FORMAT, SERVES
from headcount.account.ledger.record.history import ChargeRecord, History
from headcount.account.ledger.record.rows import sha256
from headcount.account.ledger.stores.store import Store
from headcount.errors import LedgerError


def opening_row(store: Store, budget: Cost | None, neighbours: str, serves: bool) -> Row:
    """First row of a new ledger, with its budget; that it serves others is said only if it does."""
    if budget is None:
        raise LedgerError(
            f"{store}: there is no ledger here yet.",
            fix=f'Ledger("{store}", epsilon=3, delta=1e-5), or: headcount ledger new {store} --epsilon 3 --delta 1e-5',
        )
    body = {"format": FORMAT, "id": token_hex(16), "neighbours": neighbours, **amount(budget)}
    body |= {"serves": SERVES} if serves else {}
    return Row.after(None, kind="open", request="", reserved=None, body=body)


def charge_row(history: History, charge: Charge, fields: dict[str, str]) -> Row:
    """Row of a new charge, with further fields. It names its format, as the ledger may be of an earlier one."""
    after = Cost(history.spent.epsilon + charge.cost.epsilon, history.spent.delta + charge.cost.delta)
    own_format = PARTS_FORMAT if charge.parts else FORMAT
    body = {"format": own_format, "at": _now(), **fields, **charge.body(), **amount(after, "spent_")}
    return Row.after(history.last, kind="reserve", request=digest(body), reserved=None, body=body)


def part_row(history: History, request: str, charge: ChargeRecord, name: str, fields: dict[str, str]) -> Row:
    """Row that begins a part of a charge, whose digest is `request`: its price is in the charge."""
    own = {"charge": str(charge.number), "part": name}
    body = {"at": _now(), **own, **fields, **amount(history.spent, "spent_")}
    return Row.after(history.last, kind="part", request=part_digest(request, name), reserved=None, body=body)


def seal_row(history: History, reserved: Row, content: bytes) -> Row:
    """Row that seals a charge, or a part of one, with its release."""
    body = {"sha256": sha256(content), **amount(history.spent, "spent_")}
    return Row.after(history.last, kind="seal", request=reserved.request, reserved=reserved.number, body=body)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
