"""Parameters as people type them: a parser for each type. A parser gets the parameter's name, its value, and the
parameters before it; it returns the value as a job keeps it, or refuses it with a line to write instead."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal, get_args

from headcount.bound.selection.options import WAYS, parse_grid, parse_share
from headcount.bound.selection.profile import FromProfile
from headcount.errors import BadParameter
from headcount.exact import one_of, whole
from headcount.job import REQUIRED
from headcount.jobs.parameters import notation
from headcount.jobs.parameters.dates import no_column_of_by
from headcount.mechanism import options
from headcount.mechanism.known import strategy as known
from headcount.mechanism.known.options import PoissonCounts, parse_people
from headcount.mechanism.options import choice, parse_relative_error
from headcount.mechanism.stages.sampling import Rule, parse_probability, parse_theta
from headcount.mechanism.topk.levels import VariantName
from headcount.mechanism.topk.options import parse_kbar
from headcount.mechanism.unknown import strategy as unknown
from headcount.source.contributions.contributions import LARGEST_COUNT
from headcount.source.frames.cells import plain_value
from headcount.source.scales.amounts import LARGEST_AMOUNT
from headcount.source.scales.binning import MOST as MAX_EDGES
from headcount.source.scales.binning import Edge, bins_of
from headcount.wording.options import Parser
from headcount.wording.typed import column_name, is_text, listed

Count = options.Count
DebiasName = Literal["auto", "ratio"] | None
"""Corrections by name; that of Poisson counts needs the number of people."""
Before = Mapping[str, Any]
BOUND_NAMES = tuple(dict.fromkeys(("auto", FromProfile.name, *unknown.SELECTIONS, *known.SELECTIONS)))
"""Ways of selecting a bound."""
RESERVED = ("count", "sum", "rank", "low", "high", "deviation", "certain")
"""Columns of a release."""


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
    plain = tuple(map(plain_value, listed("bins", edges, MAX_EDGES, of="edges", fix="bins=[0, 10, 100]")))
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
                fix=f'bound=20, or bound="auto" (or one of {", ".join(WAYS[1:])})',
            )
        return bound
    largest = LARGEST_AMOUNT if before.get("sum") else LARGEST_COUNT
    allowed = whole("bound", bound, minimum=1, fix='bound=20, the most that one person may contribute, or bound="auto"')
    if allowed > largest:
        raise BadParameter(f"bound={bound}: at most {largest:,}.", fix='bound=20, or bound="auto"')
    return allowed


def parse_debias(name: str, debias: Any, before: Before) -> Any:
    """How the bias of bounding is undone; None to leave it."""
    if debias is None or (isinstance(debias, str) and debias == PoissonCounts.name):
        return debias
    return one_of("debias", debias, ("auto", "ratio"), "debias=hc.PoissonCounts(people=100000) or debias=None")


def parse_public_people(minimum: int, fix: str) -> Parser:
    """The number of people, if it is public: at least `minimum`."""

    def parse(name: str, people: Any, before: Before) -> int | str:
        if isinstance(people, str) and people == "count":
            raise BadParameter(
                'people="count": whatever is needed is counted anyway.', fix="no people, or people=100000"
            )
        whole("people", people, minimum=minimum, fix=fix)
        return parse_people(name, people, before)

    return parse


By = Annotated[tuple[str, ...], parse_by, notation.BY]
Counted = Annotated[Count, choice(*get_args(Count)), notation.WHAT_IT_IS]
BinEdges = Annotated[tuple[tuple[str, tuple[Edge, ...]], ...], parse_bins, notation.BINS]
SumColumn = Annotated[str, parse_sum, notation.WHAT_IT_IS]
Bound = Annotated[int | str, parse_bound, notation.COST]
Share = Annotated[Fraction | None, parse_share]
Grid = Annotated[tuple[int, ...] | None, parse_grid]
Debias = Annotated[options.Debias, parse_debias, notation.DEBIAS]
People = Annotated[int | str | None, parse_people]
RelativeError = Annotated[Fraction | None, parse_relative_error, notation.COST]
Variant = Annotated[VariantName, choice(*get_args(VariantName))]
Kbar = Annotated[int, parse_kbar]
Probability = Annotated[Fraction | None, parse_probability]
Theta = Annotated[int | None, parse_theta]
SampleRule = Annotated[Rule, choice(*get_args(Rule))]
ValueColumn = Annotated[str, parse_value, notation.WHAT_IT_IS]
