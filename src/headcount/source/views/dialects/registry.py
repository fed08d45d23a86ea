"""The dialect of an engine."""

from headcount.source.engines.engine import Engine
from headcount.source.views.dialects.dialect import Dialect
from headcount.source.views.dialects.duckdb import DUCKDB
from headcount.source.views.dialects.postgres import POSTGRES
from headcount.source.views.dialects.spark import SPARK

DIALECTS = {"duckdb": DUCKDB, "postgres": POSTGRES, "spark": SPARK}
"""By the name of the engine: those that can run views (`Engine.certifies`)."""


def dialect_of(engine: Engine) -> Dialect:
    """Return how views are written for an engine."""
    return DIALECTS[engine.name]
