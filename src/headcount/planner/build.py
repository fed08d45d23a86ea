"""Plans from arguments as typed."""

from typing import Any

from headcount.account.calibration.budget import budget, epsilon_of_rho, min_epsilon
from headcount.errors import BadParameter
from headcount.exact import Number, rational
from headcount.job import Job
from headcount.planner.plan import Plan, check_delta
from headcount.release import Release
from headcount.source import open_events
from headcount.source.events import check_limits
from headcount.source.table import declared
from headcount.wording.typed import check_showable

DEFAULT_DELTA = 1e-6
APART = ("epsilon", "delta", "rho", "target_error")
"""Arguments of the budget: no part of the question, unless the error is relative."""


def release(kind: type[Job], data: Any, given: dict[str, Any]) -> Release:
    """The release of a job, from all arguments of its public function."""
    arguments = {name: value for name, value in given.items() if name not in ("data", "ledger")}
    return build(kind, data, arguments).release(ledger=given["ledger"])


def build(kind: type[Job], data: Any, arguments: dict[str, Any]) -> Plan:
    """The plan of a job, from its arguments as typed."""
    job, delta = request(kind, arguments), arguments.get("delta", DEFAULT_DELTA)
    given = declared(data)
    epsilon, rho, target = (arguments.get(name) for name in ("epsilon", "rho", "target_error"))
    if kind.relative_target(arguments):
        target = None  # of the job, not of the budget
    check_delta(job, rational("delta", delta, fix="delta=1e-6"))
    events = open_events(given.data, job.columns, given.name, job.roles, given.promise)
    check_limits(given.data, events, given.limits)
    if events.certificate and events.certificate.one_row:
        job = job.of_one_row(rational("delta", delta, fix="delta=1e-6"))
    job.check_source(events)
    columns = {name: str(kind) for name, kind in events.columns.items()}

    def plan_for(epsilon: Number) -> Plan:
        typed = budget(epsilon, delta)
        return Plan(events.name, job, typed, columns, events, given.limits, events.promise, events.certificate)

    if target is None:
        plan = plan_for(_epsilon(job, epsilon, rho, delta))
        plan.check()
        return plan
    job.check_target(target)
    if epsilon is not None or rho is not None:
        raise BadParameter("epsilon and target_error: only one of them.", fix="target_error=10 finds the epsilon")
    plan = min_epsilon(target, plan_for)
    plan.check()
    return plan


def request(kind: type[Job], arguments: dict[str, Any]) -> Job:
    """The job of arguments as typed: without its budget."""
    for name, value in arguments.items():
        check_showable(name, value)
    typed = {name: value for name, value in arguments.items() if name not in APART}
    if kind.relative_target(typed) and (target := arguments.get("target_error")) is not None:
        typed["target_error"] = target
    return kind.from_typed(**typed)


def _epsilon(job: Job, epsilon: Number | None, rho: Number | None, delta: Number) -> Number:
    """Epsilon as typed, or what rho comes to."""
    if rho is None and epsilon is None:
        raise BadParameter("how much may it cost?", fix=job.cost_example)
    if rho is None:
        assert epsilon is not None
        return epsilon
    if epsilon is not None:
        raise BadParameter("epsilon and rho: only one of them.", fix="epsilon=1, or rho=0.1")
    job.check_rho()
    return epsilon_of_rho(rho, delta)
