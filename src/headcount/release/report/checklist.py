"""The questions of NIST SP 800-226 (Near, Darais, Lefkovitz and Howarth 2025) about a release, each answered or left to
whoever publishes it."""

from collections.abc import Callable
from dataclasses import dataclass

from headcount.exact import written
from headcount.release.report.budget import NOT_CHARGED, NOT_HERE
from headcount.release.report.delta import delta_questions, delta_sentences, delta_warnings
from headcount.release.report.facts import Facts
from headcount.release.report.limits import LOOKED, choice, is_doubtful, limits
from headcount.release.report.promise import promise_of
from headcount.release.report.proofs import proof_of
from headcount.source.queries.step import promise_sentence
from headcount.wording import counted_noun, sentence

NOISE = {
    "laplace": "discrete Laplace noise",
    "gaussian": "discrete Gaussian noise",
    "selection": "a private selection",
    "selections": "private selections",
    "laplace-threshold": "discrete Laplace noise and a threshold",
    "randomized-laplace-threshold": "discrete Laplace noise and a threshold with a coin",
    "gaussian-threshold": "discrete Gaussian noise and a threshold",
    "weighted-threshold": "scaled contributions, discrete Gaussian noise and a threshold",
    "threshold-round": "rounds of weighted contributions, discrete Gaussian noise and a threshold",
    "joint-threshold-round": "rounds of weighted contributions, discrete Gaussian noise and a threshold",
    "sample-threshold": "a random sample and a threshold",
    "shuffled-laplace": "discrete Laplace noise, sent in shares by people and shuffled",
    "guarantee": "a mechanism with a guarantee of its own",
    "adaptive": "adaptive steps under one budget",
}
"""Kinds of privacy events, for people."""
AUDITS = "Exact enumeration on small tables, statistical audits and planted bugs: docs/evidence.md, make audit."
FREE = "Rounding, cutting at 0, intervals, order, picture and this page use released values alone: they cost nothing."
EXACT = (
    "Noise is drawn exactly, in whole numbers. Attacks that use the rounding of floating-point noise do not work here."
)
TIMING = "Not covered: how long a run takes depends on the data. Could an outsider measure it?"
CENTRAL = "Central: whoever holds the rows and runs headcount is trusted with them; readers are not trusted at all."
QUERIES = "Not interactive: one question, fixed before any row was read; readers cannot ask more."
SMALL = "The same noise is a larger part of a small count: small groups are known less well."
MISSING = "Items that few people have are missing altogether, so a sum over all rows is too small. "
RELATIONS = {
    "add-remove": "One person is in one table and not in the other, with all rows (add-remove; also called unbounded).",
    "replace": "All rows of one person are replaced by any others (replace; also called bounded).",
    "replace-same-size": "All rows of one person are replaced by as many others; how many these are is public.",
}
LOST = "The values lack what the limit cut from people with much, so they are too small on average. "
ROWS = (
    "headcount takes each row for one person's, as the table has it. Did a step before it put other people's data into "
    "a row: a join, a rank, a mean over all?"
)
READERS = (
    "Anyone: the promise does not depend on who reads the numbers, or on what they know. Analyst, purpose and other "
    "charges stand on this page as they were stated; no noise protects these. The rows{secrets} are for nobody else."
)


@dataclass(frozen=True)
class Line:
    """One question, with its answer."""

    question: str
    answer: str
    open: bool = False
    """True if a person who knows the data has to answer it, wholly or in part."""
    warning: bool = False


def checklist(facts: Facts) -> list[Line]:
    """All lines."""
    return [line for answer in ANSWERS for line in answer(facts)]


def parameters(facts: Facts) -> list[Line]:
    """Epsilon and delta: as given, and what they mean."""
    promise = promise_of(facts)
    return [
        Line(
            "Privacy parameters",
            f"epsilon {facts.about.epsilon}, delta {promise.delta:g}, for all steps and all numbers together.",
        ),
        Line("What epsilon means", f"{promise.odds} An epsilon of this size is commonly called {promise.strength}."),
        Line("What delta means", " ".join([promise.exception, *delta_sentences(facts)])),
        *(Line("Delta and the number of people", each, warning=True) for each in delta_warnings(facts)),
        *(Line("Delta and the number of people", each, open=True) for each in delta_questions(facts)),
    ]


def unit(facts: Facts) -> list[Line]:
    """Who is protected, and what neighbours are."""
    user = facts.user
    one = f"One value of the column {user}, with all of its rows, whenever they were made. Is that one person?"
    return [
        Line("Unit of privacy", one if user else facts.stated, open=bool(user)),
        *_rows(facts),
        Line("Neighbouring tables", RELATIONS.get(facts.neighbours, facts.stated)),
        Line("Two worlds", _two_worlds(facts) if user else facts.stated),
    ]


