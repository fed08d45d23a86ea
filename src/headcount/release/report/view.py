"""The certificate of a view on the page: its tables, the rules that were needed, and the SQL as it was run.

It comes from the plan in a release, which anyone may have written: parts of another form are left out.
"""

from html import escape
from typing import Any

from headcount.release.report.facts import Facts
from headcount.release.report.proofs import located
from headcount.wording.markup import text

PROOF = "docs/proofs/views.md"


def view_section(facts: Facts) -> str:
    """What was proved, as HTML; empty if the data were no view."""
    view = facts.plan.get("view")
    if not isinstance(view, dict):
        return ""
    parts = [
        _listed("Tables", _tables(view)),
        _listed("Rules that its steps needed", _rules(_mapping(view, "steps"))),
        _listed("You promise", _promises(facts)),
        f"<p>Proof: {text(located(PROOF, facts.about.version))}</p>",
        f"<p>The SQL as it was run:</p><pre>{escape(str(view.get('sql', '')))}</pre>",
        _program(view.get("program")),
    ]
    return "\n".join(filter(None, parts))


def _program(program: Any) -> str:
    """The text of the file that defines the view."""
    return f"<p>The program that defines it:</p><pre>{escape(program)}</pre>" if isinstance(program, str) else ""


def _tables(view: dict[str, Any]) -> list[str]:
    links, public = _mapping(view, "links"), view.get("public")
    private = [
        f"{name}: private, linked by {column} to {links[f'{name}.{column}']}"
        if f"{name}.{column}" in links
        else f"{name}: private, people by {column}"
        for name, column in _mapping(view, "private").items()
    ]
    return [*private, *(f"{name}: declared public" for name in (public if isinstance(public, list) else []))]


def _rules(steps: dict[str, Any]) -> list[str]:
    """The rules, with how often each was needed."""
    counted = [f"{rule} ({count} times)" if count != 1 else rule for rule, count in steps.items()]
    return counted or ["none: every value is a function of one row"]


def _promises(facts: Facts) -> list[str]:
    start = "You promise: "
    return [step.removeprefix(start) for step in facts.about.steps if step.startswith(start)]


def _mapping(view: dict[str, Any], name: str) -> dict[str, Any]:
    found = view.get(name)
    return found if isinstance(found, dict) else {}


def _listed(title: str, lines: list[str]) -> str:
    return f"<p>{text(title)}:</p><ul>{''.join(f'<li>{text(line)}</li>' for line in lines)}</ul>" if lines else ""
