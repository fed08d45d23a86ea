"""Random expressions over a few tables, by somebody who knows nothing of the rules: some mix people, some do not."""

from collections.abc import Mapping
from random import Random
from typing import Any

import ibis
from ibis import _
from ibis.common.annotations import ValidationError
from ibis.common.exceptions import IbisError
from ibis.expr import types as ir

HOWS = ("inner", "left", "right", "outer", "semi", "anti", "cross", "inner", "left")


class Unsuitable(Exception):
    """A step that does not suit a table."""


class Generator:
    """Draws expressions."""

    def __init__(self, tables: Mapping[str, ir.Table], seed: int) -> None:
        self._tables, self._draw = tables, Random(seed)
        self._steps = [name for name in dir(self) if name.startswith("step_")] + [
            *(3 * ["step_join"] + 2 * ["step_outer"] + ["step_window", "step_group"]),
        ]

    def expression(self) -> ir.Table:
        """Return an expression of a few steps."""
        while True:
            try:
                return self._relation(self._draw.randrange(1, 6))
            except (Unsuitable, ValidationError, IbisError, ValueError, TypeError, IndexError):
                continue

    def _relation(self, depth: int) -> ir.Table:
        table = self._tables[self._draw.choice(["a", "a", "b", "b", "o", "l", "p", "q", "reg"])]
        for _place in range(depth):
            table = getattr(self, self._draw.choice(self._steps))(table)
        return table

    def _columns(self, table: ir.Table, kind: str = "") -> list[str]:
        found = [name for name, each in table.schema().items() if not kind or getattr(each, f"is_{kind}")()]
        if not found:
            raise Unsuitable
        return found

    def _any(self, table: ir.Table, kind: str = "") -> str:
        return self._draw.choice(self._columns(table, kind))

    def _users(self, table: ir.Table) -> list[str]:
        found = [name for name in table.columns if name.startswith("u")]
        if not found:
            raise Unsuitable
        return found

    def _user(self, table: ir.Table) -> str:
        return self._draw.choice([name for name in self._users(table) if table[name].type().is_integer()])

    def _key(self, table: ir.Table) -> str:
        """A column, more often one that names people or orders."""
        good = [name for name in table.columns if name.startswith(("u", "ok"))]
        return self._draw.choice(good) if good and self._draw.random() < 0.7 else self._any(table)

    def _keys(self, table: ir.Table) -> list[str]:
        return list({self._key(table) for _place in range(self._draw.choice([0, 1, 1, 2, 2]))})

    def _name(self, stem: str = "c") -> str:
        return f"{stem}{self._draw.randrange(10**6)}"

    def _alike(self, left: Any, right: Any) -> None:
        if left.type() != right.type():
            raise Unsuitable

    def step_filter(self, table: ir.Table) -> ir.Table:
        column = table[self._any(table, "integer")]
        return table.filter(self._draw.choice([column > 1, column.notnull(), column % 2 == 0, column.isin([0, 2])]))

    def step_mutate(self, table: ir.Table) -> ir.Table:
        one, two = table[self._any(table, "integer")], table[self._any(table, "integer")]
        values = [one + two, ibis.coalesce(one, two), (one > 1).ifelse(two, one), one // 2, one.cast("string")]
        return table.mutate(**{self._name(): self._draw.choice(values)})

    def step_window(self, table: ir.Table) -> ir.Table:
        column, order, keys = table[self._any(table, "integer")], self._any(table), self._keys(table)
        ranks = [ibis.row_number(), ibis.rank(), ibis.dense_rank(), ibis.ntile(2)]
        values = [column.sum(), column.max(), column.count(), column.lag(), column.first(), *ranks]
        window = self._draw.choice([ibis.window, ibis.cumulative_window])(group_by=keys or None, order_by=order)
        return table.mutate(**{self._name(): self._draw.choice(values).over(window)})

    def step_filter_by_window(self, table: ir.Table) -> ir.Table:
        return table.filter(table.count().over(group_by=self._key(table)) > 1)

    def step_group(self, table: ir.Table) -> ir.Table:
        column, keys = table[self._any(table, "integer")], self._keys(table)
        values = [
            column.sum(),
            column.max(),
            table.count(),
            column.nunique(),
            (column > 1).any(),
            column.sum() + table.count(),
        ]
        return table.group_by(keys).agg(**{self._name(): self._draw.choice(values)})

    def step_first(self, table: ir.Table) -> ir.Table:
        value = table[self._any(table)].first(order_by=self._any(table))
        return table.group_by(self._key(table)).agg(**{self._name(): value})

    def step_top(self, table: ir.Table) -> ir.Table:
        name, order = self._name(), self._any(table)
        return table.mutate(**{name: ibis.row_number().over(group_by=self._key(table), order_by=order)}).filter(
            _[name] < 2
        )

    def step_join(self, table: ir.Table) -> ir.Table:
        other, how = self._relation(self._draw.randrange(3)), self._draw.choice(HOWS)
        other = other.view() if other.equals(table) else other
        if how not in ("semi", "anti"):
            other = other.rename(**{self._name(name): name for name in other.columns})
        if how == "cross":
            return table.cross_join(other)
        return table.join(
            other, [self._condition(table, other) for _place in range(self._draw.choice([1, 1, 2]))], how=how
        )

    def _condition(self, table: ir.Table, other: ir.Table) -> Any:
        left, right = table[self._key(table)], other[self._key(other)]
        self._alike(left, right)
        return self._draw.choice([*(8 * [left == right]), left < right, left.identical_to(right)])

    def step_outer(self, table: ir.Table) -> ir.Table:
        """Two users on a row, one of them missing; then a window by one of them."""
        tag, user = self._name("_"), self._user(table)
        other = self._tables[self._draw.choice("abo")]
        other = other.rename(**{f"{name}{tag}": name for name in other.columns})
        joined = table.join(other, table[user] == other[f"u{tag}"], how=self._draw.choice(["outer", "left", "right"]))
        both = ibis.coalesce(joined[user], joined[f"u{tag}"])
        counted = joined.count().over(group_by=self._draw.choice([user, f"u{tag}"]))
        return joined.mutate(
            **self._draw.choice(
                [
                    {},
                    {self._name(): counted},
                    {f"u{self._name()}": both},
                    {self._name(): counted, f"u{self._name()}": both},
                ]
            )
        )

    def step_distinct(self, table: ir.Table) -> ir.Table:
        return table.distinct()

    def step_distinct_on(self, table: ir.Table) -> ir.Table:
        return table.distinct(on=list({self._key(table), self._key(table)}), keep="first")

    def step_union(self, table: ir.Table) -> ir.Table:
        changed = getattr(self, self._draw.choice(["step_filter", "step_fill", "step_halve"]))(table)
        return table.union(changed.select(*table.columns), distinct=self._draw.random() < 0.5)

    def step_minus(self, table: ir.Table) -> ir.Table:
        other = self.step_filter(table)
        return self._draw.choice([table.difference, table.intersect])(other)

    def step_union_public(self, table: ir.Table) -> ir.Table:
        rows = table.select(u=table[self._key(table)].cast("int64"), k=table[self._any(table, "integer")])
        other = self._draw.choice([self._tables["reg"].select("u", k="zone"), self._tables["b"].select("u", "k")])
        return rows.union(other, distinct=self._draw.random() < 0.5)

    def step_limit(self, table: ir.Table) -> ir.Table:
        return table.order_by(self._any(table)).limit(self._draw.choice([1, 3, 5]))

    def step_above_mean(self, table: ir.Table) -> ir.Table:
        column = table[self._any(table, "integer")]
        return table.filter(column >= column.mean())

    def step_listed(self, table: ir.Table) -> ir.Table:
        other = self._relation(self._draw.randrange(2))
        left, right = table[self._key(table)], other[self._key(other)]
        self._alike(left, right)
        found = left.isin(right)
        return table.filter(self._draw.choice([found, ~found]))

    def step_select(self, table: ir.Table) -> ir.Table:
        users = [name for name in table.columns if name.startswith("u")] if self._draw.random() < 0.8 else []
        return table.select(*dict.fromkeys([*users[:2], self._any(table), self._any(table)]))

    def step_fill(self, table: ir.Table) -> ir.Table:
        return table.fill_null({self._any(table, "integer"): self._draw.randrange(5)})

    def step_coalesce(self, table: ir.Table) -> ir.Table:
        other = self._draw.choice(
            [table[self._any(table, "integer")].cast("int64"), ibis.literal(2), table[self._user(table)]]
        )
        return table.mutate(**{self._name("u"): ibis.coalesce(table[self._user(table)], other)})

    def step_halve(self, table: ir.Table) -> ir.Table:
        user = self._user(table)
        return table.mutate(**{user: (table[user] // 2).cast("int64")})

    def step_sort(self, table: ir.Table) -> ir.Table:
        return table.order_by(self._any(table))

    def step_drop(self, table: ir.Table) -> ir.Table:
        return table.drop(self._any(table))

    def step_rename(self, table: ir.Table) -> ir.Table:
        old = self._any(table)
        return table.rename(**{self._name(old[0]): old})

    def step_cast(self, table: ir.Table) -> ir.Table:
        name = self._key(table)
        return table.mutate(**{name: table[name].cast(self._draw.choice(["string", "int32", "int64"]))})

    def step_capitals(self, table: ir.Table) -> ir.Table:
        return table.mutate(U=table[self._any(table, "integer")])

    def step_text_key(self, table: ir.Table) -> ir.Table:
        texts = self._columns(table, "string")
        return table.group_by([self._user(table), self._draw.choice(texts)]).agg(**{self._name(): table.count()})

    def step_unnest(self, table: ir.Table) -> ir.Table:
        text = table[self._any(table, "integer")].cast("string")
        return table.mutate(**{self._name(): text.split("1").unnest()})