def _rows(facts: Facts) -> list[Line]:
    """Whether a row is one person's, for a person who knows the table, or the query."""
    if not facts.about.promise:
        return [Line("Rows", ROWS, open=True)] if facts.user else []
    answer = f"{promise_sentence(facts.about.promise)} If a row holds what others did, nobody is protected. Is it so?"
    return [Line("A query instead of a table", answer, open=True, warning=True)]


def _two_worlds(facts: Facts) -> str:
    columns = ", ".join(facts.table.column_names)
    other = "with other rows of theirs" if facts.neighbours.startswith("replace") else "without a single row of theirs"
    return (
        f"In one world the table {facts.about.dataset} has the rows of a certain {facts.user}; in the "
        f"other it is the same {other}. From this release ({columns}; and which rows are there) nobody can tell "
        "which of the two it is, beyond the odds that epsilon and delta allow."
    )


def contributions(facts: Facts) -> list[Line]:
    """How much one person can change, and how that was decided."""
    given = facts.public_parameters
    listed = ", ".join(f"{name}={value}" for name, value in given.items() if name != "bound")
    return [
        Line("Is there a limit on what one person adds?", limits(facts)),
        Line("How was that limit chosen?", choice(facts), open=is_doubtful(facts)),
        Line(
            "Lists of items, bins, ranges, conditions",
            f"{listed}. {LOOKED}" if listed else "None was given.",
            open=bool(listed),
        ),
    ]


def mechanism(facts: Facts) -> list[Line]:
    """What was drawn, and why one may believe it."""
    return [
        Line("Mechanism", noise_of(facts)),
        Line("Proof", proof_of(facts)),
        Line("Tests and audits", AUDITS),
    ]


def noise_of(facts: Facts) -> str:
    """What was drawn, in words."""
    return "; ".join(NOISE.get(name, name) for name in facts.event_names) or "not recorded"


def accuracy(facts: Facts) -> list[Line]:
    """Error and bias."""
    interval = facts.about.interval
    missing = MISSING if facts.hides_some else ""
    lost = "" if facts.about.estimand == "true" else LOST if not facts.about.tail else f"{facts.about.interval} "
    return [
        Line(
            "Error",
            f"{sentence(interval)} Each interval by itself should hold in about 95% of cases."
            if interval
            else "not stated",
        ),
        Line("Bias, small groups", f"{missing}{lost}{SMALL}"),
        Line("Post-processing", FREE),
    ]


def models(facts: Facts) -> list[Line]:
    """Who asks, and who is trusted."""
    trust = CENTRAL if facts.is_central else f"{facts.stated} Who else is trusted?"
    return [
        Line("Query model", QUERIES),
        Line("Trust model", trust, open=not facts.is_central),
        Line("Who may see it?", READERS.format(secrets=_secrets(facts))),
    ]


def _secrets(facts: Facts) -> str:
    """The files next to a ledger that nobody else may have."""
    name = facts.entry.ledger if facts.entry else "the ledger"
    return f", {name}.key and {name}.secret-*" if facts.about.head else ""


def implementation(facts: Facts) -> list[Line]:
    """Arithmetic, randomness, side channels."""
    expanded = ", expanded from 32 of its bytes by SHAKE-256" if facts.about.head else ""
    return [
        Line("Floating point", EXACT),
        Line("Randomness", f"The operating system's generator{expanded}."),
        Line("Timing and memory", TIMING, open=True),
    ]


def surroundings(facts: Facts) -> list[Line]:
    """What headcount cannot know, and what a ledger does."""
    return [
        Line("Analyst", stated(facts.analyst, "Not recorded. Who made this release?"), open=not facts.analyst),
        Line("Purpose", stated(facts.purpose, "Not recorded. What is it for?"), open=not facts.purpose),
        Line("Other releases about the same people", _others(facts), open=True),
        Line("Tuning", "Were parameters tried out on these data before? What was seen then is not covered.", open=True),
        Line("Access to the rows", "Who can read the rows, the ledger and its key?", open=True),
        Line("Retention", "How long are the rows kept, and who deletes them?", open=True),
    ]


def stated(words: str, otherwise: str) -> str:
    """What the analyst stated, which nobody verified."""
    return f"{words} (as stated at the charge)" if words else otherwise


def _others(facts: Facts) -> str:
    entry = facts.entry
    if entry is None:
        return (
            f"{sentence(NOT_HERE if facts.about.head else NOT_CHARGED)}. What else was published about these people, "
            "and what does it add up to?"
        )
    return (
        f"{entry.ledger} had {counted_noun(len(entry.up_to), 'charge')} by then, this one included: epsilon "
        f"{written(entry.spent.epsilon)} of {written(entry.budget.epsilon)}. Was anything else published about these "
        "people, without this ledger?"
    )


ANSWERS: tuple[Callable[[Facts], list[Line]], ...] = (
    *(parameters, unit, contributions, mechanism, accuracy, models, implementation, surroundings),
)
