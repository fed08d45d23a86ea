"""Groups of options in the help of a job's command: what is counted, what it costs, where it goes, and the rest."""

from collections.abc import Iterable
from inspect import Parameter
from typing import Any

from typer.core import TyperCommand

from headcount.wording.parameter import OUTPUT, PANELS


class JobCommand(TyperCommand):
    """A command whose `--help` stands among the options of its output."""

    def get_help_option(self, ctx: Any) -> Any:
        """The option of this help."""
        option: Any = super().get_help_option(ctx)
        if option is not None:
            option.rich_help_panel = OUTPUT
        return option


def in_panels(options: Iterable[Parameter]) -> list[Parameter]:
    """The options by panel, in each in the order in which they are given."""
    return sorted(options, key=lambda each: PANELS.index(each.annotation.__metadata__[0].rich_help_panel))
