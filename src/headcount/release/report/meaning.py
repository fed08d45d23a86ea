"""What the numbers of a report are: which values, which intervals, and how often these may miss."""

from headcount.release.columns import measures
from headcount.release.report.facts import Facts
from headcount.release.report.limits import measured_limits
from headcount.release.views import view_of
from headcount.wording import sentence

TRUE = "The intervals are for the true values, which anyone with all rows could compute."
MISSES = 20
"""One interval in this many may miss."""
NOT_PROVED = (
    "Each interval by itself should hold in about 19 of 20 cases. That was measured on other tables, not proved, so "
    "more of them may miss in this one."
)


def meaning(facts: Facts) -> list[str]:
    """Sentences above the numbers."""
    about = facts.about
    interval = TRUE if about.estimand == "true" else sentence(about.interval)
    return [
        *([f"{view_of(about).preface}{interval} {_misses(facts)}"] if about.interval else []),
        *about.steps_of("interval", "measured interval", "uncut interval"),
        *([measured_limits(facts)] if facts.is_measured else []),
        about.unseen,
        _per_row(facts),
    ]


def _misses(facts: Facts) -> str:
    """How many of all intervals may miss, as each holds by itself; not a number if that is measured and not proved."""
    if facts.about.steps_of("measured interval"):
        return NOT_PROVED
    count = facts.table.num_rows * len(measures(facts.table, facts.about))
    few = "one or two" if count < 2 * MISSES else f"about {round(count / MISSES):,}"
    missed = f": of these {count:,}, {few} may miss" if count > 1 else ""
    return f"Each interval by itself holds in about 19 of 20 cases{missed}."


def _per_row(facts: Facts) -> str:
    """That a mean is one of rows."""
    of_rows = [name for name in facts.table.column_names if name.startswith("mean(") and name.endswith(")")]
    listed = " and ".join(of_rows)
    verb = "is" if len(of_rows) == 1 else "are"
    return f"{listed} {verb} per row: a person with many rows counts many times." if of_rows else ""
