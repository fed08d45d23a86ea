"""Groups of options in the help of a job's command: what is counted, what it costs, where it goes, and the rest."""

from collections.abc import Iterable
from inspect import Parameter
from typing import Any

from typer.core import TyperCommand

WHAT, PRIVACY, OUTPUT, ADVANCED = "What", "Privacy", "Output", "Advanced"
PANELS = {
    WHAT: (
        *("user", "by", "value", "metrics", "k", "q", "range", "ranges", "edges", "count", "sum", "target", "keys"),
        *("keys_file", "bins", "per", "dates", "where", "share"),
    ),
    PRIVACY: (
        "epsilon",
        "delta",
        "target_error",
        "bound",
        "neighbours",
        "ledger",
        "analyst",
        "purpose",
        "serves",
        "again",
        "dataset",
    ),
    OUTPUT: ("out", "as_json", "dry_run"),
}
"""Options by panel, in the order in which they are listed; all others are advanced."""
PLACES = {name: (panel, place) for panel, names in PANELS.items() for place, name in enumerate(names)}
ORDER = (WHAT, PRIVACY, OUTPUT, ADVANCED)


class JobCommand(TyperCommand):
    """A command whose `--help` stands among the options of its output."""

    def get_help_option(self, ctx: Any) -> Any:
        """The option of this help."""
        option: Any = super().get_help_option(ctx)
        if option is not None:
            option.rich_help_panel = OUTPUT
        return option


def panel_of(option: Parameter) -> str:
    """The panel of an option."""
    return PLACES.get(option.name, (ADVANCED, 0))[0]


def in_panels(options: Iterable[Parameter]) -> list[Parameter]:
    """The options by panel, each marked with its own."""
    ordered = sorted(
        options, key=lambda each: (ORDER.index(panel_of(each)), PLACES.get(each.name, ("", len(PLACES)))[1])
    )
    for each in ordered:
        (option,) = each.annotation.__metadata__
        option.rich_help_panel = panel_of(each)
    return ordered
