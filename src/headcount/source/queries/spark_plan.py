"""Spark DataFrames, by the exact class of each node and expression of the analysed plan. Views are part of that."""

from collections.abc import Iterator
from typing import Any

from headcount.source.queries.patterns import is_plain
from headcount.source.queries.step import ALL_ROWS, CAST, CHANCE, LIMIT, NOW, SAMPLE, UNORDERED, Step, fallible, worst

LOGICAL = "org.apache.spark.sql.catalyst.plans.logical."
EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions."
NODES = frozenset(
    f"{LOGICAL}{name}"
    for name in (
        *("Project", "Filter", "SubqueryAlias", "View", "LocalRelation", "Range", "OneRowRelation"),
        *("Repartition", "RepartitionByExpression", "ResolvedHint"),
    )
)
"""Nodes whose rows are each made of one row."""
MOVES = frozenset(f"{LOGICAL}{name}" for name in ("Repartition", "RepartitionByExpression"))
"""Those that move rows to other partitions."""
RELATION = "org.apache.spark.sql.execution.datasources.LogicalRelation"
FILES = "org.apache.spark.sql.execution.datasources.HadoopFsRelation"
RDD = "org.apache.spark.sql.execution.LogicalRDD"
RDDS = frozenset(
    {
        *("org.apache.spark.rdd.MapPartitionsRDD", "org.apache.spark.rdd.ParallelCollectionRDD"),
        *("org.apache.spark.api.python.PythonRDD", "org.apache.spark.rdd.LocalCheckpointRDD"),
        "org.apache.spark.rdd.ReliableCheckpointRDD",
    }
)
"""RDDs of rows that Python sent, and of a checkpoint: no table is read behind them, and no rows are moved."""
VALUES = frozenset(
    f"{EXPRESSIONS}{name}"
    for name in (
        *("AttributeReference", "Alias", "Literal", "Cast", "TryEval", "Coalesce", "NaNvl", "NullIf", "Nvl", "Nvl2"),
        *("IsNull", "IsNotNull", "IsNaN", "AtLeastNNonNulls", "If", "CaseWhen", "Greatest", "Least", "In", "InSet"),
        *("And", "Or", "Not", "EqualTo", "EqualNullSafe", "GreaterThan", "GreaterThanOrEqual", "LessThan"),
        *("LessThanOrEqual", "Between", "Add", "Subtract", "Multiply", "Divide", "IntegralDivide", "Remainder", "Pmod"),
        *("TryAdd", "TrySubtract", "TryMultiply", "TryDivide", "UnaryMinus", "UnaryPositive", "Abs", "Ceil", "Floor"),
        *("CeilExpressionBuilder", "FloorExpressionBuilder", "Round", "BRound", "Signum", "Sqrt", "Exp", "Log"),
        *("Log10", "Log2", "Logarithm", "Pow", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot"),
        *("Upper", "Lower", "Length", "OctetLength", "Substring", "Left", "Right", "StringTrim", "StringTrimLeft"),
        *("StringTrimRight", "StringTrimBoth", "StringReplace", "StringLPad", "StringRPad", "StringReverse", "Reverse"),
        *("Concat", "ConcatWs", "Contains", "StartsWith", "EndsWith", "Like", "RLike"),
        *("RegExpReplace", "SubstringIndex", "SplitPart", "StringSplit", "StringInstr", "StringLocate"),
        *("StringTranslate", "InitCap", "Encode", "Decode", "Md5", "Sha1", "Sha2", "XxHash64", "Murmur3Hash"),
        *("Year", "YearOfWeek", "Quarter", "Month", "WeekOfYear", "DayOfMonth", "DayOfWeek", "WeekDay", "DayOfYear"),
        *("Hour", "Minute", "Second", "DateAdd", "DateSub", "DateDiff"),
        *("CheckOverflow", "PromotePrecision", "KnownNotNull"),
        *("StringDecode", "Hex", "Unhex", "Base64", "UnBase64", "StringRepeat", "CreateArray", "CreateNamedStruct"),
        *("GetStructField", "GetArrayItem", "ElementAt", "Size", "ArrayContains", "SortOrder"),
    )
)
"""Expressions that are a function of one row, the same each time, and that no row makes fail unless Spark is strict
(ANSI)."""
TYPED = frozenset(
    f"{EXPRESSIONS}{name}"
    for name in (
        *("Like", "RLike", "RegExpReplace", "StringLPad", "StringRPad", "StringRepeat", "ElementAt"),
        *("Encode", "Decode", "StringDecode", "StringSplit", "SplitPart"),
    )
)
"""Those of which all but the first must be constants: a column may hold a pattern or a length that fails."""
PATTERNS = frozenset(f"{EXPRESSIONS}{name}" for name in ("Like", "RLike", "RegExpReplace", "StringSplit"))
"""Those with a pattern, of which any but a plain text may fail as soon as a row reaches it."""
NEVER = frozenset(
    f"{EXPRESSIONS}{name}"
    for name in (
        *("AttributeReference", "Alias", "Literal", "TryEval", "Coalesce", "IsNull", "IsNotNull", "IsNaN", "If"),
        *("CaseWhen", "In", "InSet", "And", "Or", "Not", "EqualTo", "EqualNullSafe", "GreaterThan", "LessThan"),
        *("GreaterThanOrEqual", "LessThanOrEqual", "Upper", "Lower", "Length", "Concat", "Contains", "StartsWith"),
        *("EndsWith", "StringTrim", "Year", "Quarter", "Month", "DayOfMonth", "DayOfWeek", "Hour", "Minute", "Second"),
        *("TryAdd", "TrySubtract", "TryMultiply", "TryDivide", "Cast", "SortOrder"),
    )
)
"""Those that no row makes fail even if Spark is strict. (A cast is looked at by itself.)"""
STRICTNESS = {
    **dict.fromkeys(("Add", "Subtract", "Multiply", "Divide", "IntegralDivide", "Remainder", "Pmod"), "evalMode"),
    **dict.fromkeys(("UnaryMinus", "Abs", "GetArrayItem", "ElementAt"), "failOnError"),
    **dict.fromkeys(("Round", "BRound"), "ansiEnabled"),
}
"""Expressions that know whether they are strict, and the method that says it."""
FAILING = frozenset(
    f"{EXPRESSIONS}{name}"
    for name in (
        *("ParseToDate", "ParseToTimestamp", "GetTimestamp", "UnixTimestamp", "ToUnixTimestamp", "FromUnixTime"),
        *("DateFormatClass", "TruncDate", "TruncTimestamp", "AddMonths", "MonthsBetween", "LastDay", "MakeDate"),
        *("DatePart", "Extract", "SecondsToTimestamp", "MicrosToTimestamp"),
    )
)
"""Functions of one row that fail on some values."""
NAMES = {
    f"{LOGICAL}Join": Step("a join"),
    f"{LOGICAL}Aggregate": Step("a group-by"),
    f"{LOGICAL}Window": Step("a window"),
    f"{LOGICAL}Deduplicate": Step("distinct rows"),
    f"{LOGICAL}Distinct": Step("distinct rows"),
    f"{LOGICAL}Union": Step("a union"),
    f"{LOGICAL}Intersect": Step("an intersection"),
    f"{LOGICAL}Except": Step("a difference of tables"),
    f"{LOGICAL}Sort": Step("an order of rows"),
    f"{LOGICAL}Generate": Step("explode"),
    f"{LOGICAL}GlobalLimit": LIMIT,
    f"{LOGICAL}LocalLimit": LIMIT,
    f"{LOGICAL}Tail": LIMIT,
    f"{LOGICAL}Offset": LIMIT,
    f"{LOGICAL}Sample": SAMPLE,
    f"{EXPRESSIONS}ScalarSubquery": ALL_ROWS,
    f"{EXPRESSIONS}InSubquery": Step("a subquery"),
    f"{EXPRESSIONS}Exists": Step("a subquery"),
    f"{EXPRESSIONS}PythonUDF": Step("a function of your own"),
    f"{EXPRESSIONS}ScalaUDF": Step("a function of your own"),
    f"{EXPRESSIONS}MonotonicallyIncreasingID": UNORDERED,
    f"{EXPRESSIONS}SparkPartitionID": UNORDERED,
    **{f"{EXPRESSIONS}{name}": CHANCE for name in ("Rand", "Randn", "Uuid", "Shuffle")},
    **{
        f"{EXPRESSIONS}{name}": NOW
        for name in ("Now", "CurrentDate", "CurDateExpressionBuilder", "CurrentTimestamp", "LocalTimestamp")
    },
}
"""What other nodes and expressions are called."""


METADATA = "__metadata_col"
"""Mark of a column that Spark makes of where a row is in its file."""


def step_of(plan: Any) -> Step | None:
    """Return what in an analysed plan (of the JVM) is not row by row."""
    return worst(_steps(plan))


def is_repeatable(plan: Any, *, sorts: bool) -> bool:
    """True if every reading gives the same rows in the same partitions while files stay as they are: each is made of
    one row of a file, or of a list that is part of the plan, and none is moved unless Spark `sorts` them before. Of
    rows that a program sends, and of other steps, this is not known."""
    leaves = map(_class, _list(plan.collectLeaves()))
    return step_of(plan) is None and RDD not in leaves and (sorts or not _moves(plan))


def _moves(node: Any) -> bool:
    return _class(node) in MOVES or any(map(_moves, _list(node.children())))


def _steps(node: Any) -> Iterator[Step]:
    name = _class(node)
    if name == RELATION:
        if (found := _class(node.relation())) != FILES:
            yield _unknown(found)
    elif name == RDD:
        yield from _of_rdd(node.rdd())
    elif name not in NODES:
        yield _unknown(name)
    for expression in _list(node.expressions()):
        yield from _of_expression(expression, strict=node.conf().ansiEnabled())
    for child in _list(node.children()):
        yield from _steps(child)


def _of_expression(expression: Any, *, strict: bool) -> Iterator[Step]:
    if (name := _class(expression)) in FAILING or (name in VALUES and not _is_sure(name, expression, strict=strict)):
        yield fallible(f"the function {name.rpartition('.')[2]}")
    elif name not in VALUES:
        yield _unknown(name)
    if name == f"{EXPRESSIONS}AttributeReference" and expression.metadata().contains(METADATA):
        yield UNORDERED  # such as _metadata.row_index
    if name == f"{EXPRESSIONS}Cast" and _can_fail(expression):
        yield CAST
    if name == f"{EXPRESSIONS}ScalarSubquery":
        yield from _steps(expression.plan())
    for child in _list(expression.children()):
        yield from _of_expression(child, strict=strict)


def _is_sure(name: str, expression: Any, *, strict: bool) -> bool:
    """True if no row makes an expression fail. The thread's session is `strict` or not; an expression may be of
    another one."""
    own = STRICTNESS.get(name.removeprefix(EXPRESSIONS))
    if (strict and name not in NEVER) or (own and str(getattr(expression, own)()) in ("ANSI", "True")):
        return False
    given = list(_list(expression.children()))[1:]
    if name in PATTERNS:
        return all(_class(child) == f"{EXPRESSIONS}Literal" and is_plain(str(child)) for child in given)
    return name not in TYPED or all(child.foldable() for child in given)


def _can_fail(cast: Any) -> bool:
    """True for a cast that raises an error (ANSI), but for one to text."""
    return str(cast.evalMode()) == "ANSI" and str(cast.dataType().typeName()) != "string"


def _of_rdd(rdd: Any) -> Iterator[Step]:
    """Rows that a program made of other tables, or moved between partitions, are a query."""
    if _class(rdd) not in RDDS:
        yield Step("an RDD")
        return
    for dependency in _list(rdd.dependencies()):
        yield from _of_rdd(dependency.rdd())


def _unknown(name: str) -> Step:
    return NAMES.get(name, Step(f"the part {name.rpartition('.')[2]} of a Spark plan"))


def _class(thing: Any) -> str:
    return str(thing.getClass().getName())


def _list(sequence: Any) -> Iterator[Any]:
    """The elements of a Scala sequence."""
    for index in range(sequence.size()):
        yield sequence.apply(index)
