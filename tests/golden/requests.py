"""Requests as plain data: every job, its options, both neighbours; and wrong ones, which are refused."""

from dataclasses import dataclass, field
from typing import Any

import headcount as hc
from headcount import papers
from tests.golden.tables import TABLES

NAMED: dict[str, Any] = {"name": "the visits"}
PERSON: dict[str, Any] = {"user": "person"}
ITEM: dict[str, Any] = {**PERSON, "by": "item", "epsilon": 2}
LISTED = [f"item {number:02d}" for number in range(1, 12)]
KNOWN: dict[str, Any] = {**ITEM, "keys": LISTED}
ALL: dict[str, Any] = {**PERSON, "epsilon": 1}
SCALE: dict[str, Any] = {**PERSON, "value": "minutes", "epsilon": 1, "range": (0, 150), "cells": 64}
PARTS: dict[str, Any] = {**PERSON, "value": "minutes", "epsilon": 1, "ranges": [(0, 10), (10, 50), (0, 150)]}
DRAWN: dict[str, Any] = {**ITEM, "keys": LISTED[:5]}
WHERE: dict[str, Any] = {"city": "Rome", "minutes": (0, 50)}
REPLACE = {"neighbours": "replace"}
METRICS = ["people", "events", "sum(minutes)", "mean(minutes)", "mean(minutes) per person", "quantile(minutes, 0.9)"]


@dataclass(frozen=True)
class Request:
    """A request to `hc.plan`."""

    name: str
    job: str
    arguments: dict[str, Any] = field(hash=False)
    table: str = "visits"
    declared: dict[str, Any] = field(default_factory=lambda: NAMED, hash=False)
    """What `hc.table` is given beside the data."""

    @property
    def data(self) -> Any:
        """The data with what is declared about them."""
        return hc.table(TABLES[self.table](), **self.declared) if self.declared else TABLES[self.table]()


