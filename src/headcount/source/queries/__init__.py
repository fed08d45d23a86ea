"""Queries that are handed in as data: is every row made of one row of a table, or may one person's data be in others'?

step.py           a step that is not row by row, and the promise that it needs
ibis.py           an Ibis expression, by the class of each operation
duckdb_sql.py     SQL text, as DuckDB's own parser reads it
catalog.py        what the name of a table stands for on DuckDB: a table, files, or a view
spark_plan.py     a Spark DataFrame, by the class of each node of its analysed plan
spark_proved.py   what Spark made of the SQL of a proved view
lazy_polars.py    a lazy Polars frame, by the text of its plan

Each of them is a list of what is allowed. What is not on it is a step that needs the promise: unknown is refused.
Nothing here reads a row: an answer depends on the expression and the schema alone.
"""
