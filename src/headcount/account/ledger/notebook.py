"""A ledger as a notebook shows it: the budget, what was spent, and the last charges."""

from collections.abc import Sequence

from headcount.account.guarantee import Cost
from headcount.exact import written
from headcount.wording import counted_noun
from headcount.wording.markup import card, table, text

LAST = 5
"""Charges that are shown."""
COLUMNS = ("when", "what", "dataset", "epsilon", "delta", "release")
ChargeRow = tuple[str, str, str, Cost, str]
"""Day, title, dataset, cost, and how far its release is."""


def view(name: str, serves: bool, budget: Cost, spent: Cost, charges: Sequence[ChargeRow], head: str) -> str:
    """Budget, spent, left; the last charges, the newest first; the head."""
    left = Cost(budget.epsilon - spent.epsilon, budget.delta - spent.delta)
    amounts = [(label, *_amounts(cost)) for label, cost in (("budget", budget), ("spent", spent), ("left", left))]
    earlier = len(charges) - LAST
    more = f"<p><small>... and {counted_noun(earlier, 'earlier charge')}</small></p>" if earlier > 0 else ""
    others = ", serves others" if serves else ""
    share = float(spent.epsilon / budget.epsilon)
    return card(
        f"<p><b>Ledger {text(name)}</b>: {counted_noun(len(charges), 'charge')}{others}</p>\n"
        f'<meter min="0" max="1" value="{share:.4f}" aria-label="part of epsilon that was spent">{share:.0%}</meter>\n'
        f"{table(('', 'epsilon', 'delta'), amounts, (False, True, True))}\n{_charges(charges)}{more}\n"
        f"<p><small>head {text(head)}</small></p>"
    )


def _charges(charges: Sequence[ChargeRow]) -> str:
    rows = [
        (day, title, dataset, *_amounts(cost), state) for day, title, dataset, cost, state in reversed(charges[-LAST:])
    ]
    return table(COLUMNS, rows, [name in ("epsilon", "delta") for name in COLUMNS]) if rows else ""


def _amounts(cost: Cost) -> tuple[str, str]:
    return written(cost.epsilon), written(cost.delta)
