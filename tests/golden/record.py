"""What is recorded of a request: its plan, what it would be charged, and the release under entropy that is fixed.

Only public doors are used: `hc.plan`, the function of each job, `Plan`, `Release`, `Ledger`. Nothing depends on the
version, the time, or a path. Numbers with a fraction in rows are rounded to nine digits, as processors may differ in
the last ones; everything else is exact.
"""

import hashlib
import inspect
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import headcount as hc
from headcount.noise import KeyedEntropy
from tests.golden.requests import Request

SECRET = bytes(range(32))
ROWS = 5
"""Rows that are shown; all are in the digest."""
DIGITS = 9
"""Of a number with a fraction."""


class Charged(Exception):
    """A ledger was asked for a charge."""


class Asking(hc.Ledger):
    """A ledger that stops at the first charge, and tells it."""

    def publish(self, charge: hc.Charge, *_: Any, **__: Any) -> Any:
        """Stop here."""
        raise Charged(charge.request)


def record(request: Request) -> dict[str, Any]:
    """Everything that can be seen of a request."""
    plan = hc.plan(request.job, request.data, **request.arguments)
    release = plan.release(entropy=KeyedEntropy(SECRET))
    text, charge, asked = plan.to_json(), plan.charge(), _by_function(request)
    return {
        "text": str(plan).splitlines(),
        "json": {"digest": digest(text), **json.loads(text)},
        "read again": hc.Plan.from_json(text).to_json() == text,
        "charge": {
            "cost": [str(charge.cost.epsilon), str(charge.cost.delta)],
            "dataset": charge.dataset,
            "neighbours": charge.neighbours,
            "request": {"digest": digest(charge.request), **_beyond(json.loads(charge.request), json.loads(text))},
        },
        "cost": [str(plan.cost.epsilon), str(plan.cost.delta)],
        "function": "the same" if asked == charge.request else asked,
        "explain": release.explain().splitlines(),
        "summary": release.summary().splitlines(),
        "table": _table(release.table),
        "saved": _saved(release, text),
    }


def refusal(request: Request) -> dict[str, str]:
    """The kind and the text of the error, by `hc.plan` and by the function of the job."""
    table = request.data
    told = {"plan": _error(hc.plan, request.job, table, **request.arguments)}
    if set(request.arguments) <= {each.name for each in parameters(request.job)}:
        told["function"] = _error(getattr(hc, request.job), table, **request.arguments)
    return told


def signature(function: str) -> list[str]:
    """The parameters of a function, in their order, and what they are by default."""
    return [str(each.replace(annotation=each.empty)) for each in parameters(function)]


def parameters(function: str) -> list[inspect.Parameter]:
    """The parameters of a function of the front door."""
    return list(inspect.signature(getattr(hc, function)).parameters.values())


def digest(text: str) -> str:
    """SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()


def _error(function: Any, *positional: Any, **arguments: Any) -> str:
    try:
        function(*positional, **arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "not refused"


def _by_function(request: Request) -> str:
    """What the function of the job asks a ledger for, having handed on every argument; or why it does not."""
    with TemporaryDirectory() as folder:
        ledger = Asking(Path(folder) / "ledger.db", epsilon=100, delta=0.1)
        told = _error(getattr(hc, request.job), request.data, **request.arguments, ledger=ledger)
    return told.removeprefix("Charged: ")


def _beyond(charged: dict[str, Any], planned: dict[str, Any]) -> dict[str, Any]:
    """What a charge says otherwise than its plan."""
    inner = {name: _beyond(value, planned[name]) for name, value in charged.items() if _both(value, planned.get(name))}
    other = {name: value for name, value in charged.items() if name not in inner and value != planned.get(name)}
    return {**other, **{name: value for name, value in inner.items() if value}}


def _both(one: Any, other: Any) -> bool:
    return isinstance(one, dict) and isinstance(other, dict)


def _table(table: pa.Table) -> dict[str, Any]:
    rows = rounded([list(row.values()) for row in table.to_pylist()])
    return {
        "columns": {field.name: str(field.type) for field in table.schema},
        "rows": json.loads(json.dumps(rows[:ROWS], default=str)),
        "in all": len(rows),
        "digest": digest(json.dumps(rows, default=str)),
    }


def _saved(release: hc.Release, plan: str) -> dict[str, Any]:
    """What the saved file tells beside its rows."""
    with TemporaryDirectory() as folder:
        path = release.save(Path(folder) / "release.parquet")
        kept = pq.read_table(path)
    assert kept.replace_schema_metadata(None).equals(release.table)
    about = json.loads(kept.schema.metadata[b"headcount"])
    assert about.pop("plan") == plan
    assert about.pop("version") == hc.__version__
    about["steps"] = digest("\n".join(about["steps"]))  # explain() shows them
    about["events"] = json.loads(about["events"])
    about["measured"] = rounded(json.loads(about["measured"] or "null"))
    return {"keys": sorted(map(bytes.decode, kept.schema.metadata)), **about}


def rounded(value: Any) -> Any:
    """The same with nine digits of every number with a fraction."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list) else value
