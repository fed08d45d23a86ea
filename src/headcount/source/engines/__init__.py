"""Engines: one protocol, one file per engine, one registry.

engine.py            the protocol: capabilities and methods of an engine
contract.py          operations that engines write differently, tried before a charge
duckdb.py            DuckDB, embedded; it also reads files and frames in memory
duckdb_connection.py who holds a connection; a DuckDB of our own
duckdb_parts.py      rows that are read ahead, and in parts at once
spark.py             Spark, on the session of the user's DataFrame
spark_size.py        which tables come to the driver, and in what parts
spark_rows.py        how they come
spark_session.py     sessions of our own beside the user's; starting Spark
spark_views.py       stored tables of Spark, and proved views as DataFrames
spark_sql.py         Ibis's backend for Spark, as exact results need it
postgres.py          Postgres, beside the connection of the user's Ibis table
postgres_session.py  connections of our own beside the user's
postgres_sql.py      Ibis's backend for Postgres, as exact results need it
java.py              the Java that Spark starts on
scan.py              rows of files and frames on that DuckDB as SQL, without Ibis
kinds.py             types of their columns     sql_values.py  what is computed of them
limits.py            memory and disk that a run may use
registry.py          engine by name, by Ibis table, by native frame
"""
