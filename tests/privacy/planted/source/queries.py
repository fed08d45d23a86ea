"""Planted bugs in queries: which tables they read, and what they make of them."""

from tests.privacy.bug import Bug

QUERIES = "tests/source/test_queries.py::"
SPARK_QUERIES = "tests/conformance/test_spark_queries.py::"

BUGS = [
    Bug(
        "chance inside a macro is covered by the promise",
        "source/queries/catalog.py",
        (("                if step.fix:\n", "                if not step:\n"),),
        QUERIES + "test_no_promise_covers_chance_inside_a_macro",
    ),
    Bug(
        "some rows of a lazy frame, by their place, are covered by the promise",
        "source/queries/lazy_polars.py",
        (("(?:slice|gather|gather_every|get)", "(?:gather_every)"),),
        QUERIES + "test_lazy_polars",
    ),
    Bug(
        "what follows from the order of rows is covered by the promise",
        "source/queries/lazy_polars.py",
        (("if BY_ORDER.search(text) and not ORDER.search(text):", "if False:"),),
        QUERIES + "test_lazy_polars",
    ),
    Bug(
        "constants of SQL text are not looked at",
        "source/queries/catalog.py",
        ((" or [*misplaced(query, self._ask)]", ""),),
        QUERIES + "test_a_constant_of_a_view_does_not_tell_of_one_person",
    ),
    Bug(
        "any typed text stands for any type",
        "source/queries/ibis.py",
        (("    if not all(is_written_as(", "    if False and not all(is_written_as("),),
        QUERIES + "test_no_row_makes_a_query_fail_that_is_taken_without_a_promise[a text that is no day]",
    ),
    Bug(
        "what fills missing values may be of any type",
        "source/queries/ibis.py",
        (("return found is not None and all(", "return found is None or bool("),),
        QUERIES + "test_no_row_makes_a_query_fail_that_is_taken_without_a_promise[a text for missing ids]",
    ),
    Bug(
        "a window counts as row by row",
        "source/queries/ibis.py",
        (("return kind in VALUES\n", 'return kind in VALUES | {"WindowFunction", "Any"}\n'),),
        QUERIES + "test_ibis_expressions[any]",
    ),
    Bug(
        "an operation that is on no list counts as row by row",
        "source/queries/ibis.py",
        (("return kind in VALUES\n", "return kind not in NAMES and kind not in REFUSED\n"),),
        QUERIES + "test_ibis_expressions[an alias]",
    ),
    Bug(
        "a view of DuckDB counts as a table",
        "source/queries/catalog.py",
        (
            (
                "        if query is None or self._nested",
                "        if query is None:\n            return\n        if self._nested",
            ),
        ),
        QUERIES + "test_ibis_expressions[a registered frame]",
    ),
    Bug(
        "the query of a view is not looked into",
        "source/queries/catalog.py",
        (("        for step in self.text(query[1])", "        for step in list[Step]()"),),
        QUERIES + "test_ibis_expressions[a view with a window]",
    ),
    Bug(
        "a subquery in SQL counts as row by row",
        "source/queries/duckdb_sql.py",
        (('    elif kind == "SUBQUERY":\n        yield ALL_ROWS\n', '    elif kind == "SUBQUERY":\n        return\n'),),
        QUERIES + "test_sql_of_a_relation[SELECT * FROM visits WHERE EXISTS (SELECT 1 FROM visits WHERE hiv = 1)]",
    ),
    Bug(
        "the place of a row in its file is a column like others",
        "source/queries/duckdb_sql.py",
        (('("rowid", "file_row_number", "file_index")', '("rowid",)'),),
        QUERIES + "test_relations[places in a file]",
    ),
    Bug(
        "CSV that DuckDB parses by a guess is a table",
        "source/queries/duckdb_sql.py",
        (("        yield GUESSED\n", "        return\n"),),
        QUERIES + "test_relations[csv]",
    ),
    Bug(
        "a cast that can fail by one row is row by row",
        "source/queries/ibis.py",
        (("        yield from () if _never_fails(node.arg.dtype, node.to) else [CAST]", "        yield from ()"),),
        QUERIES + "test_ibis_expressions[a cast that can fail]",
    ),
    Bug(
        "a name that WITH defines is taken for one in its own definition",
        "source/queries/duckdb_sql.py",
        (
            (
                '        yield from _walk(each["value"], names, ctes)\n        ctes |= {each["key"].casefold()}\n',
                '        ctes |= {each["key"].casefold()}\n        yield from _walk(each["value"], names, ctes)\n',
            ),
        ),
        QUERIES + "test_sql_of_a_relation[WITH few AS (SELECT * FROM few) SELECT * FROM few]",
    ),
    Bug(
        "a function in Python passes for one of DuckDB's",
        "source/queries/catalog.py",
        ((' or (each["name"], each["kind"], each["types"]) not in _built_in():', ":"),),
        "tests/source/test_queries.py::test_a_function_in_python_for_other_types_stands_in_for_duckdbs",
    ),
    Bug(
        "a table is taken whatever stands in for functions",
        "source/queries/ibis.py",
        ((", *names.functions()])", "])"),),
        "tests/source/test_queries.py::test_functions_of_the_users_stand_in_for_duckdbs_in_a_table_too",
    ),
    Bug(
        "numbers of 64 bits with and without a sign are one family",
        "source/queries/ibis.py",
        (('    if _is_unsigned(value):\n        return "uint64"\n', ""),),
        "tests/source/test_queries.py::test_no_row_makes_a_query_fail_that_is_taken_without_a_promise",
    ),
    Bug(
        "any length may be typed",
        "source/queries/patterns.py",
        (("        return abs(float(str(value))) <= MAX_CHARACTERS\n", "        return True\n"),),
        "tests/source/test_queries.py::test_no_row_makes_a_query_fail_that_is_taken_without_a_promise",
    ),
    Bug(
        "a macro passes for the function whose name it has",
        "source/queries/catalog.py",
        (("        if name.casefold() in self._own_functions:", "        if False:"),),
        QUERIES + "test_a_function_of_ones_own_does_not_pass_for_one_of_duckdbs",
    ),
    Bug(
        "a lazy frame counts as a table if its plan begins with one",
        "source/queries/lazy_polars.py",
        (("TABLE.fullmatch(text)", "TABLE.search(text)"),),
        QUERIES + "test_neighbours_are_refused_alike[lazy polars]",
    ),
    Bug(
        "a query needs no promise",
        "source/queries/step.py",
        (("    if typed is None:\n", "    if typed is None and False:\n"),),
        QUERIES + "test_neighbours_are_refused_alike[ibis]",
    ),
    Bug(
        "a promise covers a limit",
        "source/queries/step.py",
        (("    if step.fix:\n        raise", "    if step.fix and typed is None:\n        raise"),),
        QUERIES + "test_ibis_expressions[a limit]",
    ),
    Bug(
        "any sentence is the promise",
        "source/queries/step.py",
        (("typed.strip().casefold() != PROMISE", "not typed"),),
        QUERIES + "test_only_the_promise_is_taken[trust me]",
    ),
    Bug(
        "a node of Spark that moves people's rows together counts as row by row",
        "source/queries/spark_plan.py",
        (
            ('("Project", "Filter",', '("Project", "Window", "Filter",'),
            ("        yield _unknown(name)\n    if name ==", "        return\n    if name =="),
        ),
        SPARK_QUERIES + "test_other_queries_need_the_promise[a window]",
    ),
    Bug(
        "a product of whole numbers, which one row makes fail, counts as row by row",
        "source/queries/ibis.py",
        (("return bool(node.dtype.is_floating())", "return True"),),
        "tests/source/test_queries.py::test_ibis_expressions[a product]",
    ),
    Bug(
        "a comparison of text with a number, which one row makes fail, counts as row by row",
        "source/queries/duckdb_sql.py",
        (("for part in parts) <= 1", "for part in parts) <= 2"),),
        "tests/source/test_queries.py::test_sql_of_a_relation[SELECT * FROM visits WHERE hiv > 0]",
    ),
]
