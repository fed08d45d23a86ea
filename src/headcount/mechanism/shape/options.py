"""The options of a shape by buckets."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, get_args

from headcount.errors import BadParameter
from headcount.estimate.shape.table import MAX_BUCKETS, Estimator
from headcount.exact import whole
from headcount.mechanism.options import choice
from headcount.mechanism.shape import buckets
from headcount.wording.options import Options, options


def parse_buckets(name: str, many: Any, before: Mapping[str, Any]) -> int:
    """The number of buckets."""
    fix = f"buckets=100000, about {buckets.BUCKETS_PER_CONTRIBUTION} for each contribution"
    number = whole("buckets", many, minimum=2, fix=fix)
    if number > MAX_BUCKETS:
        raise BadParameter(f"buckets={many}: at most {MAX_BUCKETS:,}.", fix=f"buckets={MAX_BUCKETS}")
    return number


@options
class Buckets(Options):
    """Noise on the count of every item of a public list, or of every bucket that items are hashed into.

    buckets: the number of buckets; by default 2 for each contribution.
    estimator: "em", the most likely shape; or "paper", the estimator of Ghazi et al. 2022.

    >>> import headcount as hc
    >>> s = hc.shape(hc.example(), user="user", by="song", epsilon=1, mechanism=hc.Buckets(buckets=10_000))
    >>> s.table.column_names
    ['count', 'low', 'high', 'items', 'at_least', 'at_least_low', 'at_least_high']
    """

    name: ClassVar[str] = buckets.Buckets.name
    example: ClassVar[str] = "buckets=10000"
    parameter: ClassVar[str] = "mechanism"
    buckets: Annotated[int | None, parse_buckets] = None
    """The number of buckets; by default 2 for each contribution."""
    estimator: Annotated[Estimator, choice(*get_args(Estimator))] = "em"
    """The estimator: the most likely shape, or that of the paper."""
