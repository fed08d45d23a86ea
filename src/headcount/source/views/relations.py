"""The rules: what the result of an operation carries, given what its parents carry. Looked up by exact class.

Each rule has its line in the proof (docs/proofs/views.md). A class without a rule is refused.
"""

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from ibis.expr import operations as ops

from headcount.source.queries.ibis import filled, kind_of
from headcount.source.views import refusals
from headcount.source.views.declared import LEAVES, Declared
from headcount.source.views.ids import (
    PERSON,
    PUBLIC,
    Owners,
    comparable,
    conjuncts,
    identical_if_equal,
    is_column,
    is_id,
    kind_carried,
    parts,
)
from headcount.source.views.reductions import title
from headcount.source.views.refusals import Refused
from headcount.source.views.titles import operation_title, parents_of, table_name
from headcount.source.views.values import Scope

JOINS = frozenset({"inner", "left", "right", "outer", "semi", "anti", "cross"})
QUOTES = frozenset("\"'`\\;{}$")
"""Characters that no name of a column may have."""
FILTERS = frozenset({"semi", "anti"})
"""Joins of which only the left side stays."""


class Proof:
    """The rules applied to one expression."""

    def __init__(self, declared: Declared) -> None:
        self.declared = declared
        self.steps: list[str] = []
        self._known: dict[Any, Owners] = {}

    def owners_of(self, node: Any) -> Owners:
        """Return what a relation carries; refuse it if there is no proof."""
        if node not in self._known:
            self._known[node] = self._applied(node)
        return self._known[node]

    def _applied(self, node: Any) -> Owners:
        rule = RULES.get(type(node))
        if rule is None:
            refusals.no_proof(kind_of(node).rpartition(".")[2])
        try:
            return self._checked(node, rule(self, node))
        except Refused as refused:
            refused.node = refused.node or node  # the innermost
            raise

    def _checked(self, node: Any, found: Owners) -> Owners:
        """Refuse rows of people that no column names any more, names that an engine would confuse, and odd types."""
        _check_names(node.schema)
        if type(node) not in TABLES:
            _check_types(node.schema)
        if found.private and not found.carriers:
            refusals.user_lost(operation_title(node), self.user_of(*parents_of(node)))
        return found

    def user_of(self, *nodes: Any) -> str:
        """The user column of relations, for messages."""
        carriers = [each for node in nodes for each in self._known.get(node, PUBLIC).carriers.items()]
        people = [name for name, kind in carriers if kind == PERSON]
        return next(iter([*people, *(name for name, _ in carriers), *self.declared.users.values()]), "user")

    def scope(self, place: str, *nodes: Any, windows: bool = False) -> Scope:
        """Return what values may use that are computed from these relations."""
        owners = [self.owners_of(node) for node in nodes]
        known = list(zip(nodes, owners, strict=True))
        kinds = {ops.Field(node, name): each.carriers.get(name) for node, each in known for name in node.schema}
        keys = {ops.Field(node, name): kind for node, each in known for name, kind in each.keys.items()}
        private = any(each.private for each in owners)
        return Scope(kinds, keys, private, self.owners_of, self.user_of(*nodes), place, windows=windows)


Rule = Callable[[Proof, Any], Owners]


def _leaf(proof: Proof, node: Any) -> Owners:
    if node not in proof.declared.private and node not in proof.declared.public:
        refusals.undeclared(node.name)
    if node in proof.declared.public:
        return PUBLIC
    column, kind = proof.declared.private[node]
    return Owners(private=True, carriers={column: kind}, keys=proof.declared.keys.get(node, {}))


def _same(proof: Proof, node: Any) -> Owners:
    return proof.owners_of(node.parent)


def _project(proof: Proof, node: Any) -> Owners:
    scope = proof.scope("a selection of columns", node.parent, windows=True)
    for value in node.values.values():
        scope.check(value)
    proof.steps += ["a window per user"] * len(scope.partitions)
    return _carried(scope, node.values.items())


def _carried(scope: Scope, values: Iterable[tuple[str, Any]]) -> Owners:
    listed = list(values)
    found = {name: kind for name, value in listed if (kind := scope.carried(value))}
    keys = {name: scope.keys[value] for name, value in listed if value in scope.keys}
    return Owners(scope.private, found, keys) if scope.private else PUBLIC


def _drop_columns(proof: Proof, node: Any) -> Owners:
    return _kept(proof.owners_of(node.parent), list(node.schema))


def _kept(owners: Owners, names: Iterable[str]) -> Owners:
    kept = set(names)
    carriers = {name: kind for name, kind in owners.carriers.items() if name in kept}
    return Owners(owners.private, carriers, {name: kind for name, kind in owners.keys.items() if name in kept})


def _filter(proof: Proof, node: Any) -> Owners:
    scope = proof.scope("a filter", node.parent, windows=True)
    for each in conjuncts(node.predicates):
        if not _is_among(proof, scope, each):
            scope.check(each)
    proof.steps += ["a window per user"] * len(scope.partitions)
    return _carried(scope, node.parent.fields.items())


