"""A sealed release as its ledger knows it. All of this was fixed at the charge: later charges do not change it."""

from dataclasses import dataclass
from fractions import Fraction

from headcount.account.guarantee import Cost
from headcount.account.ledger.ledger import Ledger
from headcount.account.ledger.spend import Spend
from headcount.account.relation import RELATIONS
from headcount.errors import NotSealed


@dataclass(frozen=True)
class Entry:
    """The charge of a release, and the budget right after it."""

    ledger: str
    """The ledger's name."""
    number: int
    """The row of the charge or, if a part of a charge was released, of that part."""
    at: str
    """Time of the charge."""
    up_to: tuple[Spend, ...]
    """All charges up to this one, which is the last."""
    budget: Cost
    spent: Cost
    """The sum of all charges up to this one."""

    @property
    def adds_up(self) -> bool:
        """False if charges are for different neighbouring relations: then their sum holds for none."""
        relations = {spend.neighbours for spend in self.up_to}
        return len(relations) == 1 and relations <= {*RELATIONS}

    @property
    def analyst(self) -> str:
        """Who made the charge, as stated; empty if nobody said."""
        return self.up_to[-1].analyst

    @property
    def purpose(self) -> str:
        """What the release is for, as stated; empty if nobody said."""
        return self.up_to[-1].purpose

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
    while before and number not in before[-1].rows:  # of a part: charges between its own and its beginning
        before.pop()
    if not before:
        raise NotSealed(
            f"{ledger.path.name}: it has no charge for this release.", fix="the ledger that it was charged to"
        )
    spent = Cost(*(sum((getattr(each.cost, part) for each in before), Fraction(0)) for part in ("epsilon", "delta")))
    return Entry(ledger.path.name, number, before[-1].at, tuple(before), ledger.budget, spent)
