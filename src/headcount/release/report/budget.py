"""What a ledger adds to a report: date, budget, the charges up to this release, and the odds for all of them together.
Everything was fixed at the charge, so the report stays the same."""

from headcount.account import Cost
from headcount.account.ledger.entry import Entry
from headcount.exact import written
from headcount.release.report.facts import Facts
from headcount.release.report.promise import odds_of, percent, promise_of
from headcount.wording import counted_noun

NOT_CHARGED = "not charged to a ledger"
NOT_HERE = "charged to a ledger that this report was made without"
MIXED = "These charges are for different kinds of neighbours: they do not add up, and the total holds for none of them."
MOST_LISTED = 20
"""Charges that a report lists: the last ones."""
COLUMNS = ("charge", "date (UTC)", "what", "dataset", "epsilon", "delta")


def missing_ledger(facts: Facts) -> str:
    """What to do if a release was charged to a ledger, and its report does not have it; else empty."""
    if facts.entry or not facts.about.head:
        return ""
    return (
        "This release was charged to a ledger, and this report was made without it: its date, its budget and the "
        "other releases are missing here. Make the report with the ledger: release.report(..., ledger=\"the ledger's "
        'file").'
    )


def charged_on(facts: Facts) -> str:
    """When it was charged, and to what."""
    if facts.entry is None:
        return f"not recorded: {NOT_HERE if facts.about.head else NOT_CHARGED}"
    return f"{facts.entry.at}, row {facts.entry.number} of {facts.entry.ledger}"


def budget(facts: Facts) -> str:
    """Spending up to that release, and the rest of the budget."""
    entry = facts.entry
    if entry is None:
        return f"not known: {NOT_HERE if facts.about.head else NOT_CHARGED}"
    spent, left = described(entry.spent), described(entry.left)
    return (
        f"spent {spent}; left {left}: enough for {_repeats(entry)} more at this price, such as next month's. This is "
        f"right after the charge; {entry.ledger} knows what came later."
    )


def _repeats(entry: Entry) -> str:
    """How many more charges like this one the rest of the budget allows."""
    price, left = entry.up_to[-1].cost, entry.left
    parts = ((price.epsilon, left.epsilon), (price.delta, left.delta))
    times = min((rest // each for each, rest in parts if each), default=0)
    return f"{times:,}" if times else "none"


def described(cost: Cost) -> str:
    """A cost in words."""
    return f"epsilon {written(cost.epsilon)}, delta {written(cost.delta)}"


def together(facts: Facts) -> list[str]:
    """The odds for all charges up to this one, and for the whole budget, beside those of this release alone."""
    entry = facts.entry
    if entry is None:
        return []
    if not entry.adds_up:
        return [MIXED]
    first = entry.spent if len(entry.up_to) > 1 else None
    count = f"Everything charged to {entry.ledger} so far, this release included ({len(entry.up_to)} charges)"
    return [
        *([_beliefs(facts, count, first)] if first else [f"It is the first charge to {entry.ledger}."]),
        _beliefs(facts, "The whole budget, if it is all spent one day", entry.budget),
    ]


def _beliefs(facts: Facts, what: str, cost: Cost) -> str:
    """What beliefs can become at a cost."""
    promise = promise_of(facts, cost)
    half, rare = percent(promise.belief(0.5)), percent(promise.belief(0.01))
    but = f", but for a chance of {odds_of(promise.delta)}" if promise.delta else ""
    return f"{what}: {described(cost)}. Then 50% can become at most {half}, and 1% at most {rare}{but}."


def charges(entry: Entry) -> list[tuple[str, ...]]:
    """The charges up to this one, the last first, as rows of a table."""
    last = entry.up_to[: -MOST_LISTED - 1 : -1]
    return [
        (
            f"row {each.number}{', this release' if each is entry.up_to[-1] else ''}",
            *(each.at[:10], each.title, each.dataset, written(each.cost.epsilon), written(each.cost.delta)),
        )
        for each in last
    ]


def composition(facts: Facts) -> str:
    """What this release adds up with."""
    entry = facts.entry
    if entry is None and facts.about.head:
        return "Charged to a ledger, which this record was made without: other releases are not known here."
    if entry is None:
        return "Not charged to a ledger: other releases are not known here."
    count = f"{counted_noun(len(entry.up_to), 'charge')} to one ledger, this release included"
    total = f"epsilon {written(entry.spent.epsilon)} of {written(entry.budget.epsilon)}"
    return f"{count}, add up to {total}. What exceeds the budget is refused."