def _is_among(proof: Proof, scope: Scope, value: Any) -> bool:
    """True for `user.isin(other.user)`: a person's rows stay if that person is in the list. Keys likewise; and any id
    in a public list."""
    if type(value) is not ops.InSubquery or not is_id(value.needle.dtype):
        return False
    listed = proof.owners_of(value.rel)
    name, kind = next(iter(value.rel.schema.items()))
    same = kind_carried(value.needle, scope.kinds) or scope.keys.get(value.needle)
    if not comparable(value.needle.dtype, kind):
        return False
    if listed.private and (same is None or listed.carriers.get(name) != same):
        return False
    scope.check(value.needle)
    proof.steps.append("a list of users" if listed.private else "a public list")
    return True


def _sort(proof: Proof, node: Any) -> Owners:
    scope = proof.scope("an order of rows", node.parent)
    for key in node.keys:
        scope.check(key.arg)
    return proof.owners_of(node.parent)


def _drop_null(proof: Proof, node: Any) -> Owners:
    scope = proof.scope("drop_null", node.parent)
    for each in node.subset or ():
        scope.check(each)
    return proof.owners_of(node.parent)


def _fill_null(proof: Proof, node: Any) -> Owners:
    owners = proof.owners_of(node.parent)
    if isinstance(node.replacements, ops.Value):
        refusals.refuse("fill_null() of all columns, the user's too.", 'fill_null({"other column": 0})')
    if any(isinstance(each, ops.Value) and type(each) is not ops.Literal for each in node.replacements.values()):
        refusals.not_a_constant("fill_null()")
    if owners.carriers.keys() & node.replacements.keys():
        refusals.refuse(
            "fill_null() of the user column: rows without a user would become one person's.",
            'fill_null({"other column": 0})',
        )
    if (found := filled(node)) is None:
        refusals.refuse("fill_null() of a column with a value of another type.", "a value of the column's type")
    for each in found.values():
        proof.scope("fill_null()", node.parent).check(each)
    return _kept(owners, node.schema.keys() - node.replacements.keys())


def _aggregate(proof: Proof, node: Any) -> Owners:
    scope = proof.scope("a group-by", node.parent)
    for value in node.groups.values():
        scope.check_key(value, "group_by()")
    for value in node.metrics.values():
        scope.check_metric(value)
    found = _carried(scope, node.groups.items())
    if found.private and not node.groups:
        refusals.totals(_metrics(node), scope.user)
    if found.private and not found.carriers:
        refusals.mixed_groups(list(node.groups), scope.user)
    proof.steps += ["a group-by per user"] * found.private
    return found


def _metrics(node: Any) -> str:
    found = [each for value in node.metrics.values() for each in parts(value) if isinstance(each, ops.Reduction)]
    return ", ".join(f"{title(each)}()" for each in found)


def _distinct(proof: Proof, node: Any) -> Owners:
    _check_rows_comparable("distinct()", node)
    return proof.owners_of(node.parent)


def _check_rows_comparable(operation: str, node: Any) -> None:
    for name, kind in node.schema.items():
        if not identical_if_equal(kind):
            refusals.not_comparable(operation, name, kind)


def _union(proof: Proof, node: Any) -> Owners:
    left, right = proof.owners_of(node.left), proof.owners_of(node.right)
    if node.distinct:
        _check_rows_comparable("union()", node)
    if left.private != right.private:
        refusals.refuse(
            "union of a private table with a public one: a public row would count as a person's.",
            "two private tables; or semi_join, anti_join",
        )
    _check_same_columns(node)
    same = [each for each in left.carriers if left.carriers[each] == right.carriers.get(each)]
    keys = [each for each in left.keys if left.keys[each] == right.keys.get(each)]
    if left.private and not same:
        refusals.refuse("union of tables with their users in different columns.", "the same name on both sides")
    return _kept(left, [*same, *keys])


def _check_same_columns(node: Any) -> None:
    """Refuse a union that would convert values."""
    for name, kind in node.left.schema.items():
        if kind.copy(nullable=True) != node.right.schema[name].copy(nullable=True):
            refusals.refuse(f"union of tables whose {name!r} is of two types.", f'.cast({{"{name}": "{kind}"}}) before')


def _join(proof: Proof, node: Any) -> Owners:
    tables, scope = [node.first], proof.scope("a join", node.first)
    for link in node.rest:
        other = proof.scope("a join", link.table)
        both = proof.scope("a join", *tables, link.table).holding(scope, other)
        bridged = _check_join(proof, link, tables, both, scope.private and other.private)
        kind = "a public table" if scope.private != other.private else "a linked table" if bridged else "the user"
        proof.steps += [f"a join {'on' if kind == 'the user' else 'with'} {kind}"] * both.private
        if link.how not in FILTERS:
            tables.append(link.table)
            scope = bridged or both
        elif other.private and not scope.private:
            refusals.refuse(
                f"{link.how} join of a public table with a private one: its rows are nobody's.",
                "start from the private table",
            )
    for value in node.values.values():
        scope.check(value)
    return _carried(scope, node.values.items())


