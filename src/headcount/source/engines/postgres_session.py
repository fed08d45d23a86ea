"""Connections of our own to the server of a user's Postgres connection.

Everything runs on a connection of our own, with the parameters and the role of the user's: so a release gives the same
result whatever is set there (SETTINGS), and the user's transaction, settings and results are left alone. The look of a
ledger and all queries of the reading after it are in one transaction that sees one snapshot (REPEATABLE READ). It is
rolled back at the end, and nothing else than temporary tables and views is ever written; READ ONLY would forbid these.
What the user's connection alone sees, temporary tables and rows that are not committed, does not exist here.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from headcount.errors import NotATable

if TYPE_CHECKING:
    from psycopg import Connection

SETTINGS = {
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "extra_float_digits": "1",
    "client_encoding": "UTF8",
    "standard_conforming_strings": "on",
    "transform_null_equals": "off",
    "array_nulls": "on",
    "jit": "off",
    "application_name": "headcount",
}
"""Settings of our own connection: they change the meaning of text, of a moment or of a comparison, or (jit) make small
queries slow. The server's timeouts and memory stay as they are for the user's role."""
OLDEST = 16
"""First version that can tell whether a text is valid before it is cast (pg_input_is_valid)."""


def connect(user: Any, *, of_user: bool = True) -> "Connection[Any]":
    """Open a connection of ours beside a user's, in a transaction that sees one snapshot. Names are looked up in the
    user's schemas (`of_user`), or in pg_catalog alone."""
    import psycopg

    own = psycopg.connect(**user.info.get_parameters(), password=user.info.password or None)
    own.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    with user.transaction(), user.cursor() as cursor:
        role, schemas = cursor.execute("SELECT current_user::text, current_schemas(false)::text[]").fetchone()
    own.execute("SELECT set_config('role', %s, false)", (role,))
    others = [quoted(name) for name in schemas if of_user and name != "pg_catalog"]
    path = ", ".join(["pg_catalog", *others, "pg_temp"])
    for name, value in {**SETTINGS, "search_path": path}.items():
        own.execute("SELECT set_config(%s, %s, false)", (name, value))
    return own


@contextmanager
def session(user: Any, *, of_user: bool = True) -> Iterator["Connection[Any]"]:
    """Open a connection of ours beside a user's for the duration of the block."""
    own = connect(user, of_user=of_user)
    try:
        yield own
    finally:
        close(own)


def close(own: "Connection[Any]") -> None:
    """Close a connection of ours; its transaction is rolled back, with all tables in it."""
    with suppress(Exception):  # the server is gone
        own.cancel_safe(timeout=5)
    own.close()


def quoted(name: str) -> str:
    """Return a name as an identifier in SQL."""
    return '"' + name.replace('"', '""') + '"'


def check_server(own: "Connection[Any]") -> None:
    """Refuse a server, or a role, that a release cannot run on."""
    version = own.info.server_version // 10_000
    if version < OLDEST:
        raise NotATable(f"an Ibis table on Postgres {version}.", fix=f"Postgres {OLDEST} or later, or a file")
    encoding, standby, may_create = own.execute(
        "SELECT current_setting('server_encoding'), pg_is_in_recovery(), "
        "has_database_privilege(current_database(), 'TEMP')"
    ).fetchone() or ("", False, False)
    if encoding != "UTF8":
        raise NotATable(f"a Postgres database in the encoding {encoding}.", fix="a database in UTF8, or a file")
    if standby:
        raise NotATable(
            "an Ibis table on a Postgres standby, which has no temporary tables.", fix="the primary, or a file"
        )
    if not may_create:
        raise NotATable(
            "an Ibis table on Postgres whose role may not create temporary tables.",
            fix="GRANT TEMP ON DATABASE ... TO ...",
        )
