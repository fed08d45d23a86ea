"""A sealed release as its ledger knows it. All of this was fixed at the charge: later charges do not change it."""

from dataclasses import dataclass
from fractions import Fraction

from headcount.account.guarantee import Cost
from headcount.account.ledger import Ledger
from headcount.errors import NotSealed


@dataclass(frozen=True)
class Entry:
    """The charge of a release, and the budget right after it."""

    ledger: str
    """The ledger's name."""
    number: int
    """The charge's row."""
    at: str
    """Time of the charge."""
    charges: int
    """Number of charges up to this one."""
    budget: Cost
    spent: Cost
    """The sum of all charges up to this one."""
    analyst: str = ""
    """Who made the charge, as stated; empty if nobody said."""
    purpose: str = ""
    """What the release is for, as stated; empty if nobody said."""

    @property
    def date(self) -> str:
        """The day of the charge, as YYYY-MM-DD."""
        return self.at[:10]

    @property
    def left(self) -> Cost:
        """What was left after this charge."""
        return Cost(self.budget.epsilon - self.spent.epsilon, self.budget.delta - self.spent.delta)


def entry_of(ledger: Ledger, head: str, content: bytes) -> Entry:
    """The entry of a release: `head` is the ledger's head after its charge. Raises unless the ledger is sound and
    sealed these bytes."""
    ledger.verify(head or None, content)
    number = int(head.partition(":")[0] or 0)
    before = [spend for spend in ledger.spends() if spend.number <= number]
    if not before or before[-1].number != number:
        raise NotSealed(
            f"{ledger.path.name}: it has no charge for this release.", fix="the ledger that it was charged to"
        )
    spent = Cost(*(sum((getattr(each.cost, part) for each in before), Fraction(0)) for part in ("epsilon", "delta")))
    charge = before[-1]
    about = (ledger.path.name, number, charge.at, len(before), ledger.budget, spent)
    return Entry(*about, analyst=charge.analyst, purpose=charge.purpose)
