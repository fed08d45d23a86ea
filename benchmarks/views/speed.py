"""CPU time of rewritten views over that of the same expressions as written, on TPC-H.

    python -m benchmarks.views.speed [--scale 0.2] [--runs 5] [--folder FOLDER]

The tables are stored in DuckDB, which has one thread: a share of the machine's other work would count for one of the
two otherwise. Both texts are run in turn, and their rows stored in a temporary table; the least of all runs counts, as
other processes only add. *as written* is what Ibis makes of the expression, *as run* the SQL of the certificate.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import ibis
import numpy as np
from ibis.expr import types as ir

from benchmarks.tpch import TABLES, opened
from headcount.source.views.view import View, view

_ = ibis._
Tables = Mapping[str, ir.Table]
USERS = {"orders": "o_custkey", "customer": "c_custkey"}
LINKS = {"lineitem.l_orderkey": "orders.o_orderkey"}
PUBLIC = ("nation", "supplier")


def customers(t: Tables) -> ir.Table:
    """Customers with their nation."""
    return t["customer"].join(t["nation"], _.c_nationkey == t["nation"].n_nationkey)


def lines(t: Tables) -> ir.Table:
    """Lines with their orders, by the link."""
    return t["orders"].join(t["lineitem"], t["orders"].o_orderkey == t["lineitem"].l_orderkey)


def revenue(table: ir.Table) -> ir.Table:
    """Rows with what was paid."""
    return table.mutate(revenue=_.l_extendedprice * (1 - _.l_discount))


def orders_per_customer(t: Tables) -> ir.Table:
    """Q13: the number of orders of each customer, without special requests."""
    plain = t["orders"].filter(~_.o_comment.like("%special%requests%"))
    both = t["customer"].left_join(plain, t["customer"].c_custkey == plain.o_custkey)
    return both.group_by("c_custkey").agg(orders=_.o_orderkey.count())


def large_orders(t: Tables) -> ir.Table:
    """Q18: orders of more than 300 pieces, and who placed them."""
    volume = t["lineitem"].group_by("l_orderkey").agg(pieces=_.l_quantity.sum()).filter(_.pieces > 300)
    found = t["orders"].join(volume, t["orders"].o_orderkey == volume.l_orderkey)
    joined = found.join(t["customer"], found.o_custkey == t["customer"].c_custkey)
    return joined.select("c_custkey", "o_orderkey", "o_orderdate", "o_totalprice", "pieces")


def revenue_per_ship_month(t: Tables) -> ir.Table:
    """Revenue of lines by the month in which they were shipped."""
    return revenue(lines(t)).select("o_custkey", "revenue", month=_.l_shipdate.truncate("M"))


def quantity_per_nation(t: Tables) -> ir.Table:
    """Pieces of lines by month and nation of the customer."""
    nations = customers(t)
    joined = lines(t).join(nations, _.o_custkey == nations.c_custkey)
    return joined.select("o_custkey", "n_name", "l_quantity", month=_.o_orderdate.truncate("M"))


def revenue_per_supplier_nation(t: Tables) -> ir.Table:
    """Revenue of lines by month and nation of the supplier."""
    nations = t["supplier"].join(t["nation"], _.s_nationkey == t["nation"].n_nationkey)
    joined = revenue(lines(t)).join(nations, _.l_suppkey == nations.s_suppkey)
    return joined.select("o_custkey", "n_name", "revenue", month=_.l_shipdate.truncate("M"))


def automobile_revenue(t: Tables) -> ir.Table:
    """Orders of one segment by month and nation."""
    nations = customers(t).filter(_.c_mktsegment == "AUTOMOBILE")
    joined = t["orders"].join(nations, t["orders"].o_custkey == nations.c_custkey)
    return joined.select("o_custkey", "n_name", "o_totalprice", month=_.o_orderdate.truncate("M"))


def first_orders(t: Tables) -> ir.Table:
    """The first order of each customer."""
    narrow = t["orders"].select("o_custkey", "o_orderdate", "o_totalprice")
    return narrow.filter(ibis.row_number().over(group_by="o_custkey", order_by="o_orderdate") == 0)


QUESTIONS: dict[str, Callable[[Tables], ir.Table]] = {
    "Q13: orders per customer": orders_per_customer,
    "Q18: large orders": large_orders,
    "revenue per ship month": revenue_per_ship_month,
    "quantity per month and nation": quantity_per_nation,
    "revenue per supplier nation": revenue_per_supplier_nation,
    "AUTOMOBILE orders per nation": automobile_revenue,
}
WINDOWS: dict[str, Callable[[Tables], ir.Table]] = {"first order of each customer": first_orders}
"""Not in the mean: as written, ties are broken by chance, and DuckDB needs no sorting for that."""


def stored(folder: Path, scale: float) -> Any:
    """A connection of one thread with the tables in its database."""
    opened(folder, scale).close()  # makes the files, if they are not there
    connection = ibis.duckdb.connect(threads=1)
    for table in TABLES:
        connection.raw_sql(f"CREATE TABLE {table} AS FROM '{folder / table}.parquet'")
    return connection


def declared(expression: ir.Table) -> View:
    """The view of an expression, with what is declared about the tables that it reads."""
    read = {leaf.name for leaf in expression.op().find(ibis.expr.operations.DatabaseTable)}
    users = {name: column for name, column in USERS.items() if name in read}
    links = LINKS if "lineitem" in read else {}
    return view(expression, user=users, public=[name for name in PUBLIC if name in read], links=links)


def seconds(connection: Any, sql: str) -> tuple[float, float]:
    """CPU and wall seconds of storing the rows of a text."""
    cpu, wall = time.process_time(), time.perf_counter()
    connection.raw_sql(f"CREATE OR REPLACE TEMP TABLE found AS {sql}")
    return time.process_time() - cpu, time.perf_counter() - wall


def measured(connection: Any, expression: ir.Table, runs: int) -> list[float]:
    """CPU and wall seconds as written, then as run: the least of some runs in turn."""
    proved = declared(expression)
    texts = connection.compile(expression), proved.certified(proved.people()[0])[0].sql
    taken = [[*seconds(connection, texts[0]), *seconds(connection, texts[1])] for _ in range(runs + 1)]
    return [min(each) for each in zip(*taken[1:], strict=True)]


def report(connection: Any, runs: int) -> Iterator[str]:
    """A line for each question, and the geometric mean of the ratios."""
    tables = {name: connection.table(name) for name in TABLES}
    yield "| view | CPU as written | CPU as run | ratio | wall: ratio |"
    yield "|---|---|---|---|---|"
    ratios = []
    for name, question in {**QUESTIONS, **WINDOWS}.items():
        cpu, wall, own_cpu, own_wall = measured(connection, question(tables), runs)
        ratios.append((own_cpu / cpu, own_wall / wall))
        yield f"| {name} | {cpu:.3f} s | {own_cpu:.3f} s | {own_cpu / cpu:.2f} | {own_wall / wall:.2f} |"
    means = np.exp(np.mean(np.log(ratios[: len(QUESTIONS)]), axis=0))
    yield f"| geometric mean of the joins | | | {means[0]:.2f} | {means[1]:.2f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=0.2)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for line in report(stored(Path(options.folder or temporary), options.scale), options.runs):
            print(line, flush=True)


if __name__ == "__main__":
    main()
