"""The SQL of views, by engine: what an engine's dialect does not have is refused before a row is read.

dialect.py         what a dialect is made of
duckdb.py          DuckDB: everything that has a template, each operation that can fail in a TRY
postgres.py        Postgres: templates of which none can fail
postgres_casts.py  casts on Postgres that no value makes fail
postgres_rules.py  the operations that views may have on Postgres
postgres_sql.py    the SQL as run on Postgres, looked at once more
registry.py        the dialect of an engine
"""