REQUESTS = (
    Request("plain", "histogram", {"user": "person", "by": "item", "epsilon": 2}, declared={}),
    Request("replace", "histogram", {**ITEM, **REPLACE}),
    Request("odd values", "histogram", ITEM, "odd", {**NAMED, "memory": "1GB"}),
    Request("bound", "histogram", {**ITEM, "bound": 3}),
    Request("bound, replace", "histogram", {**ITEM, "bound": 3, **REPLACE}),
    Request("bound 1, small delta", "histogram", {**ITEM, "bound": 1, "delta": 1e-9}),
    Request("target error", "histogram", {**PERSON, "by": "item", "target_error": 8, "bound": 2}),
    Request("events", "histogram", {**ITEM, "count": "events"}),
    Request("events, bound", "histogram", {**ITEM, "count": "events", "bound": 4, **REPLACE}),
    Request("two columns", "histogram", {**ITEM, "by": ["city", "item"], "bound": 4}),
    Request(
        "weighted",
        "histogram",
        {**ITEM, "mechanism": "weighted", "bound": hc.ChosenBound(share=0.1), "debias": None, **REPLACE},
    ),
    Request("weighted, bound", "histogram", {**ITEM, "mechanism": "weighted", "bound": 4}),
    Request("rounds", "histogram", {**ITEM, "mechanism": "rounds"}),
    Request("rounds, bound, replace", "histogram", {**ITEM, "mechanism": "rounds", "bound": 4, **REPLACE}),
    Request("profile by name", "histogram", {**ITEM, "bound": "profile", "debias": "ratio", "count": "events"}),
    Request(
        "thresholded, grid",
        "histogram",
        {**ITEM, "mechanism": "thresholded", "bound": hc.ChosenBound(grid=[1, 2, 5, 9], share=0.2)},
    ),
    Request("generalized", "histogram", {**ITEM, "bound": "generalized", **REPLACE}),
    Request("exponential", "histogram", {**ITEM, "bound": papers.Exponential(grid=[1, 2, 3]), "epsilon": 4}),
    Request("count-release", "histogram", {**ITEM, "mechanism": hc.CountRelease(kbar=100)}),
    Request("coarse", "histogram", {**ITEM, "mechanism": hc.CountRelease(variant="coarse", target_error=0.3)}),
    Request("refined", "histogram", {**ITEM, "mechanism": hc.CountRelease(variant="refined", first_epsilon=0.01)}),
    Request(
        "rogers",
        "histogram",
        {
            **PERSON,
            "by": "item",
            "mechanism": hc.CountRelease(variant="rogers", rho=0.5, selection_delta=3e-11, target_error=0.2),
            **REPLACE,
        },
    ),
    Request("found events", "histogram", {**ITEM, "mechanism": "count-release", "count": "events", "bound": 5}),
    Request("sum", "histogram", {**ITEM, "sum": "price", "bound": hc.ChosenBound(share=0.1)}, "odd"),
    Request("sum, bound", "histogram", {**ITEM, "sum": "price", "bound": 40, "epsilon": 8, **REPLACE}),
    Request("sample", "histogram", {**ITEM, "mechanism": "sample-threshold"}),
    Request("sample, p", "histogram", {**ITEM, "mechanism": hc.SampleThreshold(p=0.25), "bound": 2, **REPLACE}),
    Request(
        "sample, theta",
        "histogram",
        {**ITEM, "mechanism": hc.SampleThreshold(theta=12), "bound": hc.ChosenBound(grid=[1, 2, 3])},
    ),
    Request(
        "sample, paper",
        "histogram",
        {**ITEM, "epsilon": 1, "mechanism": hc.SampleThreshold(rule="paper"), "bound": 1},
    ),
    Request("sample, keys", "histogram", {**KNOWN, "mechanism": "sample-threshold", "bound": 1}),
    Request("plume", "histogram", {**ITEM, "mechanism": papers.Plume()}),
    Request("plume-threshold", "histogram", {**ITEM, "mechanism": papers.PlumeThreshold(target_error=0.3), **REPLACE}),
    Request("keys", "histogram", KNOWN),
    Request("keys, replace", "histogram", {**KNOWN, **REPLACE, "bound": hc.ChosenBound(share=0.1)}),
    Request("keys, bound", "histogram", {**KNOWN, "bound": 3, "mechanism": "clipped"}),
    Request("keys, correlated", "histogram", {**KNOWN, "mechanism": "correlated", "delta": 0, "epsilon": 1}),
    Request("keys, in full, replace", "histogram", {**KNOWN, **REPLACE}),
    Request("keys, profile", "histogram", {**KNOWN, "bound": "profile"}),
    Request("keys, no delta", "histogram", {**KNOWN, "delta": 0, "bound": 2, "count": "events"}),
    Request("keys, events", "histogram", {**KNOWN, "count": "events", "bound": hc.ChosenBound(grid=[1, 2, 5, 10, 50])}),
    Request("keys, ratio", "histogram", {**KNOWN, "count": "events", "bound": 5, "debias": "ratio"}),
    Request("keys, poisson", "histogram", {**KNOWN, "count": "events", "debias": hc.PoissonCounts(people=500)}),
    Request(
        "keys, poisson, count", "histogram", {**KNOWN, "count": "events", "debias": hc.PoissonCounts(people="count")}
    ),
    Request("keys of two columns", "histogram", {**ITEM, "by": ["city", "item"], "keys": [("Rome", "item 01")]}),
    Request("quantile", "histogram", {**KNOWN, "bound": papers.Quantile(), "count": "events"}),
    Request("inverse-sensitivity", "histogram", {**KNOWN, "bound": papers.InverseSensitivity()}),
    Request("dp-sgd", "histogram", {**KNOWN, "bound": papers.DpSgd()}),
    Request("output-perturbation", "histogram", {**KNOWN, "bound": papers.OutputPerturbation()}),
    Request("m-quantile", "histogram", {**KNOWN, "bound": papers.MQuantile(), **REPLACE}),
    Request("bins", "histogram", {**ITEM, "by": "minutes", "bins": [0, 10, 50, 150]}, "odd"),
    Request("days", "histogram", {**ITEM, "by": "day", "bins": ["2024-01-01", "2024-02-01", "2024-03-01"]}),
    Request(
        "bins and items",
        "histogram",
        {**ITEM, "by": ["city", "day"], "bins": {"day": ["2024-01-01", "2024-02-15"]}, "bound": 3},
    ),
    Request("plain", "heavy_hitters", {**ITEM, "share": 0.1}),
    Request("people", "heavy_hitters", {**ITEM, "share": 0.05, "people": 500, "bound": 5, "delta": 1e-5, **REPLACE}),
    Request(
        "sample, paper",
        "heavy_hitters",
        {**ITEM, "epsilon": 1, "mechanism": hc.SampleThreshold(rule="paper"), "bound": 1},
    ),
    Request("sample, p", "heavy_hitters", {**ITEM, "mechanism": hc.SampleThreshold(p=0.4), "bound": 2}),
    Request("sample", "heavy_hitters", {**ITEM, "mechanism": hc.SampleThreshold(theta=12), "bound": 5, "share": 0.05}),
    Request("plain", "top", {**ITEM, "k": 5}),
    Request("no counts", "top", {**ITEM, "k": 5, "count": "none", "kbar": 100, "delta": 1e-5, **REPLACE}),
    Request("rho", "top", {**PERSON, "by": "item", "rho": 0.5, "k": 3, "variant": "rogers", "target_error": 0.3}),
    Request("plain", "profile", {**ITEM, "epsilon": 0.5}),
    Request("replace", "profile", {**ITEM, "by": ["city", "day"], **REPLACE}, "odd"),
    Request("plain", "total", ALL),
    Request("people", "total", {**ALL, "count": "users", **REPLACE}),
    Request(
        "where",
        "total",
        {**ALL, "where": {"city": ["Rome", "Oslo"], "minutes": (0, 50), "day": ("2024-01-01", "2024-01-31")}},
    ),
    Request("poisson", "total", {**ALL, "debias": hc.PoissonCounts(people="count"), "bound": 10}),
    Request("grid", "total", {**ALL, "bound": papers.Quantile(grid=[1, 10, 100], share=0.2)}),
    Request("target error", "total", {**PERSON, "target_error": 100, "bound": 10, "where": {"city": "Rome"}}, "odd"),
    Request("plain", "quantiles", SCALE),
    Request("bound", "quantiles", {**SCALE, "q": [0.25, 0.5], "bound": 2, "mechanism": "tree", **REPLACE}),
    Request("decades", "quantiles", {**SCALE, "q": [0.5], "range": (0, 20_000), "bound": 1}),
    Request("log", "quantiles", {**SCALE, "q": [0.5], "range": (1, 50), "spacing": "log", "bound": 1}),
    Request(
        "edges",
        "quantiles",
        {**PERSON, "value": "minutes", "edges": [0, 1, 5, 20, 150], "epsilon": 1, "bound": hc.ChosenBound(share=0.1)},
        "odd",
    ),
    Request("search", "quantiles", {**SCALE, "q": 0.5, "mechanism": "search", "bound": 1}),
    Request("sample", "quantiles", {**SCALE, "mechanism": hc.SampleThreshold(rule="paper"), "bound": 1, "q": [0.5]}),
    Request(
        "sample search",
        "quantiles",
        {**SCALE, "mechanism": hc.SampleSearch(theta=20), "bound": 1, "q": 0.5, "delta": 1e-5},
    ),
    Request("sample, p", "quantiles", {**SCALE, "mechanism": hc.SampleThreshold(p=0.3), "bound": 1, "q": [0.5]}),
    Request(
        "target error",
        "quantiles",
        {**PERSON, "value": "price", "range": (0, 50), "cells": 32, "target_error": 50, "bound": 1},
    ),
    Request("plain", "ranges", {**PARTS, "bound": hc.ChosenBound(share=0.1)}, "odd"),
    Request("bound", "ranges", {**PARTS, "bound": 3, "delta": 0, **REPLACE}),
    Request("sample", "ranges", {**PARTS, "mechanism": hc.SampleThreshold(p=0.3), "bound": 1}),
    Request("sample, paper", "ranges", {**PARTS, "mechanism": hc.SampleThreshold(rule="paper"), "bound": 1}),
    Request("sample, theta", "ranges", {**PARTS, "mechanism": hc.SampleThreshold(theta=20), "bound": 1}),
    Request(
        "target error",
        "ranges",
        {**PERSON, "value": "price", "ranges": [(0, 10), (5, 40)], "target_error": 30, "bound": 1},
    ),
    Request("plain", "shape", {**ITEM, "epsilon": 1}),
    Request("bound", "shape", {**ITEM, "bound": 3, "people": 500, "loss": "l2", **REPLACE}),
    Request("keys", "shape", {**KNOWN, "bound": 2}),
    Request("bins", "shape", {**ITEM, "by": "minutes", "bins": list(range(0, 151, 10)), "bound": 2}, "odd"),
    Request("buckets", "shape", {**ITEM, "mechanism": hc.Buckets(buckets=200), "people": 500}),
    Request("listed buckets", "shape", {**KNOWN, "mechanism": hc.Buckets(estimator="paper")}),
    Request("target error", "shape", {**PERSON, "by": "city", "target_error": 10}),
    Request("plain", "distribution", DRAWN),
    Request("rows", "distribution", {**DRAWN, "target": "rows"}),
    Request("source", "distribution", {**DRAWN, "target": "source"}),
    Request("bound", "distribution", {**DRAWN, "target": "source", "bound": 5, "people": 300}),
    Request("laplace", "distribution", {**DRAWN, "target": "rows", "mechanism": "laplace", "bound": 5, **REPLACE}),
    Request(
        "gaussian",
        "distribution",
        {**DRAWN, "target": "source", "mechanism": "gaussian", "bound": hc.ChosenBound(share=0.1)},
    ),
    Request("sample-one", "distribution", {**DRAWN, "mechanism": "sample-one", "delta": 0}),
    Request("recentred", "distribution", {**DRAWN, "mechanism": "recentred", "sizes": "public", **REPLACE}),
    Request("ks", "distribution", {**DRAWN, "mechanism": "ks", "bound": 2}),
    Request("hypothesis-selection", "distribution", {**DRAWN, "mechanism": "hypothesis-selection", "bound": 2}),
    Request("sparse", "distribution", {**DRAWN, "mechanism": "sparse", "bound": 2, **REPLACE}),
    Request("bins", "distribution", {**ITEM, "by": "minutes", "bins": [0, 10, 50, 150]}, "odd"),
    Request("where", "histogram", {**ITEM, "where": {"city": ["Rome", "Oslo"], "item": LISTED[:5]}}),
    Request("where, keys", "histogram", {**KNOWN, "bound": 3, "where": WHERE}, "odd"),
    Request("months", "histogram", {**ITEM, "by": "day", "per": "month", "dates": ("2024-01-01", "2024-04-15")}),
    Request(
        "months and cities",
        "histogram",
        {
            **ITEM,
            "by": ["city", "day"],
            "keys": {"city": ["Rome", "Oslo"]},
            "per": {"day": "month"},
            "dates": ("2024-01-01", "2024-12-31"),
        },
    ),
    Request("weeks", "histogram", {**ITEM, "by": "day", "per": "week", "bound": 3}, "odd"),
    Request("weeks and cities", "histogram", {**ITEM, "by": ["city", "day"], "per": {"day": "week"}, "bound": 4}),
    Request("months by name", "histogram", {**ITEM, "by": "day", "per": "month", "keys": ["2024-01-01"], "bound": 1}),
    Request("weeks", "heavy_hitters", {**ITEM, "by": "day", "per": "week", "share": 0.1, "bound": 3}),
    Request("weeks", "top", {**ITEM, "by": "day", "per": "week", "k": 2}),
    Request("weeks", "profile", {**ITEM, "by": "day", "per": "week"}, "odd"),
    Request("weeks", "shape", {**ITEM, "by": "day", "per": "week", "dates": ("2024-01-01", "2024-03-01")}),
    Request("months", "distribution", {**ITEM, "by": "day", "per": "month", "dates": ("2024-01-01", "2024-03-01")}),
    Request("where", "heavy_hitters", {**ITEM, "share": 0.1, "where": WHERE}),
    Request("where", "top", {**ITEM, "k": 5, "where": WHERE}),
    Request("where", "profile", {**ITEM, "where": WHERE}),
    Request("where", "quantiles", {**SCALE, "bound": 1, "where": WHERE}),
    Request("where", "ranges", {**PARTS, "bound": 1, "where": WHERE}),
    Request("where", "shape", {**ITEM, "where": WHERE}),
    Request("where", "distribution", {**DRAWN, "where": WHERE}),
    Request("plain", "aggregate", {**ITEM, "metrics": ["people", "events", "share"]}),
    Request("everything", "aggregate", {**ITEM, "metrics": METRICS, "range": (0, 150), "where": WHERE}),
    Request("replace", "aggregate", {**ITEM, "metrics": METRICS[1:4], **REPLACE}, "odd"),
    Request(
        "missing values",
        "aggregate",
        {**ITEM, "metrics": ["people", "events", "people(minutes)", "events(minutes)", "mean(minutes)"]},
        "odd",
    ),
    Request(
        "keys",
        "aggregate",
        {**KNOWN, "metrics": METRICS, "range": {"minutes": [0, 5, 20, 150]}, "delta": 1e-7},
    ),
    Request(
        "by hand",
        "aggregate",
        {
            **ITEM,
            "metrics": METRICS[:3],
            "bound": {"sum(minutes)": 500},
            "weights": {"people": 3},
            "target_error": {"events": 0.1},
        },
    ),
    Request(
        "months",
        "aggregate",
        {**ITEM, "by": "day", "per": "month", "dates": ("2024-01-01", "2024-04-15"), "metrics": ["sum(minutes)"]},
    ),
    Request("bins", "aggregate", {**ITEM, "by": "minutes", "bins": [0, 10, 50, 150], "metrics": ["people"]}),
    Request("sum, keys", "histogram", {**KNOWN, "sum": "minutes"}),
    Request("sum, correlated", "histogram", {**KNOWN, "sum": "minutes", "mechanism": "correlated", "bound": 90}),
    Request("sum", "total", {**ALL, "sum": "minutes", "delta": 1e-7, "bound": 1000}),
)

