"""What every job must be: a parameter is written in a signature and in a field, and everything else follows."""

import json
from dataclasses import MISSING, Field, fields
from functools import partial
from inspect import Parameter, signature
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pytest
import typer
from tests.golden.requests import REQUESTS
from tests.golden.tables import TABLES

import headcount as hc
from headcount import papers
from headcount.cli.job import command
from headcount.cli.options import SHARED
from headcount.errors import BadParameter
from headcount.job import Job
from headcount.jobs import JOBS
from headcount.jobs.calls.unpack import unpack
from headcount.jobs.registry import FUNCTIONS
from headcount.mechanism.automatic import BASELINES, COUNTING, Automatic, CountMechanism
from headcount.mechanism.options import CountOptions
from headcount.planner import Plan
from headcount.wording.docstring import described_parameters
from headcount.wording.options import Options, option_fields

pytestmark = pytest.mark.every_case

BUDGET = {"epsilon", "delta", "rho", "target_error"}
RUN = {"data", "ledger"}
BESIDE = {
    "files",
    "user",
    "neighbours",
    "keys_file",
    "engine",
    "master",
    "out",
    "dry_run",
    "as_json",
    "analyst",
    "again",
    "dataset",
    "memory",
    "purpose",
    "spill",
    "serves",
    "table",
    "public",
    "links",
    "view",
}
"""Options that no parameter has."""
PYTHON_ONLY = {"data"}
"""Parameters without an option."""


def parameters(job: str) -> dict[str, Parameter]:
    return dict(signature(FUNCTIONS[job]).parameters)


def own_fields(job: str) -> dict[str, Field[Any]]:
    return {field.name: field for field in fields(Job.kind(job))}


@pytest.mark.parametrize("job", JOBS)
def test_a_parameter_is_a_field_and_nothing_else_is(job: str) -> None:
    names, own = set(parameters(job)), set(own_fields(job))
    assert own - names == set(Job.kind(job).option_parameters)
    assert names - own <= BUDGET | RUN


@pytest.mark.parametrize("job", JOBS)
def test_an_option_is_no_parameter_and_is_refused_with_its_object(job: str) -> None:
    """A former parameter is refused by the function and by `plan`, in words that say what to write."""
    kinds = Job.kind(job).options
    for name in {field.name for kind in kinds for field in option_fields(kind)} - set(parameters(job)):
        for call in (lambda **more: hc.plan(job, "no such file", **more), partial(FUNCTIONS[job], "no such file")):
            with pytest.raises(
                BadParameter, match=rf"^{name}: an option of (\w+). Fix: \w+=(hc|papers).\1\({name}=5\)"
            ):
                call(**{name: 5})


@pytest.mark.parametrize("job", JOBS)
def test_every_option_is_documented_and_filled_by_its_class(job: str) -> None:
    for kind in Job.kind(job).options:
        assert set(described_parameters(kind.__doc__)) == {field.name for field in option_fields(kind)}, kind
        assert kind.parameter in parameters(job)
        assert getattr(papers if kind.home == "papers" else hc, kind.__name__, kind) is kind


def test_every_mechanism_that_counts_can_be_typed_by_its_name() -> None:
    """An editor offers the names of the registry, in the same order."""
    assert get_args(CountMechanism) == tuple(kind.name for kind in COUNTING)


@pytest.mark.parametrize("kind", [kind for kind in (*COUNTING, *BASELINES) if kind is not Automatic])
def test_a_mechanism_by_name_and_its_object_are_one_request(kind: type[CountOptions]) -> None:
    """Also as text: what is stored is the name, with every option beside it."""
    more: dict[str, Any] = {"keys": ["item 01"]} if kind.listed else {}
    request = {"user": "person", "by": "item", "epsilon": 4, **more}
    plan: Plan = hc.plan("histogram", TABLES["visits"](), **request, mechanism=kind())
    stored = json.loads(plan.to_json())["parameters"]
    assert stored["mechanism"] == kind.name
    assert {"kbar", "variant", "p", "theta", "rule", "target_error", "share", "grid", "people"} <= set(stored)
    assert "rho" not in stored
    assert Plan.from_json(plan.to_json()) == plan
    if kind.home == "hc":
        named: Plan = hc.plan("histogram", TABLES["visits"](), **request, mechanism=kind.name)
        assert named.to_json() == plan.to_json()


@pytest.mark.parametrize("job", JOBS)
def test_defaults_of_signature_and_field_mean_the_same(job: str) -> None:
    for name, field in own_fields(job).items():
        if name in Job.kind(job).option_parameters:
            continue
        default = parameters(job)[name].default
        if isinstance(field.default, Options):
            assert field.default.name == default
            continue
        assert (default is Parameter.empty) == (field.default is MISSING), name
        if default is not Parameter.empty and default != field.default:
            parsed = Job.kind(job).from_typed(**{**_example(job), name: default})
            assert getattr(parsed, name) == field.default, name


def _example(job: str) -> dict[str, Any]:
    """The parameters of some request, as far as they are the job's."""
    arguments = next(each.arguments for each in REQUESTS if each.job == job)
    return {name: value for name, value in unpack(Job.kind(job), arguments).items() if name in own_fields(job)}


