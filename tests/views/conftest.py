"""A Postgres server and a Spark for the views that run on them."""

from tests.conformance.conftest import postgres, spark, spark_log

__all__ = ["postgres", "spark", "spark_log"]
