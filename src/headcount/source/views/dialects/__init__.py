"""The SQL of views, by engine: what an engine's dialect does not have is refused before a row is read.

dialect.py         what a dialect is made of
rules.py           which operations an engine without a TRY has, and which types
casts.py           casts that change nothing
duckdb.py          DuckDB: everything that has a template, each operation that can fail in a TRY
postgres.py        Postgres: templates of which none can fail
postgres_casts.py  casts on Postgres that no value makes fail
postgres_rules.py  the operations that views may have on Postgres
postgres_sql.py    the SQL as run on Postgres, looked at once more
spark.py           Spark: templates of which none can fail, strict (ANSI) or not
spark_casts.py     casts on Spark that no value makes fail
spark_rules.py     the operations that views may have on Spark
spark_sql.py       the SQL as run on Spark, looked at once more
registry.py        the dialect of an engine
"""
