"""Examples at the end of the help: commands that run as they are, on a table of visits."""

from collections.abc import Sequence

GENERAL = (
    "headcount demo",
    "headcount histogram visits.parquet --user user --by song --epsilon 1 --dry-run",
    "headcount ledger new visits.db --epsilon 3 --delta 1e-5",
)
"""Those of the help of all commands."""


def examples_of(name: str) -> list[str]:
    """The commands that a job has as examples."""
    from headcount.job import Job
    from headcount.jobs.registry import FUNCTIONS

    job = Job.kind(FUNCTIONS[name].__name__)
    return [f"headcount {name.replace('_', '-')} visits.parquet {options}" for options in job.examples]


def epilog(examples: Sequence[str]) -> str:
    """Examples, a paragraph each, which Typer prints as lines; empty if there are none."""
    return "\n\n".join(["Examples:", *(f"  {example}" for example in examples)]) if examples else ""
