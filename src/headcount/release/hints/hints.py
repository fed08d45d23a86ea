"""All hints about a release."""

import json

import pyarrow as pa

from headcount.release.about import About
from headcount.release.hints.misread import misread_hints
from headcount.release.hints.request import amount_of, request_hints
from headcount.release.views import view_of


def release_hints(table: pa.Table, about: About) -> list[str]:
    """Hints about a release: those of its request, and what its rows suggest."""
    request = json.loads(about.plan or "{}")
    plain = request if isinstance(request, dict) else {}
    parameters = plain.get("parameters")
    return [
        *request_hints(plain, amount_of(about.epsilon), amount_of(about.delta)),
        *misread_hints(table, about, plain),
        *view_of(about).hints(table, about, parameters if isinstance(parameters, dict) else {}),
    ]
