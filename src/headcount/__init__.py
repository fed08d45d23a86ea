"""Headcount releases statistics about people, under a differential privacy that covers all of what a person did.

    source/          bound/             mechanism/          release/
    Events ────────► Contributions ───► Bounded ──────────► Noisy ───────► Release
    any table        (user,item,count)  totals and a proven  exact noise    table with intervals, cost, explanation
                     on its engine      sensitivity          from noise/

    jobs/        what people ask, one file each         job/        what a job is
    planner/     made before, from the schema alone     run.py      read, select the bound, bound, noise, columns
    account/     events, their cost, and the ledger     estimate/   what released values say, for free
    federated/   the same where people keep their data  stream/     a stream whose memory may be seized
    audit/       attack ourselves                       cli/        the command line
    simulation/  releases beside the truth, on data that are not secret
    papers.py    variants and baselines of the papers

>>> import headcount as hc
>>> r = hc.histogram(hc.example(), user="user", by="song", epsilon=1)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from headcount.jobs import JOBS

if TYPE_CHECKING:
    from headcount import account as account
    from headcount import audit as audit
    from headcount import federated as federated
    from headcount import noise as noise
    from headcount import stream as stream
    from headcount.account import Charge as Charge
    from headcount.account import Cost as Cost
    from headcount.account import Ledger as Ledger
    from headcount.bound.selection.options import ChosenBound as ChosenBound
    from headcount.errors import HeadcountError as HeadcountError
    from headcount.jobs import *  # noqa: F403
    from headcount.jobs.registry import plan as plan
    from headcount.mechanism.known.options import PoissonCounts as PoissonCounts
    from headcount.mechanism.ordered.options import SampleSearch as SampleSearch
    from headcount.mechanism.sampled.options import SampleThreshold as SampleThreshold
    from headcount.mechanism.shape.options import Buckets as Buckets
    from headcount.mechanism.topk.options import CountRelease as CountRelease
    from headcount.mechanism.unknown.options import Weighted as Weighted
    from headcount.planner import Plan as Plan
    from headcount.release import Release as Release
    from headcount.release import Shape as Shape
    from headcount.release import load as load
    from headcount.simulation.simulate import simulate as simulate
    from headcount.source.example import example as example
    from headcount.source.table import table as table
    from headcount.source.views.tables import tables as tables
    from headcount.source.views.view import view as view

_OPTIONS = {
    "Buckets": "headcount.mechanism.shape.options",
    "ChosenBound": "headcount.bound.selection.options",
    "CountRelease": "headcount.mechanism.topk.options",
    "PoissonCounts": "headcount.mechanism.known.options",
    "SampleSearch": "headcount.mechanism.ordered.options",
    "SampleThreshold": "headcount.mechanism.sampled.options",
    "Weighted": "headcount.mechanism.unknown.options",
}
"""Objects with the options of one mechanism, or of one way to choose a bound."""
_HOMES = {
    "Charge": "headcount.account",
    "Cost": "headcount.account",
    "HeadcountError": "headcount.errors",
    "Ledger": "headcount.account",
    "Plan": "headcount.jobs.registry",
    "Release": "headcount.release",
    "Shape": "headcount.release",
    "example": "headcount.source.example",
    "load": "headcount.release",
    "plan": "headcount.jobs.registry",
    "simulate": "headcount.simulation.simulate",
    "table": "headcount.source.table",
    "tables": "headcount.source.views.tables",
    "view": "headcount.source.views.view",
    **_OPTIONS,
    **{job: f"headcount.jobs.{job}" for job in JOBS},
}
_PACKAGES = ("account", "audit", "errors", "federated", "noise", "stream")
__all__ = [*_HOMES, *_PACKAGES]


_MEANT = {
    **dict.fromkeys(("mean", "average", "avg"), 'hc.aggregate(data, user=..., by=..., metrics=["mean(x)"], epsilon=1)'),
    "sum": 'hc.total(data, user=..., sum="x", epsilon=1), or hc.histogram(..., sum="x") for each item',
    "median": "hc.quantiles(data, user=..., value=..., q=0.5, range=(0, 1000), epsilon=1)",
    **dict.fromkeys(
        ("count", "value_counts", "groupby", "group_by"), "hc.histogram(data, user=..., by=..., epsilon=1)"
    ),
    "nunique": 'hc.total(data, user=..., count="users", epsilon=1)',
    **dict.fromkeys(("read_csv", "read_parquet"), 'hc.histogram("file.csv", ...): every function takes a path'),
    **dict.fromkeys(("data", "dataset"), 'hc.table(data, name="visits")'),
    **dict.fromkeys(("open", "read", "read_release"), 'hc.load("release.parquet")'),
}
"""What to write instead of the names of other libraries."""


def _unknown(name: str) -> AttributeError:
    """The error for a name that there is not; those that begin with _ are looked up by Python itself."""
    if name.startswith("_"):
        return AttributeError(f"module 'headcount' has no attribute {name!r}")
    from difflib import get_close_matches

    from headcount.errors import UnknownName

    near = [f"did you mean hc.{each}?" for each in get_close_matches(name, __all__, n=1, cutoff=0.7)]
    return UnknownName(
        f"headcount has no {name!r}.", fix=_MEANT.get(name) or "".join(near) or f"one of {', '.join(JOBS)}"
    )


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that the import itself is quick."""
    if name == "__version__":
        return import_module("importlib.metadata").version("headcount")
    if name not in __all__:
        raise _unknown(name)
    return getattr(import_module(_HOMES[name]), name) if name in _HOMES else import_module(f"headcount.{name}")
