"""The same request in several ways, each released several times and compared with the truth. NOT PRIVATE."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.progress import Progress

from headcount.errors import BadParameter
from headcount.exact import whole
from headcount.jobs.registry import job_name, plan
from headcount.planner import Plan
from headcount.release.about import RANK
from headcount.simulation.scores import Score, combined, scores
from headcount.simulation.simulation import Simulation
from headcount.simulation.truth import TRUTHS, Truth, truth_of
from headcount.simulation.ways import Way, ways_of
from headcount.wording.arguments import explained

MAX_RUNS = 10_000
ABSENT = "default"
"""Shown for a parameter that a way does not give."""


@explained
def simulate(
    job: str, data: Any, *, runs: int = 20, ways: Sequence[Mapping[str, Any]] | None = None, **given: Any
) -> Simulation:
    """Error, coverage and items shown of a job, in several ways side by side. NOT PRIVATE: IT READS THE TRUTH. Use
    public or synthetic data that look like yours, DO NOT RUN IT ON SECRET DATA.

    job: "histogram", "aggregate", "top", "heavy_hitters", "total" or "quantiles".
    data: any table that `histogram` takes.
    runs: the number of releases of each way, each with new noise.
    ways: mappings of arguments to compare, for arguments that are lists themselves: [{"by": "song"}, {"by": "artist"}].
    given: the arguments of the job's function; a list of values is compared: epsilon=[0.5, 1]. No ledger is charged.

    >>> import headcount as hc
    >>> table = hc.example(people=2000)
    >>> found = hc.simulate("histogram", table, user="user", by="song", epsilon=[1, 4], runs=2)
    >>> found.table["epsilon"].to_pylist()
    [1, 4]
    """
    name = job_name("simulate", job, TRUTHS, "no truth to compare with")
    _check(runs, given)
    found = ways_of(name, ways, given)
    plans = [plan(name, data, **each.arguments) for each in found]
    varied = tuple(dict.fromkeys(parameter for way in found for parameter in way.varied))
    what = " / ".join(dict.fromkeys(each.what for each in plans))
    return Simulation(_table(_rows(plans, found, runs), varied), varied, what, runs)


def _check(runs: int, given: Mapping[str, Any]) -> None:
    """Refuse what no plan would refuse."""
    if charged := [each for each in ("ledger", "again") if each in given]:
        raise BadParameter(f"{charged[0]}: a simulation is charged to no ledger.", fix=f"no {charged[0]}")
    if whole("runs", runs, minimum=1, fix="runs=20") > MAX_RUNS:
        raise BadParameter(f"runs={runs}: at most {MAX_RUNS:,}.", fix="runs=100")


def _rows(plans: Sequence[Plan], ways: Sequence[Way], runs: int) -> list[dict[str, Any]]:
    """A row for each way and each released column, with a progress line on a terminal."""
    rows: list[dict[str, Any]] = []
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("simulating (NOT PRIVATE)", total=len(plans) * runs)
        for each, way in zip(plans, ways, strict=True):
            truth, found = truth_of(each), list[dict[str, Score]]()
            for _ in range(runs):
                found.append(scores(each.release(), truth))
                bar.advance(task)
            rows += [{**way.varied, "measure": name, **_row(found, truth, name)} for name in found[0]]
    return rows


def _row(by_release: Sequence[dict[str, Score]], truth: Truth, measure: str) -> dict[str, Any]:
    """What all releases of a way come to, for one released column."""
    values = next(iter(truth.values())) if measure == RANK else truth[measure]
    return combined([each[measure] for each in by_release], len(values.by_item))


def _table(rows: Sequence[dict[str, Any]], varied: Sequence[str]) -> pa.Table:
    """The rows as a table; parameters that are not all numbers as text."""
    parameters = {name: _parameter([row.get(name, ABSENT) for row in rows]) for name in varied}
    others = [name for name in rows[0] if name not in varied]
    return pa.table({**parameters, **{name: pa.array([row[name] for row in rows]) for name in others}})


def _parameter(values: Sequence[Any]) -> pa.Array:
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return pa.array(values) if numbers else pa.array([str(value) for value in values])
