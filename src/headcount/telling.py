"""What is asked, what happens, and what it guarantees, in sentences: for plans and releases."""

from collections.abc import Sequence
from math import ceil, exp
from typing import Any

from headcount.account import Cost
from headcount.bound import Choice
from headcount.bound.bounded import often
from headcount.bound.selection.amounts import UsualAmounts
from headcount.bound.selection.people import People
from headcount.bound.selection.profile import FromProfile
from headcount.bound.selection.rank import CountAtRankCheck
from headcount.forecast import expected as forecast
from headcount.mechanism import CountRelease, Distributed, Mechanism, Wish
from headcount.mechanism.distribution.strategy import name_of
from headcount.question import Question
from headcount.release.distribution import interval as of_shares
from headcount.source.views import told


def what(asked: Question) -> str:
    """The question in a few words."""
    if asked.view == "profile":
        return f"how much people contribute, by {' and '.join(asked.of)}"
    if asked.k is not None:
        return f"the {asked.k:,} most common by {asked.item}"
    if asked.heavy is not None:
        return f"heavy hitters by {asked.item} (at least {float(100 * asked.heavy):g}% of the people)"
    if asked.axis:
        return f"{asked.view} of {asked.item}{', one row of each person' if asked.one_row_each else ''}"
    if asked.view == "distribution":
        return f"the distribution of {asked.item}"
    if asked.view == "shape":
        return f"the shape of people per {asked.item}"
    held = f" where {told(asked.where)}" if asked.where else ""
    return f"all {asked.unit}{held}" if asked.view == "total" else f"{asked.unit} per {asked.item}"


def steps(
    dataset: str, asked: Question, wish: Wish, choices: Sequence[Choice[Any]], mechanism: Mechanism | None
) -> list[str]:
    """What happens, as far as it is known: to its end once there is a mechanism."""
    sentences = [_read(dataset, asked.columns)]
    for number, choice in enumerate(choices):
        part = f"{float(choice.epsilon):g} of epsilon ({float(100 * choice.epsilon / wish.budget.epsilon):.3g}%)"
        price = f" This takes {part}." if choice.epsilon else ""
        again = "Nothing was seen: too few people for so much noise. So, once more: " if _again(number, choice) else ""
        sentences.append(f"{again}{choice.explain(asked.item)}{price}{_outcome(choice, mechanism)}")
    if mechanism is None:
        return [*sentences, forecast.foretold(wish, asked.item)]
    if asked.axis:
        return [*sentences, _scale(asked), mechanism.bounding.explain(asked.item), *mechanism.explain(asked.item)]
    if wish.distributed:
        return [*sentences, *_of_distribution(asked, wish.distributed, mechanism)]
    if asked.view in ("profile", "total"):
        return [*sentences, *_of_view(asked, mechanism)]
    return [*sentences, mechanism.bounding.explain(asked.item), *mechanism.explain(asked.item)]


def _scale(asked: Question) -> str:
    """What becomes of numbers."""
    assert asked.axis is not None
    low, high = asked.axis.edges[0], asked.axis.edges[-1]
    if not asked.axis.clamped:
        return (
            f"A value of {asked.item} counts for the ranges that it is in, each from its first number up to, but "
            "without, its second. What lies between two neighbouring ends is a cell. What is no plain number is left "
            "out."
        )
    width = "of one width" if asked.axis.even else "of a public list"
    return (
        f"Values of {asked.item} are told apart by {asked.axis.cells:,} cells {width} from {low:g} to {high:g}; what "
        "is below or above counts as the lowest or the highest. What is no plain number is left out."
    )


def _again(number: int, choice: Choice[Any]) -> bool:
    return number > 0 and isinstance(choice, FromProfile | UsualAmounts)


def _outcome(choice: Choice[Any], mechanism: Mechanism | None) -> str:
    """What a look led to."""
    if not isinstance(choice, CountAtRankCheck):
        return ""
    found = isinstance(mechanism, CountRelease)
    return " It has clearly less: they are found." if found else " It has not clearly less: counts are scaled."


def _read(dataset: str, columns: tuple[str, ...]) -> str:
    if len(columns) == 1:
        return f"The column {columns[0]} of {dataset} is read. Rows without a value are left out."
    listed = f"{', '.join(columns[:-1])} and {columns[-1]}"
    return f"The columns {listed} of {dataset} are read. Rows without a value in one of them are left out."


def _of_distribution(asked: Question, how: Distributed, mechanism: Mechanism) -> list[str]:
    """What becomes of samples."""
    return [
        f"Each row is a sample. Rows whose {asked.item} is not on the public list are left out: shares are among those "
        "that are.",
        mechanism.bounding.explain(asked.item),
        *mechanism.explain(asked.item),
        f'The shares are moved to the nearest distribution. All this is the mechanism "{name_of(how, mechanism)}".',
    ]


def _of_view(asked: Question, mechanism: Mechanism) -> list[str]:
    """What becomes of a profile or a total."""
    if asked.view == "profile":
        bins = "Each person is in one bin by how many items they have, and in one by how many events."
        return [bins, f"The number of people in each bin gets {mechanism.noise_told()}."]
    most = mechanism.bounding.limit
    clipped = f"Each person counts at most {often(most)}." if asked.unit == "events" else "Each person counts once."
    return [clipped, f"The number of {asked.unit} gets {mechanism.noise_told()}.", *mechanism.explain("total")[1:]]


def heavy(asked: Question, people: People | None) -> list[str]:
    """What is shown of heavy hitters, and what is certain."""
    if asked.heavy is None:
        return []
    there = "There are" if asked.people != "count" else "There are about"
    many = f"{there} {people.count:,} people: at least {ceil(asked.heavy * people.count):,}. " if people else ""
    return [
        f"Shown is what at least {float(100 * asked.heavy):g}% of all people have, after bounding. {many}It is certain "
        "if its whole interval lies above that, however many people there are; wrong in at most 1 of 20 cases."
    ]


def interval(asked: Question, mechanism: Mechanism) -> str:
    """What low and high mean."""
    if asked.view == "profile":
        return "From low to high: this interval holds the number of people in 19 of 20 cases."
    if asked.view == "distribution":
        return of_shares(mechanism)
    if asked.known and asked.debias == "poisson":
        who = "the people that the table has" if asked.people == "count" else "so many people as was said"
        return (
            f"What bounding took away is undone as if the counts of {who} were Poisson. From low to high: noise "
            "alone; if the counts are otherwise, more may be missing."
        )
    if asked.known and asked.debias == "ratio":
        return (
            "What bounding took away is undone by one ratio for all. From low to high: noise, and that of the ratio; "
            "where an item lost more than others, more may be missing."
        )
    return mechanism.interval_told


def guarantee(asked: Question, cost: Cost) -> str:
    """What is promised, to whom."""
    if asked.sizes == "public":
        other = f"had any one person ({asked.user}) had other samples of the public list, as many as they have"
    elif asked.neighbours == "replace":
        other = f"had any one person ({asked.user}) done anything else, in all of their rows"
    else:
        other = f"had any one person ({asked.user}) not been there, with all of their rows"
    epsilon, delta = float(cost.epsilon), float(cost.delta)
    factor = f" = {exp(epsilon):.4g}" if epsilon <= 9 else ""
    rest = f", but for a chance of {delta:g}" if delta else ""
    return (
        f"Privacy: {other}, every result would have been as likely as it was, within a factor of "
        f"e^{epsilon:g}{factor}{rest}."
    )
