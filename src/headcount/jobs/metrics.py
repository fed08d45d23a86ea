"""Metrics of a group as people type them: people, sum(price), mean(price) per person, quantile(price, 0.9), ..."""

import re
from collections.abc import Mapping, Sequence
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
MOST_METRICS = 50
ADDED_UP = {("people", "events"): "counts", ("sum(",): "sums"}
DIVIDED = {("share",): "shares", ("mean(",): "means", ("median(", "quantile("): "quantiles"}
"""Statistics that are totals, and those that are not, by how their names begin."""


def parse_metrics(name: str, metrics: Any, before: Mapping[str, Any]) -> tuple[str, ...]:
    """The metrics, each as its canonical text."""
    listed = [metrics] if isinstance(metrics, str) else metrics
    if not isinstance(listed, Sequence) or not listed or not all(isinstance(each, str) for each in listed):
        raise BadParameter(f"metrics={metrics!r:.60}: a list of metrics.", fix=f"each is {GRAMMAR}")
    texts = tuple(canonical_metric(each) for each in listed)
    if twice := [each for each in texts if texts.count(each) > 1]:
        raise BadParameter(f"metrics: {twice[0]!r} is listed twice.", fix="each metric once")
    if len(texts) > MOST_METRICS:
        raise BadParameter(f"metrics: {len(texts)} of them; at most {MOST_METRICS}.", fix="fewer metrics")
    return texts


def canonical_metric(text: str) -> str:
    """One spelling of a metric."""
    name, column, q, per_person = _parts(text)
    if not column:
        return name
    inside = f"{column}, {written(q)}" if name == "quantile" else column
    return f"{name}({inside}){' per person' if per_person else ''}"


def column_of(text: str) -> str:
    """The column of amounts of a metric; empty if it has none."""
    return _parts(text)[1]


def metric_of(text: str, columns: Sequence[str]) -> Metric:
    """The metric of a canonical text; `columns` are all columns of amounts."""
    name, column, q, per_person = _parts(text)
    place = columns.index(column) if column else 0
    if name in ("median", "quantile"):
        return Metric(text, "quantile", place, q)
    kinds: dict[str, MetricKind] = {"people": "people", "events": "events", "share": "share", "sum": "sum"}
    if column:
        kinds |= {"people": "people(x)", "events": "events(x)"}
    return Metric(text, kinds.get(name, "mean per person" if per_person else "mean"), place)


def _parts(text: str) -> tuple[str, str, Fraction, bool]:
    """Name, column, fraction, and whether it is per person."""
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
        return name, inside, Fraction(1, 2), per_person
    column, comma, fraction = inside.rpartition(",")
    if not comma or not column.strip():
        raise BadParameter(f"metrics: {text!r:.60}: which fraction?", fix=f'"quantile({inside}, 0.9)"')
    return name, column.strip(), _fraction(text, fraction), False


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


def cut_metrics(metrics: Sequence[str]) -> str:
    """What happens to statistics if part of what people have is cut, as a clause.

    >>> cut_metrics(["people", "sum(price)", "mean(price)"]), cut_metrics(["median(price)"])
    ('counts and sums would be too small, means wrong', 'quantiles would be wrong')
    """
    small, wrong = (
        " and ".join(word for start, word in words.items() if any(each.startswith(start) for each in metrics))
        for words in (ADDED_UP, DIVIDED)
    )
    if not small:
        return f"{wrong} would be wrong"
    return f"{small} would be too small{f', {wrong} wrong' if wrong else ''}"
