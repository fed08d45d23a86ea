"""Quantiles and ranges as typed, checked as far as they can be without the table."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, get_args

from headcount.account.events import Neighbours
from headcount.asked import bound_of, share_of
from headcount.asked_sample import one_of, sampling
from headcount.errors import BadParameter
from headcount.exact import Number, rational
from headcount.mechanism.ordered.strategy import SAMPLES, How
from headcount.mechanism.sampled.sample_threshold import Rule
from headcount.question import Question
from headcount.source.axis import CELLS, Axis, between, even
from headcount.source.contributions import LARGEST_COUNT

DECILES = tuple(Fraction(tenth, 10) for tenth in range(1, 10))
MOST = 1000
"""Quantiles, or ranges."""


def quantiles_question(
    *,
    user: str,
    value: str,
    q: Number | Sequence[Number] = DECILES,
    range: Any = None,  # noqa: A002
    edges: Sequence[Number] | None = None,
    cells: int = CELLS,
    bound: int | str = "auto",
    share: Number | None = None,
    mechanism: How = "auto",
    p: Number | None = None,
    theta: int | None = None,
    rule: Rule = "exact",
    neighbours: Neighbours = "add-remove",
) -> Question:
    """Below which value there is so large a part of all rows, each person's being held to a bound."""
    if range is None and edges is None:
        raise BadParameter(
            "range: which values can there be? It is not read from the data.",
            fix="range=(0, 1000), or edges=[0, 1, 2, 5, 10, 100]",
        )
    if range is not None and edges is not None:
        raise BadParameter("range and edges: only one of them.", fix="range=(0, 1000)")
    axis = even(range, cells) if edges is None else between(edges)
    asked = _asked(user, value, axis, bound, share, mechanism, neighbours, sampling(p, theta, rule))
    return Question(**asked, view="quantiles", by=("q",), q=_parts(q))


def ranges_question(
    *,
    user: str,
    value: str,
    ranges: Sequence[tuple[Number, Number]],
    bound: int | str = "auto",
    share: Number | None = None,
    mechanism: How = "auto",
    p: Number | None = None,
    theta: int | None = None,
    rule: Rule = "exact",
    neighbours: Neighbours = "add-remove",
) -> Question:
    """How many rows have a value in each range, each person's being held to a bound. The cells are what lies between
    the ends of all ranges."""
    told = _ranges(ranges)
    points = sorted({end for each in told for end in each})
    axis = Axis(tuple(points), len(points) - 1, clamped=False)
    kinds = [name for name in get_args(How) if "search" not in name]
    one_of("mechanism", mechanism, kinds)
    asked = _asked(user, value, axis, bound, share, mechanism, neighbours, sampling(p, theta, rule))
    return Question(**asked, view="ranges", by=("from", "to"), ranges=told)


def _asked(
    user: str,
    value: str,
    axis: Axis,
    bound: int | str,
    share: Number | None,
    mechanism: How,
    neighbours: Neighbours,
    sample: dict[str, Any],
) -> dict[str, Any]:
    """What quantiles and ranges have in common."""
    if not isinstance(user, str) or not isinstance(value, str) or user == value:
        raise BadParameter(
            f"user={user!r}, value={value!r}: the names of two columns.", fix='user="user_id", value="amount"'
        )
    how = one_of("mechanism", mechanism, get_args(How))
    sampled = how in SAMPLES
    said = [name for name in ("p", "theta") if sample[name] is not None] + (
        ["rule"] if sample["rule"] == "paper" else []
    )
    if said and not sampled:
        raise BadParameter(f"{said[0]}: only a sample has it.", fix=f'mechanism="sample-threshold", or no {said[0]}')
    if len(said) > 1 and "rule" in said:
        raise BadParameter(f'{said[0]} with rule="paper": the rule says what it is.', fix=f"no {said[0]}")
    if sampled and (bound != 1 or share is not None):
        raise BadParameter(
            f'bound={bound!r} with mechanism="{how}": a sample has one row of each person, so it counts people, not '
            "rows.",
            fix='bound=1 and no share, or mechanism="auto" to count rows',
        )
    if not isinstance(bound, int) and bound != "auto":
        raise BadParameter(f"bound={bound!r}: a number, or auto.", fix='bound=10, or bound="auto"')
    if isinstance(bound, int) and share is not None:
        raise BadParameter(f"bound={bound} leaves nothing to choose.", fix='bound="auto", or no share')
    return {
        "user": user,
        "of": (value,),
        "count": "events",
        "axis": axis,
        "bound": bound_of(bound, LARGEST_COUNT),
        "share": None if share is None else share_of(share),
        "mechanism": how,
        "neighbours": one_of("neighbours", neighbours, get_args(Neighbours)),
        **sample,
    }


def _parts(q: Any) -> tuple[Fraction, ...]:
    fix = "q=[0.1, 0.5, 0.9], or q=0.5 for the median"
    listed = list(q) if hasattr(q, "__iter__") and not isinstance(q, str) else [q]
    parts = tuple(rational("q", each.item() if hasattr(each, "item") else each, fix=fix) for each in listed)
    if not parts or len(parts) > MOST or any(not 0 < part < 1 for part in parts):
        percent = bool(parts) and all(1 < part < 100 for part in parts)
        fix = f"q={[float(part / 100) for part in parts]!r:.60}" if percent else fix
        raise BadParameter(f"q={listed!r:.60}: up to {MOST:,} numbers between 0 and 1.", fix=fix)
    if list(parts) != sorted(set(parts)):
        raise BadParameter(f"q={listed!r:.60}: they must rise.", fix=f"q={sorted({float(part) for part in parts})}")
    return parts


def _ranges(ranges: Any) -> tuple[tuple[float, float], ...]:
    fix = "ranges=[(0, 10), (10, 50)]"
    listed = list(ranges) if hasattr(ranges, "__iter__") and not isinstance(ranges, str) else [ranges]
    if not listed or len(listed) > MOST or any(not isinstance(each, tuple | list) or len(each) != 2 for each in listed):
        raise BadParameter(f"ranges={ranges!r:.60}: up to {MOST:,} pairs of numbers.", fix=fix)
    told = tuple((float(rational("ranges", a, fix=fix)), float(rational("ranges", b, fix=fix))) for a, b in listed)
    if wrong := [each for each in told if not each[0] < each[1]]:
        raise BadParameter(f"ranges: {wrong[0]} does not rise.", fix=fix)
    return told
