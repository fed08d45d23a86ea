"""Named views, as people write them and as an adversary would; each is proved or refused."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import ibis
from benchmarks.views.databases import Databases
from benchmarks.views.worlds import NAMED

_ = ibis._
PROVED, REFUSED = True, False


@dataclass(frozen=True)
class Case:
    """A view, and whether there is a proof."""

    name: str
    proved: bool
    user: str
    make: Callable[[Any], Any]


@ibis.udf.scalar.python  # type: ignore[untyped-decorator]
def own(value: int) -> int:
    return value


def ordered(t: Any) -> Any:
    return t.orders.join(t.customer, t.orders.o_custkey == t.customer.c_custkey)


def bought(t: Any) -> Any:
    return ordered(t).join(t.lineitem, t.orders.o_orderkey == t.lineitem.l_orderkey)


def pairs(table: Any, condition: Callable[[Any, Any], Any]) -> Any:
    other = table.view()
    return table.join(other, condition(table, other))


def databases(seed: int, count: int) -> tuple[Databases, Any]:
    """Databases, and their tables by name."""
    world = replace(NAMED, users={**NAMED.users, "late": "person_id"})
    found = Databases(world, seed, count)
    found.connection.raw_sql("CREATE VIEW late AS SELECT * FROM visit ORDER BY start DESC LIMIT 3")
    return found, SimpleNamespace(connection=found.connection, **found.tables)


CASES = [
    Case("table as it is", PROVED, "person_id", lambda t: t.visit),
    Case(
        "rename, filter, mutate",
        PROVED,
        "pid",
        lambda t: t.visit.rename(pid="person_id").filter(_.kind == 1).mutate(year=_.start.year()),
    ),
    Case("smartnoise#512: drug_era join person", PROVED, "person_id", lambda t: t.drug_era.join(t.person, "person_id")),
    Case(
        "smartnoise#512: person_id in (select ...)",
        PROVED,
        "person_id",
        lambda t: t.drug_era.filter(t.drug_era.person_id.isin(t.person.person_id)),
    ),
    Case(
        "not in (select person_id ...)",
        REFUSED,
        "person_id",
        lambda t: t.drug_era.filter(~t.drug_era.person_id.isin(t.person.person_id)),
    ),
    Case("anti join on the user", PROVED, "person_id", lambda t: t.drug_era.anti_join(t.person, "person_id")),
    Case("join with public concept", PROVED, "person_id", lambda t: t.drug_era.left_join(t.concept, "concept_id")),
    Case(
        "public concept left join private",
        PROVED,
        "person_id",
        lambda t: t.concept.left_join(t.drug_era, "concept_id").select("person_id", "name", "days"),
    ),
    Case("cross join with public", PROVED, "person_id", lambda t: t.person.cross_join(t.concept)),
    Case(
        "opendp#2610: any/min/max over user",
        PROVED,
        "person_id",
        lambda t: t.visit.mutate(
            ever=(t.visit.kind == 2).any().over(group_by="person_id"),
            first=t.visit.start.min().over(group_by="person_id"),
        ),
    ),
    Case("opendp#2610: max over everybody", REFUSED, "person_id", lambda t: t.visit.mutate(m=t.visit.kind.max())),
    Case(
        "opendp#2611: per patient from treatments",
        PROVED,
        "person_id",
        lambda t: (
            t.drug_era.group_by("person_id")
            .agg(n=_.count(), days=_.days.sum(), kinds=_.concept_id.nunique())
            .mutate(long=_.days > 30)
        ),
    ),
    Case(
        "longest streak per patient",
        PROVED,
        "person_id",
        lambda t: (
            t.visit.mutate(
                gap=(t.visit.start.delta(t.visit.start.lag(), unit="day")).over(group_by="person_id", order_by="start")
            )
            .group_by("person_id")
            .agg(longest=_.gap.max())
        ),
    ),
    Case(
        "latest row per patient",
        PROVED,
        "person_id",
        lambda t: t.visit.mutate(n=ibis.row_number().over(group_by="person_id", order_by=ibis.desc("start"))).filter(
            _.n == 0
        ),
    ),
    Case(
        "first row per patient by distinct(on)",
        REFUSED,
        "person_id",
        lambda t: t.visit.distinct(on="person_id", keep="first"),
    ),
    Case("distinct on another column", REFUSED, "person_id", lambda t: t.visit.distinct(on="kind", keep="first")),
    Case("distinct rows with the user", PROVED, "person_id", lambda t: t.visit.select("person_id", "kind").distinct()),
    Case("distinct rows without the user", REFUSED, "kind", lambda t: t.visit.select("kind").distinct()),
    Case(
        "self join on user, days apart",
        PROVED,
        "person_id",
        lambda t: pairs(t.visit, lambda v, w: [v.person_id == w.person_id, v.start < w.start]),
    ),
    Case(
        "self join on site: neighbours in a ward",
        REFUSED,
        "person_id",
        lambda t: pairs(t.visit, lambda v, w: v.kind == w.kind),
    ),
    Case(
        "outer join and coalesce",
        PROVED,
        "pid",
        lambda t: t.drug_era.outer_join(t.visit, "person_id").mutate(pid=ibis.coalesce(_.person_id, _.person_id_right)),
    ),
    Case(
        "outer join, one side's user", PROVED, "person_id_right", lambda t: t.drug_era.outer_join(t.visit, "person_id")
    ),
    Case("coalesce with a constant", REFUSED, "pid", lambda t: t.drug_era.mutate(pid=ibis.coalesce(_.person_id, 0))),
    Case("fill_null of the user", REFUSED, "person_id", lambda t: t.drug_era.fill_null({"person_id": 0})),
    Case(
        "union of two private tables",
        PROVED,
        "person_id",
        lambda t: t.drug_era.select("person_id", "start").union(t.visit.select("person_id", "start")),
    ),
    Case(
        "union with a public table",
        REFUSED,
        "person_id",
        lambda t: t.person.select("person_id").union(t.registry.select("person_id")),
    ),
    Case(
        "registry as the spine",
        REFUSED,
        "person_id",
        lambda t: t.registry.left_join(t.drug_era.group_by("person_id").agg(n=_.count()), "person_id"),
    ),
    Case(
        "not in a list with NULLs of an outer join",
        REFUSED,
        "person_id",
        lambda t: t.visit.filter(~t.visit.person_id.isin(t.concept.left_join(t.drug_era, "concept_id").person_id)),
    ),
    Case(
        "isin as a value",
        REFUSED,
        "person_id",
        lambda t: t.visit.mutate(b=t.visit.person_id.isin(t.concept.left_join(t.drug_era, "concept_id").person_id)),
    ),
    Case(
        "isin of an item list of others",
        REFUSED,
        "person_id",
        lambda t: t.visit.filter(t.visit.kind.cast("int64").isin(t.drug_era.concept_id)),
    ),
    Case("limit", REFUSED, "person_id", lambda t: t.visit.limit(2)),
    Case("order by, limit: the dearest", REFUSED, "person_id", lambda t: t.visit.order_by(ibis.desc("kind")).limit(2)),
    Case("order by alone", PROVED, "person_id", lambda t: t.visit.order_by("start")),
    Case("above the mean", REFUSED, "person_id", lambda t: t.visit.filter(t.visit.kind >= t.visit.kind.mean())),
    Case(
        "row_number without a partition",
        REFUSED,
        "person_id",
        lambda t: t.visit.mutate(n=ibis.row_number().over(order_by="start")),
    ),
    Case("window per site", REFUSED, "person_id", lambda t: t.visit.mutate(n=t.visit.count().over(group_by="kind"))),
    Case("group by item only", REFUSED, "concept_id", lambda t: t.drug_era.group_by("concept_id").agg(n=_.count())),
    Case(
        "group by item, having, back-join",
        REFUSED,
        "person_id",
        lambda t: t.drug_era.join(t.drug_era.group_by("concept_id").agg(n=_.count()).filter(_.n > 2), "concept_id"),
    ),
    Case("random", REFUSED, "person_id", lambda t: t.visit.mutate(r=ibis.random())),
    Case("now", REFUSED, "person_id", lambda t: t.visit.filter(t.visit.start < ibis.now().date())),
    Case("python function", REFUSED, "person_id", lambda t: t.visit.mutate(m=own(t.visit.kind))),
    Case("sample", REFUSED, "person_id", lambda t: t.visit.sample(0.5)),
    Case("sql text", REFUSED, "person_id", lambda t: t.connection.sql("select * from visit limit 2")),
    Case("a view of the database", REFUSED, "person_id", lambda t: t.connection.table("late")),
    Case("arbitrary()", REFUSED, "person_id", lambda t: t.visit.group_by("person_id").agg(k=_.kind.arbitrary())),
    Case("mode()", REFUSED, "person_id", lambda t: t.visit.group_by("person_id").agg(k=_.kind.mode())),
    Case("float sum per user", REFUSED, "o_custkey", lambda t: bought(t).group_by("o_custkey").agg(t=_.l_price.sum())),
    Case(
        "decimal sum per user",
        PROVED,
        "o_custkey",
        lambda t: ordered(t).group_by("o_custkey").agg(t=_.o_totalprice.sum()),
    ),
    Case("cast that can fail", PROVED, "person_id", lambda t: t.visit.mutate(cost=_.cost.cast("int64"))),
    Case("TPC-H customer-orders", PROVED, "c_custkey", lambda t: ordered(t)),
    Case(
        "TPC-H customer-orders-lineitem-part-nation",
        PROVED,
        "c_custkey",
        lambda t: (
            bought(t)
            .join(t.part, t.lineitem.l_partkey == t.part.p_partkey)
            .join(t.nation, t.customer.c_nationkey == t.nation.n_nationkey)
        ),
    ),
    Case(
        "TPC-H Q13: orders per customer, also none",
        PROVED,
        "c_custkey",
        lambda t: (
            t.customer.left_join(t.orders, t.customer.c_custkey == t.orders.o_custkey)
            .group_by("c_custkey")
            .agg(n=_.o_orderkey.count())
        ),
    ),
    Case(
        "TPC-H quantity per order, then the user",
        PROVED,
        "o_custkey",
        lambda t: (lambda g: t.orders.join(g, t.orders.o_orderkey == g.l_orderkey))(
            t.lineitem.group_by("l_orderkey").agg(q=_.l_quantity.sum())
        ),
    ),
    Case(
        "TPC-H Q18: large orders, exists",
        PROVED,
        "o_custkey",
        lambda t: (lambda g: t.orders.semi_join(g, t.orders.o_orderkey == g.l_orderkey))(
            t.lineitem.group_by("l_orderkey").agg(q=_.l_quantity.sum()).filter(_.q > 3)
        ),
    ),
    Case(
        "TPC-H Q17: below the part's mean",
        REFUSED,
        "o_custkey",
        lambda t: (lambda g: bought(t).join(g, bought(t).l_partkey == g.l_partkey).filter(_.l_quantity < _.m))(
            t.lineitem.group_by("l_partkey").agg(m=_.l_quantity.mean())
        ),
    ),
    Case(
        "lineitem by part joins other people's orders",
        REFUSED,
        "o_custkey",
        lambda t: (
            lambda w: t.orders.join(t.lineitem, t.orders.o_orderkey == t.lineitem.l_orderkey).join(
                w, t.lineitem.l_partkey == w.l_partkey
            )
        )(t.lineitem.view()),
    ),
    Case(
        "customer joined by nation",
        REFUSED,
        "o_custkey",
        lambda t: t.orders.join(t.customer, t.orders.o_custkey == t.customer.c_nationkey),
    ),
    Case("lineitem without its order: no user", REFUSED, "l_orderkey", lambda t: t.lineitem),
    Case(
        "swap the user for another column",
        REFUSED,
        "c_custkey",
        lambda t: t.customer.mutate(c_custkey=_.c_nationkey.cast("int64")),
    ),
    Case(
        "user computed, not one to one", REFUSED, "c_custkey", lambda t: t.customer.mutate(c_custkey=_.c_custkey // 2)
    ),
    Case("user as text", PROVED, "c_custkey", lambda t: t.customer.mutate(c_custkey=_.c_custkey.cast("string"))),
    Case(
        "difference of private tables",
        REFUSED,
        "person_id",
        lambda t: t.person.select("person_id").difference(t.drug_era.select("person_id")),
    ),
    Case("limit of a public table", REFUSED, "person_id", lambda t: t.drug_era.join(t.concept.limit(2), "concept_id")),
    Case(
        "aggregate of a public table",
        PROVED,
        "person_id",
        lambda t: t.drug_era.join(t.concept.group_by("concept_id").agg(n=_.count()), "concept_id"),
    ),
    Case(
        "public lookup as a scalar",
        REFUSED,
        "person_id",
        lambda t: t.drug_era.filter(t.drug_era.concept_id > t.concept.concept_id.min()),
    ),
    Case(
        "public rows filtered by private ones",
        REFUSED,
        "concept_id",
        lambda t: t.concept.semi_join(t.drug_era, "concept_id"),
    ),
    Case(
        "asof join", REFUSED, "person_id", lambda t: t.drug_era.asof_join(t.visit, on="start", predicates="person_id")
    ),
    Case("ntile over everybody", REFUSED, "person_id", lambda t: t.visit.mutate(q=ibis.ntile(4).over(order_by="kind"))),
    Case(
        "NULL-safe equality on the user",
        REFUSED,
        "person_id",
        lambda t: t.drug_era.join(t.visit, t.drug_era.person_id.identical_to(t.visit.person_id)),
    ),
    Case(
        "or in the join condition",
        REFUSED,
        "person_id",
        lambda t: t.drug_era.join(
            t.visit, (t.drug_era.person_id == t.visit.person_id) | (t.drug_era.start == t.visit.start)
        ),
    ),
    Case(
        "outer join, window over one side's user, other side's user",
        REFUSED,
        "person_id_right",
        lambda t: t.drug_era.outer_join(t.visit, "person_id").mutate(n=_.count().over(group_by="person_id")),
    ),
    Case(
        "the same, coalesced",
        REFUSED,
        "pid",
        lambda t: t.drug_era.outer_join(t.visit, "person_id").mutate(
            pid=ibis.coalesce(_.person_id, _.person_id_right), n=_.count().over(group_by="person_id")
        ),
    ),
    Case(
        "window over the coalesced user",
        PROVED,
        "pid",
        lambda t: (
            t.drug_era.outer_join(t.visit, "person_id")
            .mutate(pid=ibis.coalesce(_.person_id, _.person_id_right))
            .mutate(n=_.count().over(group_by="pid"))
        ),
    ),
    Case(
        "filter by a window over one side's user",
        REFUSED,
        "person_id_right",
        lambda t: t.drug_era.outer_join(t.visit, "person_id").filter(_.count().over(group_by="person_id") > 2),
    ),
    Case(
        "two carriers, inner join on the second",
        PROVED,
        "person_id",
        lambda t: (
            t.drug_era.outer_join(t.visit, "person_id")
            .mutate(pid=ibis.coalesce(_.person_id, _.person_id_right))
            .select("person_id", "pid", "kind")
        ),
    ),
    Case(
        "columns that differ in capitals", REFUSED, "person_id", lambda t: t.visit.select("person_id", Person_Id="kind")
    ),
    Case(
        "a float as a key of groups",
        REFUSED,
        "o_custkey",
        lambda t: bought(t).group_by("o_custkey", "l_price").agg(n=_.count()),
    ),
    Case("distinct rows with a float", REFUSED, "o_custkey", lambda t: bought(t).distinct()),
    Case(
        "the largest float of a user",
        PROVED,
        "o_custkey",
        lambda t: bought(t).group_by("o_custkey").agg(x=_.l_price.max()),
    ),
    Case(
        "first and last by a column with ties",
        REFUSED,
        "person_id",
        lambda t: t.visit.group_by("person_id").agg(x=_.kind.first(order_by="start"), y=_.visit_id.collect()),
    ),
    Case(
        "a window inside an aggregate",
        REFUSED,
        "person_id",
        lambda t: t.visit.group_by("person_id").agg(x=(_.kind - _.kind.mean().over(group_by="person_id")).sum()),
    ),
    Case(
        "a column of another table",
        REFUSED,
        "person_id",
        lambda t: t.visit.filter(t.visit.kind == t.drug_era.days.max()),
    ),
    Case("unnest of one cell", REFUSED, "person_id", lambda t: t.visit.mutate(part=_.cost.split("x").unnest())),
    Case(
        "a sum by ranges of days",
        REFUSED,
        "person_id",
        lambda t: t.visit.mutate(n=_.kind.sum().over(range=(-3, 0), group_by="person_id", order_by="visit_id")),
    ),
    Case(
        "ntile by a column",
        REFUSED,
        "person_id",
        lambda t: t.visit.mutate(n=ibis.ntile(0).over(group_by="person_id", order_by="start")),
    ),
    Case(
        "orders of a user by their key",
        PROVED,
        "o_custkey",
        lambda t: t.orders.left_join(t.lineitem, t.orders.o_orderkey == t.lineitem.l_orderkey),
    ),
    Case(
        "a public list of values",
        PROVED,
        "person_id",
        lambda t: t.drug_era.filter(t.drug_era.concept_id.isin(t.concept.concept_id)),
    ),
    Case(
        "an order as the user",
        REFUSED,
        "o_orderkey",
        lambda t: t.orders.join(t.lineitem, t.orders.o_orderkey == t.lineitem.l_orderkey),
    ),
    Case(
        "user cast to fewer bits", REFUSED, "c_custkey", lambda t: t.customer.mutate(c_custkey=_.c_custkey.cast("int8"))
    ),
    Case(
        "isin of another kind of id",
        REFUSED,
        "o_custkey",
        lambda t: ordered(t).filter(_.o_custkey.isin(bought(t).l_orderkey)),
    ),
    Case(
        "public rows filtered by private ones, joined",
        REFUSED,
        "person_id",
        lambda t: t.visit.cross_join(t.concept.semi_join(t.drug_era, "concept_id")),
    ),
    Case(
        "union by the left side's user",
        REFUSED,
        "a",
        lambda t: t.drug_era.select(a="person_id", b="concept_id").union(
            t.drug_era.select(a="concept_id", b="person_id")
        ),
    ),
    Case(
        "a window by the user and chance",
        REFUSED,
        "person_id",
        lambda t: t.visit.mutate(n=_.count().over(group_by=["person_id", ibis.random()])),
    ),
    Case(
        "a window by the user and a function of one's own",
        REFUSED,
        "person_id",
        lambda t: t.visit.mutate(n=_.count().over(group_by=["person_id", own(t.visit.kind)])),
    ),
    Case(
        "a window in the order of chance",
        REFUSED,
        "person_id",
        lambda t: t.visit.mutate(n=ibis.row_number().over(group_by="person_id", order_by=ibis.random())),
    ),
    Case(
        "a group-by of the user and chance",
        REFUSED,
        "person_id",
        lambda t: t.visit.group_by("person_id", r=(ibis.random() * 3).cast("int64")).agg(n=_.count()),
    ),
    Case(
        "the first in the order of chance",
        REFUSED,
        "person_id",
        lambda t: t.visit.group_by("person_id").agg(n=_.kind.first(order_by=ibis.random())),
    ),
    Case(
        "a count of rows that chance picks",
        REFUSED,
        "person_id",
        lambda t: t.visit.group_by("person_id").agg(n=_.kind.count(where=ibis.random() < 0.5)),
    ),
    Case(
        "a join by chance besides the user",
        REFUSED,
        "person_id",
        lambda t: t.visit.join(t.drug_era, [t.visit.person_id == t.drug_era.person_id, ibis.random() < 0.5]),
    ),
    Case("fill_null of another column", PROVED, "person_id", lambda t: t.visit.fill_null({"kind": 1})),
    Case(
        "fill_null of all columns", REFUSED, "person_id", lambda t: t.drug_era.select("person_id", "days").fill_null(0)
    ),
    Case(
        "a subquery inside arithmetic",
        REFUSED,
        "person_id",
        lambda t: t.drug_era.filter(t.drug_era.concept_id + t.concept.concept_id.max() > 3),
    ),
]
