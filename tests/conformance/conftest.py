"""One Spark for each process that runs tests, started when the first test needs it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.engines import COMPARED, Put, spark_session


@pytest.fixture(scope="session")
def spark_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Spark writes down what it does."""
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="session")
def spark(spark_log: Path) -> Iterator[Any]:
    session = spark_session(spark_log)
    yield session
    session.stop()


@pytest.fixture(scope="session", params=list(COMPARED))
def put(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Put:
    """Puts a table on each engine beside DuckDB."""
    return COMPARED[request.param](request, tmp_path_factory.mktemp("tables"))
