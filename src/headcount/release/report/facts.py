"""What a report is made of. The plan inside a release is untrusted text that was parsed: whatever it holds, a fact that
is missing or odd is left out, and the report says so."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from headcount.account.entry import Entry
from headcount.account.events import from_json
from headcount.release.about import About
from headcount.release.measures import measures
from headcount.source.derived import ITEMS, WHAT

RELATIONS = ("add-remove", "replace")
PEOPLE = "people"
"""The metric that counts people."""
MOST_LISTED = 5
"""Elements of a list that a report quotes."""


@dataclass(frozen=True)
class People:
    """How many people there are, as far as that is public."""

    count: int
    origin: str
    """Where the number comes from, as a clause."""
    at_least: bool = False
    """True if there may be more."""
    roughly: bool = False
    """True if some may be counted several times, or not at all."""

    def __str__(self) -> str:
        return f"{'at least ' if self.at_least else 'about ' if self.roughly else ''}{self.count:,}"

    @property
    def is_exact(self) -> bool:
        """True if it is the number of people, but for noise."""
        return not (self.at_least or self.roughly)


@dataclass(frozen=True)
class Facts:
    """A release, and what is known about how it was made."""

    table: pa.Table
    about: About
    findings: tuple[str, ...]
    """Sentences that stand before the rows."""
    digest: str
    """SHA-256 of the release's bytes."""
    entry: Entry | None
    """The charge in a ledger; None if no ledger is given."""

    @cached_property
    def plan(self) -> dict[str, Any]:
        """The plan; empty if there was none."""
        plain = json.loads(self.about.plan or "{}")
        return plain if isinstance(plain, dict) else {}

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the job; those of plans before format 7 are in `question`."""
        found = self.plan.get("parameters", self.plan.get("question"))
        return found if isinstance(found, dict) else {}

    @property
    def user(self) -> str:
        """The column that tells people apart; empty if there was no plan."""
        return self._text("user")

    @property
    def neighbours(self) -> str:
        """The neighbouring relation; empty if it is not known."""
        found = self._text("neighbours")
        same_size = found == "replace" and self.parameters.get("sizes") == "public"
        return "replace-same-size" if same_size else found if found in RELATIONS else ""

    @property
    def is_central(self) -> bool:
        """True if one party held all rows; other releases have no plan."""
        return bool(self.plan)

    @property
    def is_measured(self) -> bool:
        """True if statistics of groups were measured, with a limit for each: docs/proofs/groups.md."""
        return self.about.proof.endswith("proofs/groups.md")

    @property
    def stated(self) -> str:
        """The sentence that states the guarantee; releases without a plan say no more about it."""
        return self.about.guarantee or "The guarantee is not recorded."

    @property
    def analyst(self) -> str:
        """Who made the charge, as stated; empty if that is not known."""
        return self.entry.analyst if self.entry else ""

    @property
    def purpose(self) -> str:
        """What the release is for, as stated; empty if that is not known."""
        return self.entry.purpose if self.entry else ""

    @property
    def event_names(self) -> list[str]:
        """The kinds of privacy events, each once, in order."""
        return list(dict.fromkeys(event.name for event in from_json(self.about.events)))

    @property
    def hides_some(self) -> bool:
        """True if only items above a threshold are shown."""
        return any("threshold" in name for name in self.event_names)

    @property
    def public_parameters(self) -> dict[str, str]:
        """Parameters that would not be covered if they had been taken from the data, as text."""
        names = ("bound", "keys", "bins", "range", "edges", "ranges", "where", "grid")
        given = {name: self.parameters.get(name) for name in names}
        return {name: _brief(value) for name, value in given.items() if value and value != "auto"}

    @cached_property
    def people(self) -> People | None:
        """The number of people: public, released with noise, or at least that of the largest count."""
        given = self.parameters.get("people")
        if isinstance(given, int) and not isinstance(given, bool) and given > 0:
            return People(given, "a public number, as given")
        counted = PEOPLE_BY_VIEW.get(self.about.view, _largest)(self)
        return counted if counted and counted.count > 0 else None

    def _text(self, name: str) -> str:
        found = self.parameters.get(name)
        return found if isinstance(found, str) else ""


def _brief(value: Any) -> str:
    """A parameter on one line; a long list by its length."""
    if isinstance(value, list) and len(value) > MOST_LISTED:
        return f"a list of {len(value):,}"
    if isinstance(value, list):
        value = [each[0] if isinstance(each, list) and len(each) == 1 else each for each in value]
    return json.dumps(value, ensure_ascii=False)


def _counts_people(about: About) -> bool:
    """True if values are numbers of people; the unit of a sum is its column, whatever that is called."""
    return about.value == "count" and about.unit == "people"


def _total(facts: Facts) -> People | None:
    """The released total, if it is one of all people."""
    if not _counts_people(facts.about) or facts.parameters.get("where"):
        return _largest(facts)
    return People(facts.table["count"][0].as_py(), "the released total, with noise")


def _profiled(facts: Facts) -> People | None:
    """The sum of a profile's bins, each with noise."""
    items = facts.table.filter(pc.equal(facts.table[WHAT], ITEMS))
    return People(pc.sum(items["count"]).as_py() or 0, "the sum of the released profile, with noise")


def _grouped(facts: Facts) -> People | None:
    """The people of all groups that are shown, added up."""
    counted = [measure.name for measure in measures(facts.table, facts.about)]
    if PEOPLE not in counted or not facts.table.num_rows:
        return None
    origin = "the groups shown, added up, with noise; a person in several groups counts several times"
    return People(round(pc.sum(facts.table[PEOPLE]).as_py()), origin, roughly=True)


def _largest(facts: Facts) -> People | None:
    """Where people are counted, there are no fewer than the largest count's lower end."""
    ends = [measure.low for measure in measures(facts.table, facts.about)]
    if not _counts_people(facts.about) or not ends or not facts.table.num_rows:
        return None
    return People(int(pc.max(facts.table[ends[0]]).as_py()), "the lower end of the largest released count", True)


PEOPLE_BY_VIEW: dict[str, Callable[[Facts], People | None]] = {
    "aggregate": _grouped,
    "total": _total,
    "profile": _profiled,
    "quantiles": lambda facts: None,
}
"""How the number of people follows from a release, by view; else by `_largest`."""
