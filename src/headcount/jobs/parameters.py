"""Parameters as people type them: a parser for each type. A parser gets the parameter's name, its value, and the
parameters before it; it returns the value as a job keeps it, or refuses it with a line to write instead."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal, get_args

from headcount.account.rates import LEAST_RATE, MOST_THRESHOLD
from headcount.bound.selection.profile import FromProfile
from headcount.errors import BadParameter
from headcount.estimate.shape.table import Estimator, Loss
from headcount.exact import one_of, positive, rational, whole
from headcount.job import REQUIRED, Parser
from headcount.jobs.dates import no_column_of_by
from headcount.mechanism.distribution import strategy as distribution
from headcount.mechanism.known import strategy as known
from headcount.mechanism.ordered import strategy as ordered
from headcount.mechanism.sampled.sample_threshold import Rule
from headcount.mechanism.shape import strategy as shape
from headcount.mechanism.topk.levels import KBAR, VariantName
from headcount.mechanism.unknown import strategy as unknown
from headcount.source.amounts import LARGEST_AMOUNT
from headcount.source.binning import MOST as MOST_EDGES
from headcount.source.binning import Edge, bins_of
from headcount.source.cells import plain_value
from headcount.source.contributions import LARGEST_COUNT
from headcount.wording.typed import column_name, is_text, listed

Count = Literal["users", "events"]
Mechanism = Literal[
    "auto",
    "clipped",
    "correlated",
    "thresholded",
    "joint",
    "weighted",
    "rounds",
    "count-release",
    "sample-threshold",
    "plume",
    "plume-threshold",
]
Before = Mapping[str, Any]
BOUND_NAMES = tuple(dict.fromkeys(("auto", FromProfile.name, *unknown.SELECTIONS, *known.SELECTIONS)))
"""Ways of selecting a bound."""
LEAST_ERROR = Fraction(1, 10**6)
MAX_PEOPLE = 10**12
MAX_CANDIDATES = 10**7
RESERVED = ("count", "sum", "rank", "low", "high", "deviation", "certain")
"""Columns of a release."""


def choice(*known: str) -> Parser:
    """One of several names."""

    def parse(name: str, value: Any, before: Before) -> Any:
        return one_of(name, value, known)

    return parse


def parse_by(name: str, by: Any, before: Before) -> tuple[str, ...]:
    """The columns that make an item."""
    user, columns = before["user"], tuple(by) if isinstance(by, tuple | list) else (by,)
    if not columns or not all(map(is_text, columns)):
        raise BadParameter(f"by={by!r:.60}: names of columns.", fix='by="word", or by=["city", "year"]')
    if user in columns:
        raise BadParameter(
            f"user={user!r} and by={by!r} are the same column: every person would be an item.",
            fix=f'user={user!r}, by="word"',
        )
    if twice := [column for column in columns if columns.count(column) > 1]:
        raise BadParameter(f"by={list(columns)!r}: {twice[0]!r} is listed twice.", fix='by=["city", "year"]')
    if taken := [column for column in columns if column in RESERVED]:
        raise BadParameter(
            f"by={taken[0]!r}: the release has a column of that name.", fix="give the column another name"
        )
    return columns


def parse_value(name: str, value: Any, before: Before) -> str:
    """The column of numbers."""
    return column_name(name, value, REQUIRED["value"][1])


def parse_bins(name: str, bins: Any, before: Before) -> tuple[tuple[str, tuple[Edge, ...]], ...]:
    """Public edges, for columns of numbers and dates."""
    by = before["by"]
    if bins is None:
        return ()
    if not isinstance(bins, Mapping):
        if len(by) > 1:
            raise BadParameter("bins: which column?", fix=f"bins={{{by[0]!r}: [0, 10, 100]}}")
        bins = {by[0]: bins}
    if strange := [column for column in bins if column not in by]:
        raise no_column_of_by("bins", strange[0], by, f"bins={{{by[0]!r}: [0, 10, 100]}}")
    return tuple((column, _edges(bins[column])) for column in by if column in bins)


def _edges(edges: Any) -> tuple[Edge, ...]:
    plain = tuple(map(plain_value, listed("bins", edges, MOST_EDGES, of="edges", fix="bins=[0, 10, 100]")))
    bins_of(plain)
    return plain


def parse_sum(name: str, column: Any, before: Before) -> str:
    """The column of amounts; empty if nothing is added up."""
    if column is None or (isinstance(column, str) and not column):
        return ""
    summed = column_name(name, column, 'sum="price"')
    if summed in (before["user"], *before["by"]):
        raise BadParameter(f"sum={column!r}: a column that makes the person or the item.", fix='sum="price"')
    return summed


def parse_bound(name: str, bound: Any, before: Before) -> int | str:
    """The most that one person may contribute, or how it is selected."""
    if isinstance(bound, str):
        if bound not in BOUND_NAMES:
            raise BadParameter(
                f"bound={bound!r}: neither a number nor a name.",
                fix=f'bound=20, or bound="auto" (or one of {", ".join(BOUND_NAMES[1:])})',
            )
        return bound
    largest = LARGEST_AMOUNT if before.get("sum") else LARGEST_COUNT
    allowed = whole("bound", bound, least=1, fix='bound=20, the most that one person may contribute, or bound="auto"')
    if allowed > largest:
        raise BadParameter(f"bound={bound}: at most {largest:,}.", fix='bound=20, or bound="auto"')
    return allowed


def parse_share(name: str, share: Any, before: Before) -> Fraction:
    """The share of epsilon for selecting the bound."""
    part = rational("share", share, fix="share=0.05")
    if not 0 < part < 1:
        raise BadParameter(
            f"share={share!r}: choosing the bound takes a part of epsilon, more than none and less than all.",
            fix="share=0.05",
        )
    return part


def parse_grid(name: str, grid: Any, before: Before) -> tuple[int, ...]:
    """The bounds to select from."""
    fix = "grid=[1, 2, 5, 10, 20], the bounds to choose from"
    bounds = tuple(whole("grid", each, least=1, fix=fix) for each in listed("grid", grid, 1000, of="bounds", fix=fix))
    if not bounds or list(bounds) != sorted(set(bounds)) or bounds[-1] > LARGEST_COUNT:
        raise BadParameter(f"grid={list(bounds)!r:.60}: at least one bound, rising, up to {LARGEST_COUNT:,}.", fix=fix)
    return bounds


def parse_debias(name: str, debias: Any, before: Before) -> Any:
    """How the bias of bounding is undone; None to leave it."""
    return None if debias is None else one_of("debias", debias, ("auto", "ratio", "poisson"), "debias=None")


def parse_people(name: str, people: Any, before: Before) -> int | str:
    """The number of people, if it is public; "count" if it is to be paid for."""
    if isinstance(people, str) and people == "count":
        return "count"
    there = whole("people", people, least=1, fix='people=100000 if that is public, or people="count" to pay for it')
    if there > MAX_PEOPLE:
        raise BadParameter(f"people={people}: at most {MAX_PEOPLE:,}.", fix="people=100000")
    return there


def parse_public_people(least: int, fix: str) -> Parser:
    """The number of people, if it is public: at least `least`."""

    def parse(name: str, people: Any, before: Before) -> int | str:
        if isinstance(people, str) and people == "count":
            raise BadParameter(
                'people="count": whatever is needed is counted anyway.', fix="no people, or people=100000"
            )
        whole("people", people, least=least, fix=fix)
        return parse_people(name, people, before)

    return parse


def parse_relative_error(name: str, target: Any, before: Before) -> Fraction:
    """The relative error that counts may have."""
    wanted = rational("target_error", target, fix="target_error=0.1")
    if not 0 < wanted <= 1:
        raise BadParameter(
            f"target_error={target!r}: the part of a count by which it may be off, more than 0 and at most 1.",
            fix="target_error=0.1",
        )
    if wanted < LEAST_ERROR:
        raise BadParameter(f"target_error={target!r}: at least 0.000001.", fix="target_error=0.1")
    return wanted


def parse_kbar(name: str, kbar: Any, before: Before) -> int:
    """The number of candidates."""
    listed = whole("kbar", kbar, least=1, fix=f"kbar={KBAR}, the most common items to find some among")
    if listed > MAX_CANDIDATES:
        raise BadParameter(f"kbar={kbar}: at most {MAX_CANDIDATES:,}.", fix=f"kbar={KBAR}")
    return listed


def parse_positive(usual: str) -> Parser:
    """A number above 0."""

    def parse(name: str, value: Any, before: Before) -> Fraction:
        return positive(name, value, fix=f"{name}={usual}")

    return parse


def parse_probability(name: str, p: Any, before: Before) -> Fraction:
    """The probability of a coin."""
    chance = rational("p", p, fix="p=0.25, or no p")
    if not 0 < chance < 1:
        raise BadParameter(f"p={p!r}: the chance to be in the sample, more than 0 and less than 1.", fix="p=0.25")
    if not LEAST_RATE <= chance <= 1 - LEAST_RATE:
        raise BadParameter(f"p={p!r}: so near to 0 or 1 that it cannot be meant.", fix="p=0.25")
    return chance


def parse_theta(name: str, theta: Any, before: Before) -> int:
    """The threshold of a sample."""
    least = whole("theta", theta, least=2, fix="theta=15, or no theta")
    if least > MOST_THRESHOLD:
        raise BadParameter(f"theta={theta}: at most {MOST_THRESHOLD:,}.", fix="theta=15, or no theta")
    return least


By = Annotated[tuple[str, ...], parse_by]
Counted = Annotated[Count, choice(*get_args(Count))]
BinEdges = Annotated[tuple[tuple[str, tuple[Edge, ...]], ...], parse_bins]
SumColumn = Annotated[str, parse_sum]
Bound = Annotated[int | str, parse_bound]
Share = Annotated[Fraction | None, parse_share]
Grid = Annotated[tuple[int, ...] | None, parse_grid]
MechanismName = Annotated[Mechanism, choice(*get_args(Mechanism))]
Debias = Annotated[known.Debias, parse_debias]
People = Annotated[int | str | None, parse_people]
RelativeError = Annotated[Fraction | None, parse_relative_error]
Variant = Annotated[VariantName, choice(*get_args(VariantName))]
Kbar = Annotated[int, parse_kbar]
FirstEpsilon = Annotated[Fraction | None, parse_positive("0.0005")]
SelectionDelta = Annotated[Fraction | None, parse_positive("1e-11")]
Probability = Annotated[Fraction | None, parse_probability]
Theta = Annotated[int | None, parse_theta]
SampleRule = Annotated[Rule, choice(*get_args(Rule))]
OrderedMethod = Annotated[ordered.Method, choice(*get_args(ordered.Method))]
ShapeMethod = Annotated[shape.Method, choice(*get_args(shape.Method))]
DistributionMethod = Annotated[distribution.Method, choice(*get_args(distribution.Method))]
ShapeLoss = Annotated[Loss, choice(*get_args(Loss))]
ShapeEstimator = Annotated[Estimator, choice(*get_args(Estimator))]
ValueColumn = Annotated[str, parse_value]


def given_of_sample(job: Any) -> list[str]:
    """The parameters of a sample that were given: p, theta."""
    return [name for name in ("p", "theta") if getattr(job, name) is not None]


def check_paper_rule(job: Any, given: Sequence[str]) -> None:
    """The paper's rule leaves neither p nor theta open."""
    if job.rule == "paper" and given:
        raise BadParameter(f'{given[0]} with rule="paper": the rule says what it is.', fix=f"no {given[0]}")
