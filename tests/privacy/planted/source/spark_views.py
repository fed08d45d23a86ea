"""Planted bugs in views on Spark (docs/proofs/views.md)."""

from tests.privacy.bug import Bug

MEANING, RELEASE = "tests/views/test_spark.py::", "tests/views/test_spark_release.py::"
DIALECTS = "source/views/dialects/"
CASTS, TEMPLATES, RULES = (f"{DIALECTS}{name}.py" for name in ("spark_casts", "spark", "spark_rules"))
PLAN, VIEWS = "source/queries/spark_proved.py", "source/engines/spark_views.py"
SECOND = f"{RELEASE}test_the_second_look_refuses_what_can_fail"
NOT_STORED = f"{RELEASE}test_what_is_not_a_stored_table_is_refused"


def _bug(name: str, file: str, old: str, new: str, caught_by: str) -> Bug:
    return Bug(f"views on Spark: {name}", file, ((old, new),), caught_by)


BUGS = [
    _bug(
        "cached rows are read in place of a table's",
        VIEWS,
        "        check_plan(run.withCachedData())\n",
        "",
        f"{RELEASE}test_a_table_that_is_cached_is_refused",
    ),
    _bug(
        "another table whose name differs in capitals is read",
        VIEWS,
        " or (database, name) != (database.lower(), name.lower())",
        "",
        f"{RELEASE}test_a_table_whose_name_has_capitals_is_refused",
    ),
    _bug(
        "casts wrap around, or fail if Spark is strict",
        CASTS,
        'return f"TRY_CAST({rounded} AS',
        'return f"CAST({rounded} AS',
        f"{MEANING}test_it_means_what_it_means_on_duckdb[values]",
    ),
    _bug(
        "a decimal loses its digits instead of being rounded",
        CASTS,
        'f"ROUND({sql}, 0)" if source',
        "sql if source",
        f"{MEANING}test_it_means_what_it_means_on_duckdb[values]",
    ),
    _bug(
        "text that is not UTF-8 makes two ids of one",
        CASTS,
        "return f\"CAST(ENCODE({sql}, 'UTF-8') AS STRING)\"",
        "return sql",
        f"{RELEASE}test_text_is_valid_from_the_start",
    ),
    _bug(
        "a quote ends a typed text",
        TEMPLATES,
        'quote="\\\\\'", ',
        "",
        f"{MEANING}test_it_means_what_it_means_on_duckdb[values]",
    ),
    _bug(
        "sums wrap around",
        TEMPLATES,
        '"TRY_SUM(CAST({arg} AS DECIMAL(38, 8)))"',
        '"SUM({arg})"',
        f"{MEANING}test_it_means_what_it_means_on_duckdb[metrics]",
    ),
    _bug(
        "products drop digits",
        RULES,
        "    return bool(sum(both) + 1 <= DIGITS)",
        "    return True",
        f"{RELEASE}test_refused[a product of too many digits]",
    ),
    _bug(
        "sums of any decimals",
        RULES,
        "    return rules.added(value) and digits",
        "    return rules.added(value)",
        f"{RELEASE}test_refused[a sum of many digits]",
    ),
    _bug(
        "a pattern with a backslash fails on a row",
        RULES,
        ' and "\\\\" not in str(value.pattern.value)',
        "",
        f"{RELEASE}test_refused[a pattern with a backslash]",
    ),
    _bug(
        "any cast is allowed",
        CASTS,
        " and _group(source) in SOURCES[_group(target)]",
        "",
        f"{RELEASE}test_refused[text to a number]",
    ),
    _bug(
        "the second look takes any cast",
        PLAN,
        "    return _is_try(cast) or _is_literal(cast.child()) or _fits(source, target, cast)",
        "    return True",
        f"{SECOND}[a cast]",
    ),
    _bug(
        "the second look takes calculations that are strict",
        PLAN,
        '    return str(expression.evalMode()) == "TRY"',
        "    return True",
        f"{SECOND}[a product]",
    ),
    _bug(
        "the second look takes any divisor",
        PLAN,
        '    return class_of(division.right()) == f"{EXPRESSIONS}NullIf"',
        "    return True",
        f"{SECOND}[a rest]",
    ),
    _bug(
        "the second look takes any expression",
        PLAN,
        "    if not (name in TOTAL or (name in CONDITIONS and CONDITIONS[name](expression))):",
        "    if name in CONDITIONS and not CONDITIONS[name](expression):",
        f"{SECOND}[an error]",
    ),
    _bug(
        "the second look takes any step",
        PLAN,
        "    if name not in NODES:\n",
        "    if name.endswith('Sample'):\n",
        f"{RELEASE}test_the_second_look_refuses_what_is_no_table[`person` LIMIT 3]",
    ),
    _bug(
        "types are not those that were proved",
        VIEWS,
        "    if frame.dtypes != [(name, _name(kind)) for name, kind in view.schema.items()]:",
        "    if False:",
        f"{RELEASE}test_the_second_look_refuses_other_types",
    ),
    _bug(
        "functions and names of the user's are looked up",
        VIEWS,
        "own_session(view.source._session).sql(",
        "view.source._session.sql(",
        f"{RELEASE}test_functions_of_the_users_are_not_looked_up",
    ),
    _bug(
        "any option of a table",
        PLAN,
        " and options <= OPTIONS",
        "",
        f"{NOT_STORED}[an option by which old days fail]",
    ),
    _bug(
        "any format of files",
        PLAN,
        "    plain = class_of(files.fileFormat()) == PARQUET and ",
        "    plain = ",
        f"{NOT_STORED}[a table in CSV]",
    ),
    _bug(
        "what a name stands for is not looked at",
        VIEWS,
        "    if relation is None or not all(",
        "    if relation is None:\n        found = ops.Namespace(catalog='spark_catalog', database=backend.current_database)"
        "\n        return leaf.copy(namespace=found, schema=schema)\n    if not all(",
        f"{NOT_STORED}[a view]",
    ),
]
