"""What a report is made of. The plan inside a release is untrusted text that was parsed: whatever it holds, a fact that
is missing or odd is left out, and the report says so."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from headcount.account.events import from_json
from headcount.account.ledger.entry import Entry
from headcount.release.about import About
from headcount.release.people import People
from headcount.release.views import view_of

RELATIONS = ("add-remove", "replace")
MOST_LISTED = 5
"""Elements of a list that a report quotes."""


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
        """True if one party held all rows: the plan of other releases is a round, without parameters, or there is
        none."""
        return bool(self.parameters)

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
        given = self.parameters.get("people", self.plan.get("people"))
        if isinstance(given, int) and not isinstance(given, bool) and given > 0:
            return People(given, "a public number, as given")
        counted = view_of(self.about).people(self.table, self.about, self.parameters)
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
