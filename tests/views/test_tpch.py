"""Questions of TPC-H as views (benchmarks/views/speed.py): customers, their orders, and lines by links."""

from typing import Any

import ibis
import pytest
from benchmarks.views.speed import QUESTIONS, WINDOWS, declared, measured

pytestmark = pytest.mark.filterwarnings("ignore")
ALL = {**QUESTIONS, **WINDOWS}
ONE_ROW = {"Q13: orders per customer", "first order of each customer"}
ROWS = {
    "Q13: orders per customer": 90,
    "Q18: large orders": 50,
    "revenue per ship month": 800,
    "quantity per month and nation": 800,
    "revenue per supplier nation": 800,
    "AUTOMOBILE orders per nation": 80,
    "first order of each customer": 80,
}
MONEY = "DECIMAL(15, 2)"
TABLES = (
    "customer AS SELECT i AS c_custkey, i % 5 AS c_nationkey, if(i < 40, 'AUTOMOBILE', 'OTHER') AS c_mktsegment "
    "FROM range(90) t(i)",
    f"orders AS SELECT i AS o_orderkey, i % 80 AS o_custkey, DATE '1995-01-01' + i::INT AS o_orderdate, "
    f"i::{MONEY} AS o_totalprice, if(i % 7 = 0, 'special requests', 'none') AS o_comment FROM range(160) t(i)",
    f"lineitem AS SELECT i % 160 AS l_orderkey, i % 10 AS l_suppkey, DATE '1995-02-01' + i::INT AS l_shipdate, "
    f"(if(i % 160 < 50, 61, 1))::{MONEY} AS l_quantity, 100::{MONEY} AS l_extendedprice, 0.5::{MONEY} AS l_discount "
    "FROM range(800) t(i)",
    "supplier AS SELECT i AS s_suppkey, i % 5 AS s_nationkey FROM range(10) t(i)",
    "nation AS SELECT i AS n_nationkey, 'nation ' || i AS n_name FROM range(5) t(i)",
)


@pytest.fixture(scope="module")
def con() -> Any:
    connection = ibis.duckdb.connect(threads=1)
    for text in TABLES:
        connection.raw_sql(f"CREATE TABLE {text}")
    return connection


@pytest.mark.every_case
@pytest.mark.parametrize("name", ALL)
def test_a_question_is_proved_and_has_its_rows(con: Any, name: str) -> None:
    expression = ALL[name]({table: con.table(table) for table in con.list_tables() if table != "found"})
    view = declared(expression)
    certificate, table = view.certified(view.people()[0])
    assert certificate.one_row == (name in ONE_ROW)
    assert table.count().execute() == expression.count().execute() == ROWS[name]
    assert min(measured(con, expression, 1)) > 0
