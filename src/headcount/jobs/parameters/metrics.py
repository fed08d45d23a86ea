"""Metrics of a group as people type them: people, sum(price), mean(price) per person, quantile(price, 0.9), ...

A text is parsed once, into a `TypedMetric`; a request is stored with its canonical text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from headcount.errors import BadParameter
from headcount.exact import rational, written
from headcount.mechanism.groups.metric import Metric, MetricKind

GRAMMAR = (
    "one of people, events, share, people(x), events(x), sum(x), mean(x), mean(x) per person, median(x), "
    "quantile(x, 0.9), with a column of numbers for x"
)
PLAIN: tuple[MetricKind, ...] = ("people", "events", "share")
OF_COLUMN = ("sum", "mean", "median", "quantile")
EITHER: tuple[MetricKind, ...] = ("people", "events")
"""Metrics of all rows, or of those with a number in a column."""
OTHER_NAMES = {
    **dict.fromkeys(("average", "avg"), "mean(x)"),
    **dict.fromkeys(("count", "users", "nunique", "distinct"), "people"),
    **dict.fromkeys(("rows", "size"), "events"),
    **dict.fromkeys(("max", "maximum"), "quantile(x, 0.99)"),
    **dict.fromkeys(("min", "minimum"), "quantile(x, 0.01)"),
    **dict.fromkeys(("percentile", "p90"), "quantile(x, 0.9)"),
    "total": "sum(x)",
}
"""What other tools call a metric."""
OTHER_COUNTS = {"count": "events(x)", "rows": "events(x)", "size": "events(x)", "users": "people(x)"}
"""The same of a column: in SQL, count(x) is the number of rows with an x."""
PATTERN = re.compile(r"\s*(?P<name>\w+)\s*(\((?P<inside>.*)\)\s*(?P<per>per\s+person)?)?\s*", re.DOTALL)
MAX_METRICS = 50
NOUNS = {
    **dict.fromkeys(("people", "events"), "counts"),
    **dict.fromkeys(("median", "quantile"), "quantiles"),
    "sum": "sums",
    "share": "shares",
    "mean": "means",
}
"""What values of a metric are called."""


@dataclass(frozen=True)
class TypedMetric:
    """A metric as it was typed."""

    name: str
    """people, events, share, sum, mean, median or quantile."""
    column: str = ""
    """The column of amounts; empty if it has none."""
    q: Fraction = Fraction(1, 2)
    """The fraction of a quantile."""
    per_person: bool = False
    """True for a mean per person."""

    @property
    def text(self) -> str:
        """One spelling of a metric: the released column."""
        if not self.column:
            return self.name
        inside = f"{self.column}, {written(self.q)}" if self.name == "quantile" else self.column
        return f"{self.name}({inside}){' per person' if self.per_person else ''}"

    @property
    def ordered(self) -> bool:
        """True for a quantile, which needs a scale."""
        return self.name in ("median", "quantile")

    def of_columns(self, columns: Sequence[str]) -> Metric:
        """The metric that is measured; `columns` are all columns of amounts."""
        index = columns.index(self.column) if self.column else 0
        if self.ordered:
            return Metric(self.text, "quantile", index, self.q)
        kinds: dict[str, MetricKind] = {"people": "people", "events": "events", "share": "share", "sum": "sum"}
        if self.column:
            kinds |= {"people": "people(x)", "events": "events(x)"}
        return Metric(self.text, kinds.get(self.name, "mean per person" if self.per_person else "mean"), index)


def parse_metrics(name: str, metrics: Any, before: Mapping[str, Any]) -> tuple[TypedMetric, ...]:
    """The metrics, each parsed."""
    listed = [metrics] if isinstance(metrics, str) else metrics
    if not isinstance(listed, Sequence) or not listed or not all(isinstance(each, str) for each in listed):
        raise BadParameter(f"metrics={metrics!r:.60}: a list of metrics.", fix=f"each is {GRAMMAR}")
    parsed = tuple(map(parse_metric, listed))
    texts = [each.text for each in parsed]
    if twice := [each for each in texts if texts.count(each) > 1]:
        raise BadParameter(f"metrics: {twice[0]!r} is listed twice.", fix="each metric once")
    if len(texts) > MAX_METRICS:
        raise BadParameter(f"metrics: {len(texts)} of them; at most {MAX_METRICS}.", fix="fewer metrics")
    return parsed


def parse_metric(text: str) -> TypedMetric:
    """The metric of a text."""
    match = PATTERN.fullmatch(text)
    name = match["name"] if match else text
    if match is None or name not in (*PLAIN, *OF_COLUMN):
        meant = _meant(str(name), match["inside"] or "" if match else "")
        raise BadParameter(f"metrics: {text!r:.60} is no metric.", fix=f"{meant}It is {GRAMMAR}" if meant else GRAMMAR)
    inside, per_person = (match["inside"] or "").strip(), match["per"] is not None
    fits = bool(inside) == (name in OF_COLUMN) or name in EITHER
    if not fits or (per_person and name != "mean"):
        raise BadParameter(f"metrics: {text!r:.60} is no metric.", fix=GRAMMAR)
    if name != "quantile":
        return TypedMetric(name, inside, per_person=per_person)
    column, comma, fraction = inside.rpartition(",")
    if not comma or not column.strip():
        raise BadParameter(f"metrics: {text!r:.60}: which fraction?", fix=f'"quantile({inside}, 0.9)"')
    return TypedMetric(name, column.strip(), _fraction(text, fraction))


def _meant(name: str, inside: str) -> str:
    """The metric that was probably meant, as a question; empty if nothing is like it."""
    near = get_close_matches(name, (*PLAIN, *OF_COLUMN), n=1)
    of_column = (*OF_COLUMN, *EITHER) if inside else OF_COLUMN
    other = (OTHER_COUNTS if inside else {}).get(name.lower()) or OTHER_NAMES.get(name.lower())
    metric = other or next((f"{each}(x)" if each in of_column else each for each in near), "")
    named = metric.replace("(x", f"({inside}") if inside else metric
    return f"did you mean {named}? " if metric else ""


def _fraction(text: str, typed: str) -> Fraction:
    q = rational("metrics", typed.strip(), fix='"quantile(x, 0.9)"')
    if not 0 < q < 1:
        raise BadParameter(f"metrics: {text!r:.60}: a fraction between 0 and 1.", fix='"quantile(x, 0.9)"')
    return q


def cut_metrics(metrics: Sequence[TypedMetric]) -> str:
    """What happens to statistics if part of what people have is cut, as a clause.

    >>> cut_metrics([TypedMetric("people"), TypedMetric("sum", "price"), TypedMetric("mean", "price")])
    'counts and sums would be too small, means wrong'
    """
    nouns = {NOUNS[each.name] for each in metrics}
    small = " and ".join(noun for noun in ("counts", "sums") if noun in nouns)
    wrong = " and ".join(noun for noun in ("shares", "means", "quantiles") if noun in nouns)
    if not small:
        return f"{wrong} would be wrong"
    return f"{small} would be too small{f', {wrong} wrong' if wrong else ''}"