@pytest.mark.parametrize("job", JOBS)
def test_names_follow_from_the_file(job: str) -> None:
    kind = Job.kind(job)
    assert kind.__module__ == FUNCTIONS[job].__module__ == f"headcount.jobs.{job}"
    assert kind.__name__ == job.title().replace("_", "")
    assert getattr(hc, job) is FUNCTIONS[job]


@pytest.mark.parametrize("job", JOBS)
def test_every_parameter_is_documented(job: str) -> None:
    """By its own docstring, which is what an editor shows."""
    assert list(described_parameters(FUNCTIONS[job].__doc__)) == list(parameters(job))


@pytest.mark.parametrize("job", JOBS)
def test_the_command_has_the_parameters_as_options_with_help(job: str) -> None:
    options = signature(command(job)).parameters
    assert set(parameters(job)) - PYTHON_ONLY <= set(options)
    assert set(options) - set(parameters(job)) <= BESIDE
    for name in set(parameters(job)) - set(SHARED):
        (option,) = (each for each in options[name].annotation.__metadata__)
        assert isinstance(option, typer.models.OptionInfo)
        assert option.help, name


@pytest.mark.parametrize("job", JOBS)
def test_a_plan_holds_its_own_fields_and_reads_itself_again(job: str) -> None:
    request = next(each for each in REQUESTS if each.job == job)
    plan = hc.plan(job, TABLES[request.table](), **request.arguments)
    assert set(own_fields(job)) - set(plan.job.to_plain()) == set(plan.job.later_parameters) - set(request.arguments)
    again = Plan.from_json(plan.to_json())
    assert again.job == plan.job
    assert again.to_json() == plan.to_json()


@pytest.mark.parametrize("job", JOBS)
def test_a_parameter_that_a_job_does_not_have_is_refused_before_anything_is_opened(job: str) -> None:
    with pytest.raises(BadParameter, match=f"epsilo: {job} has no such parameter. Fix: did you mean epsilon=1"):
        hc.plan(job, "no such file", epsilo=1)


def test_a_plan_of_another_format_is_refused_with_a_clear_line() -> None:
    plan = hc.plan("histogram", hc.example(people=10), user="user", by="song", epsilon=1)
    for text in (plan.to_json().replace('"headcount":8', '"headcount":7'), '{"headcount": 5}'):
        with pytest.raises(BadParameter, match="made by another version of headcount"):
            Plan.from_json(text)


def request(job: str, **arguments: Any) -> str:
    """What a ledger is asked for."""
    plan: Plan = hc.plan(job, hc.table(TABLES["visits"](), name="visits"), user="person", epsilon=1, **arguments)
    return plan.charge().request


SCALE = {"value": "minutes", "range": (0, 150)}


@pytest.mark.parametrize(
    ("job", "one", "other"),
    [
        ("heavy_hitters", {"by": "item"}, {"by": "item", "mechanism": "weighted"}),
        ("total", {"count": "users"}, {"count": "users", "bound": 1}),
        ("quantiles", {**SCALE, "cells": 100}, {**SCALE, "cells": np.int64(100)}),
        ("quantiles", {"value": "minutes", "edges": [0, 5, 9]}, {"value": "minutes", "edges": (0, 5, 9), "cells": 7}),
        ("histogram", {"by": "item", "epsilon": 1}, {"by": ["item"], "epsilon": "1"}),
    ],
)
def test_two_spellings_of_one_request_are_one_request(job: str, one: dict[str, Any], other: dict[str, Any]) -> None:
    arguments = [{name: value for name, value in each.items() if name != "epsilon"} for each in (one, other)]
    assert request(job, **arguments[0]) == request(job, **arguments[1])


@pytest.mark.parametrize("job", ["histogram", "heavy_hitters"])
def test_a_plan_from_text_needs_the_delta_that_a_typed_one_needs(job: str) -> None:
    plan = hc.plan(job, TABLES["visits"](), user="person", by="item", epsilon=1)
    with pytest.raises(BadParameter, match="this is not a plan"):
        Plan.from_json(plan.to_json().replace('"delta":"0.000001"', '"delta":"0"'))


@pytest.mark.parametrize(
    ("job", "wrong"),
    [
        ("histogram", {"by": "item", "bins": ()}),
        ("total", {"where": ()}),
        ("total", {"user": 5}),
        ("total", {"user": []}),
    ],
)
def test_what_looks_like_a_default_is_checked_as_well(job: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(BadParameter):
        hc.plan(job, TABLES["visits"](), **{"user": "person", "epsilon": 1, **wrong})


@pytest.mark.parametrize("name", ["value", "q", "from", "to", "share", "at_least", "items"])
def test_items_may_have_the_name_of_a_number(name: str) -> None:
    table = pa.table({"person": range(300), name: ["a"] * 300})
    release = hc.histogram(table, user="person", by=name, epsilon=10, bound=1)
    assert "a" in release.summary()
    assert "<td>a</td>" in release._repr_html_()
