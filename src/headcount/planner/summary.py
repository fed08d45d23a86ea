"""A plan as text and as HTML."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.errors import visible
from headcount.job import PRIVACY
from headcount.planner.explanation import Outlook
from headcount.wording import sentence, wrapped
from headcount.wording.markup import card, facts, folded_steps, text

UNREAD = "This plan read only the schema and spent nothing."
SQL = "SQL of the view, as it is run"


@dataclass(frozen=True)
class Summary:
    """Printed form of a plan."""

    outlook: Outlook
    hints: Sequence[str]

    def text(self, spell: Callable[[str], str]) -> str:
        """Wrapped lines; `spell` writes the parameters in forecast and hints in the spelling of the reader."""
        lines = [
            wrapped(visible(f"{self._what}, from {self.outlook.dataset}")),
            "",
            *(wrapped(visible(spell(words)), f"  {label:<7} ") for label, words in self._facts),
            "",
            *(wrapped(visible(step), f"  {number}. ") for number, step in enumerate(self._steps, 1)),
            "",
            *([f"{SQL}:", wrapped(visible(self._sql), "  "), ""] if self._sql else []),
            UNREAD,
        ]
        return "\n".join(lines)

    def html(self) -> str:
        """A card for a notebook."""
        return card(
            f"<p><b>Plan: {text(self._what)}</b>, from {text(self.outlook.dataset)}</p>\n"
            f"{facts(self._facts)}\n{folded_steps(self._steps)}\n"
            f"{_folded_sql(self._sql)}"
            f"<p><small>{UNREAD}</small></p>"
        )

    @property
    def _what(self) -> str:
        return self.outlook.job.title()

    @property
    def _sql(self) -> str:
        """The SQL of a view that was checked; empty if the data are none."""
        return self.outlook.certificate.sql if self.outlook.certificate else ""

    @property
    def _steps(self) -> list[str]:
        return [step.text for step in self.outlook.steps]

    @property
    def _facts(self) -> list[tuple[str, str]]:
        """Lines with a label: cost, expected error, what appears, the guarantee, and hints."""
        job, strategy, cost = self.outlook.job, self.outlook.strategy, self.outlook.cost
        price = f"epsilon {float(cost.epsilon):g}, delta {float(cost.delta):g}"
        forecast = strategy.forecast(job.item, job.unit)
        expected, beware = ([line for line in forecast if (line[0] == "beware") is warns] for warns in (False, True))
        promise = ("promise", sentence(self.outlook.guarantee.removeprefix(PRIVACY)))
        large = [("large", words)] if (words := strategy.on_large_amounts) else []
        return [("cost", price), *expected, *large, promise, *beware, *(("beware", hint) for hint in self.hints)]


def _folded_sql(sql: str) -> str:
    return f"<details><summary>{SQL}</summary><pre>{text(sql)}</pre></details>\n" if sql else ""
