"""Suggestions for commands and options that do not exist."""

from collections.abc import Collection
from difflib import get_close_matches
from typing import Any

from typer.core import TyperGroup

COMMANDS = {
    "plan": "--dry-run shows the plan: headcount histogram visits.csv ... --dry-run",
    "dry-run": "--dry-run shows the plan: headcount histogram visits.csv ... --dry-run",
    "simulate": 'it is Python only: hc.simulate("histogram", data, ...)',
    "load": 'it is Python only: hc.load("release.parquet")',
    "create": "headcount ledger new",
    "init": "headcount ledger new",
    "add": "headcount ledger new",
    "list": "headcount ledger show",
    "mean": "headcount aggregate ... --metric 'mean(x)'",
    "average": "headcount aggregate ... --metric 'mean(x)'",
    "sum": "headcount total ... --sum x",
    "median": "headcount quantiles ... --q 0.5",
    "count": "headcount histogram ... --by word, or headcount total",
    "help": "headcount --help",
    "version": "headcount --version",
}
"""What to type instead of other words, in the command or a group."""
OPTIONS = {"--n": "--k", "--group-by": "--by", "--groupby": "--by", "--filter": "--where", "--output": "--out"}
"""What other tools call an option."""


class SuggestingGroup(TyperGroup):
    """A group of commands that says which one was probably meant."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that was typed."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            _refuse(ctx, args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)


def _refuse(ctx: Any, typed: str, known: Collection[str]) -> None:
    near = get_close_matches(typed.replace("_", "-"), known, n=1)
    meant = f"did you mean {ctx.command_path} {near[0]}?" if near else COMMANDS.get(typed, f"one of {', '.join(known)}")
    ctx.fail(f"No such command {typed[:60]!r}. Fix: {meant}")


def options_meant(typed: str, known: Collection[str]) -> list[str]:
    """The options that were probably meant: by another name, by their beginning, or by their letters."""
    if OPTIONS.get(typed) in known:
        return [OPTIONS[typed]]
    return [each for each in known if each.startswith(typed)] or get_close_matches(typed, known, n=1)
