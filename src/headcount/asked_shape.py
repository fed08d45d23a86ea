"""The question for a shape as typed, checked as far as it can be without the table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from headcount.account.events import Neighbours
from headcount.asked import people_of, question
from headcount.asked_sample import one_of
from headcount.errors import BadParameter
from headcount.exact import whole
from headcount.mechanism.shape.buckets import MOST_BUCKETS, TIMES
from headcount.mechanism.shape.strategy import Way
from headcount.question import Estimator, Loss, Question


def shape_question(
    *,
    user: str,
    by: str | Sequence[str],
    keys: Sequence[Any] | None = None,
    bins: Iterable[Any] | Mapping[str, Iterable[Any]] | None = None,
    bound: int = 1,
    loss: Loss = "l1",
    mechanism: Way = "auto",
    estimator: Estimator = "em",
    buckets: int | None = None,
    people: int | str | None = None,
    neighbours: Neighbours = "add-remove",
) -> Question:
    """How many items have how many people, no item being named."""
    if isinstance(bound, str):
        raise BadParameter(f"bound={bound!r}: of a shape it is a number.", fix="bound=1, the most items of one person")
    if people == "count":
        raise BadParameter('people="count": what is needed of it is counted anyway.', fix="no people, or people=100000")
    whole("bound", bound, least=1, fix="bound=1, the most items of one person")
    if people is not None:
        whole("people", people, least=1, fix="people=100000, if that is public")  # type: ignore[arg-type]
    asked = question(user=user, by=by, keys=keys, bins=bins, bound=bound, neighbours=neighbours)
    way = one_of("mechanism", mechanism, get_args(Way))
    if way != "buckets" and (buckets is not None or estimator != "em"):
        name = "estimator" if buckets is None else "buckets"
        raise BadParameter(f'{name}: only mechanism="buckets" has it.', fix=f'mechanism="buckets", or no {name}')
    return replace(
        asked,
        view="shape",
        of=asked.by,
        mechanism=way,
        people=people_of(people),
        loss=one_of("loss", loss, get_args(Loss)),
        estimator=one_of("estimator", estimator, get_args(Estimator)),
        buckets=None if buckets is None else _buckets(buckets),
    )


def _buckets(buckets: int) -> int:
    many = whole("buckets", buckets, least=2, fix=f"buckets=100000, about {TIMES} for each contribution")
    if many > MOST_BUCKETS:
        raise BadParameter(f"buckets={buckets}: at most {MOST_BUCKETS:,}.", fix=f"buckets={MOST_BUCKETS}")
    return many