WRONG = (
    Request("no cost", "histogram", {**PERSON, "by": "item"}),
    Request("no item", "histogram", {**PERSON, "epsilon": 1}),
    Request("unknown column", "histogram", {**ITEM, "by": "itm"}),
    Request("unknown person", "total", {**ALL, "user": "persn"}),
    Request("person as item", "histogram", {**ITEM, "by": "person"}),
    Request("parameter of another job", "profile", {**ITEM, "keys": LISTED}),
    Request("sizes of a histogram", "histogram", {**ITEM, "sizes": "public"}),
    Request("unknown mechanism", "histogram", {**ITEM, "mechanism": "laplace"}),
    Request("unknown neighbours", "top", {**ITEM, "neighbours": "swap"}),
    Request("bound 0", "histogram", {**ITEM, "bound": 0}),
    Request("bound of no name", "histogram", {**ITEM, "bound": "best"}),
    Request("bound of known items", "histogram", {**ITEM, "bound": papers.DpSgd()}),
    Request("correlated, replace", "histogram", {**KNOWN, "mechanism": "correlated", **REPLACE}),
    Request("correlated, bound", "histogram", {**KNOWN, "mechanism": "correlated", "bound": 3}),
    Request("correlated, unknown items", "histogram", {**ITEM, "mechanism": "correlated"}),
    Request("correlated sum, no bound", "histogram", {**KNOWN, "mechanism": "correlated", "sum": "minutes"}),
    Request(
        "correlated sum, replace",
        "histogram",
        {**KNOWN, "mechanism": "correlated", "sum": "minutes", "bound": 90, **REPLACE},
    ),
    Request("profile and grid", "histogram", {**KNOWN, "bound": hc.ChosenBound(way="profile", grid=[1, 2])}),
    Request("bound and share", "histogram", {**ITEM, "bound": 3, "share": 0.1}),
    Request("epsilon 0", "histogram", {**ITEM, "epsilon": 0}),
    Request("epsilon too small to choose", "histogram", {**ITEM, "epsilon": 0.0001}),
    Request("delta 0", "histogram", {**ITEM, "delta": 0}),
    Request("delta 2", "histogram", {**ITEM, "delta": 2, "bound": 1}),
    Request("keys and bins", "histogram", {**KNOWN, "bins": [0, 1]}),
    Request("keys as text", "histogram", {**ITEM, "keys": "item 01"}),
    Request("keys twice", "histogram", {**ITEM, "keys": ["item 01", "item 01"]}),
    Request("keys of another type", "histogram", {**ITEM, "by": "minutes", "keys": ["long"]}),
    Request("bins that fall", "histogram", {**ITEM, "by": "minutes", "bins": [10, 0]}),
    Request("bins of text", "histogram", {**ITEM, "bins": [0, 10]}),
    Request("numbers without bins", "histogram", {**ITEM, "by": "minutes"}),
    Request("sum of text", "histogram", {**ITEM, "sum": "city"}),
    Request("epsilon and target", "histogram", {**ITEM, "target_error": 10, "bound": 1}),
    Request("target without a bound", "histogram", {**PERSON, "by": "item", "target_error": 10}),
    Request("rho without count-release", "histogram", {**PERSON, "by": "item", "rho": 0.1}),
    Request("poisson without people", "histogram", {**KNOWN, "count": "events", "debias": "poisson"}),
    Request("p without a sample", "histogram", {**ITEM, "p": 0.5}),
    Request("kbar without count-release", "histogram", {**ITEM, "kbar": 5}),
    Request("plume of events", "histogram", {**ITEM, "mechanism": papers.Plume(), "count": "events"}),
    Request("plume by name", "histogram", {**ITEM, "mechanism": "plume"}),
    Request("dp-sgd by name", "histogram", {**KNOWN, "bound": "dp-sgd"}),
    Request("theta of quantiles", "quantiles", {**SCALE, "theta": 20}),
    Request("grid of quantiles", "quantiles", {**SCALE, "bound": hc.ChosenBound(grid=[1, 2])}),
    Request("relative error", "histogram", {**ITEM, "mechanism": "count-release", "target_error": 0.3}),
    Request("options of another job", "histogram", {**ITEM, "mechanism": hc.SampleSearch(theta=20)}),
    Request("share 2", "heavy_hitters", {**ITEM, "share": 2}),
    Request("more than candidates", "top", {**ITEM, "k": 30, "kbar": 10}),
    Request("where of no column", "total", {**ALL, "where": {"country": "FR"}}),
    Request("no range", "quantiles", {**PERSON, "value": "minutes", "epsilon": 1}),
    Request("q in percent", "quantiles", {**SCALE, "q": [10, 50]}),
    Request("log, too few cells", "quantiles", {**SCALE, "range": (-5, 50), "spacing": "log", "cells": 3}),
    Request("quantiles of text", "quantiles", {**SCALE, "value": "city"}),
    Request("no ranges", "ranges", {**PERSON, "value": "minutes", "epsilon": 1}),
    Request("range that falls", "ranges", {**PARTS, "ranges": [(10, 0)]}),
    Request("bound of a shape", "shape", {**ITEM, "bound": "auto-ish"}),
    Request("buckets of a staircase", "shape", {**ITEM, "buckets": 10}),
    Request("no metric", "aggregate", {**ITEM, "metrics": ["average(minutes)"]}),
    Request("median without a range", "aggregate", {**ITEM, "metrics": ["median(minutes)"]}),
    Request("sum of text", "aggregate", {**ITEM, "metrics": ["sum(city)"]}),
    Request("unknown items", "distribution", ITEM),
    Request("public sizes", "distribution", {**DRAWN, "sizes": "public"}),
    Request("people without a bound", "distribution", {**DRAWN, "target": "source", "people": 100}),
    Request("bound of people's shares", "distribution", {**DRAWN, "bound": 5}),
)

JOBS = tuple(dict.fromkeys(each.job for each in REQUESTS))
