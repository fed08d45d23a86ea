"""Every class of Ibis is in a list: an upgrade that brings a new one forces a decision. What is in none is refused."""

import inspect
from collections.abc import Iterator
from typing import Any

import ibis
import pytest
from ibis.expr import operations as ops

from headcount.errors import NotATable
from headcount.source.queries.ibis import COMPARED, FALLIBLE, VALUES
from headcount.source.views.declared import declare
from headcount.source.views.dialects.duckdb import DUCKDB
from headcount.source.views.reductions import PLACES, RANKS, REDUCTIONS, TIED
from headcount.source.views.refusals import INSTEAD, Refused
from headcount.source.views.relations import RULES, WITHOUT_RULE, Proof
from headcount.source.views.values import IMPURE, ROW_WISE
from headcount.source.views.view import View
from headcount.source.views.writing import written

ABSTRACT = {
    *("Value", "Unary", "Binary", "Constant", "Impure", "Reduction", "Analytic", "RankBase", "Subquery", "Comparison"),
    *("LogicalBinary", "NumericBinary", "MathUnary", "Logarithm", "TrigonometricUnary", "TrigonometricBinary"),
    *("BitwiseBinary", "StringUnary", "ExtractTemporalField", "ExtractDateField", "ExtractTimeField"),
    *("ExtractTimestampField", "IntervalBinary", "GeoSpatialBinOp", "GeoSpatialUnOp", "ScalarUDF", "AggUDF"),
}
HANDLED = {"Field", "Alias", "SortKey", "WindowFunction", "WindowBoundary", "InSubquery"}
"""Values with a rule of their own."""
REFUSED = {
    *("Argument", "ScalarParameter", "ExistsSubquery", "FuzzySearch", "ArrayStringJoin", "StructColumn"),
    *("AnalyticVectorizedUDF", "ElementWiseVectorizedUDF", "ReductionVectorizedUDF"),
    *("ApproxCountDistinct", "ApproxMedian", "ApproxMultiQuantile", "ApproxQuantile", "Arbitrary", "ArgMax", "ArgMin"),
    *("Correlation", "Covariance", "Kurtosis", "Mode", "MultiQuantile", "StandardDev", "Variance"),
    *("Array", "ArrayAgg", "ArrayAll", "ArrayAny", "ArrayConcat", "ArrayDistinct", "ArrayFilter", "ArrayFlatten"),
    *("ArrayIntersect", "ArrayMap", "ArrayMax", "ArrayMean", "ArrayMin", "ArrayMode", "ArrayPosition", "ArrayRemove"),
    *("ArrayRepeat", "ArraySlice", "ArraySort", "ArraySum", "ArrayUnion", "ArrayZip", "IntegerRange"),
    *("TimestampRange", "ToJSONArray", "ToJSONMap", "Map", "MapConcat", "MapContains", "MapKeys", "MapLength"),
    *("BetweenTime", "BitAnd", "BitOr", "BitXor", "CountDistinctStar", "CumeDist", "ExtractAuthority", "ExtractFile"),
    *("ExtractFragment", "ExtractHost", "ExtractPath", "ExtractProtocol", "ExtractQuery", "ExtractUserInfo"),
    *("HashBytes", "NTile", "NthValue", "PercentRank", "ScalarSubquery", "Unnest"),
    *("MapMerge", "MapValueForKey", "MapValueOrDefaultForKey", "MapValues"),
}
"""Values without a proof."""
ABSTRACT_RELATIONS = {"Relation", "Reference", "PhysicalTable", "Set", "Simple"}


def classes(base: type) -> Iterator[type]:
    for each in vars(ops).values():
        if inspect.isclass(each) and issubclass(each, base):
            yield each


def test_every_value_of_ibis_is_in_a_list() -> None:
    proved = ROW_WISE | REDUCTIONS | PLACES | RANKS | HANDLED
    known = proved | VALUES | FALLIBLE | COMPARED | IMPURE | TIED | REFUSED | ABSTRACT
    new = {each.__name__ for each in classes(ops.Value)} - known
    assert {name for name in new if not name.startswith("Geo")} == set()


def test_no_value_is_proved_and_refused() -> None:
    assert not (ROW_WISE | REDUCTIONS | PLACES | RANKS) & (REFUSED | IMPURE | TIED)


def test_every_relation_of_ibis_is_in_a_list() -> None:
    named = {each.__name__: each for each in classes(ops.Relation)}
    known = {*RULES, *WITHOUT_RULE}
    assert {name for name, each in named.items() if each not in known} - ABSTRACT_RELATIONS == {"WindowAggregate"}


def test_a_class_that_is_in_no_list_is_refused() -> None:
    class Shuffled(ops.Distinct):  # type: ignore[misc]
        """A step that a later Ibis may have."""

    class Louder(ops.Uppercase):  # type: ignore[misc]
        """A value that a later Ibis may have."""

    connection = ibis.duckdb.connect()
    table = connection.create_table("t", schema={"u": "int64", "s": "string"})
    refused: list[Any] = [Shuffled(table.op()), ops.Project(table.op(), {"u": table.u, "s": Louder(table.s)})]
    for node in refused:
        with pytest.raises(NotATable, match="headcount has no proof for this operation"):
            View(node.to_expr(), "u").people()
        with pytest.raises(Refused, match="headcount has no proof for this operation"):
            Proof(declare(node.to_expr(), "u")).owners_of(node)
        with pytest.raises(Refused, match="headcount has no proof for this operation"):
            written(node, DUCKDB)


def test_there_is_advice_for_operations_that_exist() -> None:
    assert all(hasattr(ops, name) and name not in ROW_WISE for name in INSTEAD)
