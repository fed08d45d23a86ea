"""What one person may add to a release at most, how that was decided, and whether the intervals allow for what it cut.

The limit itself is quoted from the steps of the release, which are the words of its bounding: whatever the mechanism
is, a report says what was done."""

from headcount.release.report.facts import Facts
from headcount.release.views import view_of

PRIVATE = (
    "Limits on what one person may add were chosen from the data, privately, within epsilon. The intervals allow "
    "for what they cut, as far as it can be seen."
)
GIVEN = "Limits on what one person may add were given ({bound}); the intervals do not include what they cut."
CUTS = {
    "bounded": "The intervals do not include what that removes.",
    "modelled": "The intervals include what that removes, if an assumption holds: it stands above the numbers.",
}
"""What intervals make of a limit, by estimand."""
INCLUDED = "The intervals allow for what that removes, as far as it can be seen."
NOTHING_CUT = "Nobody has more than that, so nothing is removed."
LOOKED = "Was that decided without looking at these data?"


def limits(facts: Facts) -> str:
    """Whether contributions are bounded, to what, and what the intervals make of that."""
    step = " ".join(facts.about.steps_of("bounding"))
    if facts.is_measured:
        how = "To find the groups: " if facts.hides_some else ""
        return f"Yes. {measured_limits(facts)} {how if step else ''}{step}".strip()
    if not facts.about.bound:
        return f"No limit on the number of items. {step}".strip()
    return f"Yes. {step or f'To {facts.about.bound:,}, on every person{chr(39)}s own rows.'} {_cut(facts)}".strip()


def measured_limits(facts: Facts) -> str:
    """The limits of statistics of groups: chosen privately, or given."""
    if facts.about.estimand != "bounded":
        return PRIVATE
    return GIVEN.format(bound=facts.public_parameters.get("bound", "bound"))


def _cut(facts: Facts) -> str:
    """What the intervals make of the limit; empty if that is not known."""
    about = facts.about
    if about.estimand != "true":
        return CUTS.get(about.estimand, "")
    if view_of(about).cuts_nobody or about.steps_of("uncut interval"):
        return NOTHING_CUT
    return INCLUDED if about.unseen else ""


def is_doubtful(facts: Facts) -> bool:
    """True if a bound was given that may have been taken from the data."""
    if facts.is_measured:
        return facts.about.estimand == "bounded"
    return not facts.about.chosen and facts.about.bound > 1 and "bound" in facts.public_parameters


def choice(facts: Facts) -> str:
    """How the limit was chosen."""
    if is_doubtful(facts):
        return f"It was given: bound={facts.public_parameters.get('bound', facts.about.bound)}. {LOOKED}"
    if facts.about.chosen or facts.is_measured:
        return "From the data, privately, by headcount; that is paid for out of epsilon."
    return "It follows from the question." if facts.about.bound else "There is none to choose."