def _check_join(proof: Proof, link: Any, tables: list[Any], scope: Scope, private: bool) -> Scope | None:
    """Refuse a join of strangers. Return what carries after a join with keys of a parent; None after any other."""
    if link.how not in JOINS:
        refusals.refuse(
            f"{link.how} join: the order of rows decides which row matches.", "left_join, then row_number() per user"
        )
    for each in link.predicates:
        scope.check(each)
        _check_join_types(each)
    equated = [pair for each in conjuncts(link.predicates) if (pair := equal_fields(each, link.table))]
    equal = [(left, right) for left, right in equated if comparable(left.dtype, right.dtype)]
    if not private or any(_are_one_unit(left, right, scope) for left, right in equal):
        return None
    down = [(left, right) for left, right in equal if _is_key_of(left, right, scope)]
    up = [(right, left) for left, right in equal if _is_key_of(right, left, scope)]
    if not (down or (up and link.how not in FILTERS)):
        _refuse_join(proof, link, tables, scope, equated)
    return scope.bridged(down[0] if down else up[0])


def _refuse_join(proof: Proof, link: Any, tables: list[Any], scope: Scope, equated: list[tuple[Any, Any]]) -> NoReturn:
    """Say what a join of private tables lacks: ids of one type, the right side to stay, or users that are equal."""
    names = table_name(tables[0]), table_name(link.table)
    for left, right in equated:
        if _are_one_unit(left, right, scope):
            refusals.other_ids((left.name, left.dtype), (right.name, right.dtype))
        if _is_key_of(right, left, scope):
            refusals.kept_by_a_key(link.how, *names)
    refusals.strangers(link.how, (names[0], proof.user_of(*tables)), (names[1], proof.user_of(link.table)))


def _check_join_types(value: Any) -> None:
    """Refuse to join by numbers of which unlike ones are equal: how they match would be left to the kind of join that
    the engine chooses by the number of rows."""
    for each in parts(value):
        if each.dtype.is_floating():
            refusals.joined_by(each.name, each.dtype)


def equal_fields(value: Any, right: Any) -> tuple[Any, Any] | None:
    """The columns that a condition equates, the one of the right table last. (NULL-safe equality would join nobody's
    rows.)"""
    if type(value) is not ops.Equals or {type(value.left), type(value.right)} != {ops.Field}:
        return None
    if (value.left.rel == right) == (value.right.rel == right):
        return None
    return (value.right, value.left) if value.left.rel == right else (value.left, value.right)


def _are_one_unit(left: Any, right: Any, scope: Scope) -> bool:
    """True for carriers of one kind."""
    kind = scope.kinds.get(left)
    return kind is not None and kind == scope.kinds.get(right)


def _is_key_of(key: Any, carrier: Any, scope: Scope) -> bool:
    """True for a key in a unit's rows, and a carrier of units that are such keys."""
    kind = scope.keys.get(key)
    return kind is not None and kind == scope.kinds.get(carrier)


def _limit(proof: Proof, node: Any) -> Owners:
    if not proof.owners_of(node.parent).private:
        refusals.refuse(
            "limit() of a public table: the order of rows decides which stay.", "a condition on its columns"
        )
    refusals.limit(node.n if isinstance(node.n, int) else "", proof.user_of(node.parent))


def _sample(proof: Proof, node: Any) -> Owners:
    refusals.sample()


def _text(proof: Proof, node: Any) -> Owners:
    refusals.sql_text()


TABLES = (*LEAVES, ops.SelfReference, ops.JoinReference)
"""Tables as they are: columns of odd types may be left unused."""
RULES: dict[type, Rule] = {
    **dict.fromkeys(LEAVES, _leaf),
    **dict.fromkeys((ops.SelfReference, ops.JoinReference), _same),
    ops.Union: _union,
    **dict.fromkeys((ops.SQLQueryResult, ops.SQLStringView), _text),
    ops.Project: _project,
    ops.DropColumns: _drop_columns,
    ops.Filter: _filter,
    ops.Sort: _sort,
    ops.DropNull: _drop_null,
    ops.FillNull: _fill_null,
    ops.Aggregate: _aggregate,
    ops.Distinct: _distinct,
    ops.JoinChain: _join,
    ops.Limit: _limit,
    ops.Sample: _sample,
}
WITHOUT_RULE = (
    *(ops.AliasedRelation, ops.UnboundTable, ops.DummyTable, ops.TableUnnest, ops.Intersection, ops.Difference),
)
"""Relations that have no proof."""


def _check_names(names: Iterable[str]) -> None:
    """Refuse columns that differ in capitals only: an engine takes one for the other, and a column for the user. And
    names that could end before their end."""
    seen: dict[str, str] = {}
    for name in names:
        if not name.isprintable() or set(name) & QUOTES:
            refusals.refuse(f"the name {name!r:.60} of a column.", "letters, digits and _")
        if (other := seen.setdefault(name.casefold(), name)) != name:
            refusals.refuse(f"columns {other!r} and {name!r} differ in capitals only.", "give them different names")


def _check_types(schema: Any) -> None:
    """Refuse columns of types that no test has."""
    for name, kind in schema.items():
        if not is_column(kind):
            refusals.odd_type(name, kind)
