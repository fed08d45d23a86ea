"""A Postgres server for the views that run on it."""

from tests.conformance.conftest import postgres

__all__ = ["postgres"]
