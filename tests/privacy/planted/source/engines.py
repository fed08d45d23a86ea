"""Planted bugs in engines."""

from tests.privacy.bug import Bug

SAME = "tests/account/test_same_data.py::"
SPARK = "tests/conformance/test_spark.py::"
SPARK_FETCHED = "tests/conformance/test_spark_fetched.py::"
TABLES = "tests/source/test_tables.py::"
COLUMN_NAMES = "tests/source/test_names.py::"
KINDS = "tests/source/test_kinds.py::"
SPILL = "tests/source/test_spill.py::"
USERS_ENGINE = "tests/source/test_users_engine.py::"
SECOND = "tests/privacy/test_no_second_draw.py::"

POSTGRES = "tests/conformance/test_postgres.py::"

BUGS = [
    Bug(
        "Postgres: one person's text that is no date makes the release fail",
        "source/engines/postgres.py",
        (
            (
                'ibis.ifelse(pg_input_is_valid(plain, "timestamp"), plain.cast("timestamp(6)"), None)',
                'plain.cast("timestamp(6)")',
            ),
        ),
        POSTGRES + "test_a_text_makes_nothing_fail",
    ),
    Bug(
        "Postgres: text compares as the database's locale has it",
        "source/engines/postgres.py",
        (('{sql}::text COLLATE "C"', "{sql}::text"),),
        POSTGRES + "test_text_compares_byte_by_byte",
    ),
    Bug(
        "Postgres: literals have 32 bits, so that a product fails by a row",
        "source/engines/postgres_sql.py",
        (("self.cast(expressions.convert(value), dt.int64)", "self.cast(expressions.convert(value), dt.int32)"),),
        POSTGRES + "test_any_settings_of_a_session",
    ),
    Bug(
        "Postgres: a number next to the lowest value underflows, and the release fails",
        "source/scales/axis.py",
        (("above < (high - low) * TINY_PART", "above < 0.0"),),
        POSTGRES + "test_a_number_makes_nothing_fail",
    ),
    Bug(
        "Postgres: what it cannot do is found out after the charge",
        "planner/plan.py",
        (
            (
                "                rehearse_once(self.job, self.strategy, source, self.to_json())\n",
                "                pass\n",
            ),
        ),
        POSTGRES + "test_what_the_engine_cannot_do_is_not_charged",
    ),
    Bug(
        "Postgres: later queries of a release see rows that came since",
        "source/engines/postgres_session.py",
        (("psycopg.IsolationLevel.REPEATABLE_READ", "psycopg.IsolationLevel.READ_COMMITTED"),),
        POSTGRES + "test_one_snapshot",
    ),
    Bug(
        "Postgres: the ledger looks at other rows than those that are read",
        "run.py",
        (("            yield replace(self, events=replace(self.events, table=table))\n", "            yield self\n"),),
        POSTGRES + "test_the_ledger_looks_at_the_rows_that_are_read",
    ),
    Bug(
        "DuckDB: a table may change between the look and the reading",
        "run.py",
        (
            (
                "            check_packable(bounded.items)\n            source.check_rows()\n",
                "            check_packable(bounded.items)\n",
            ),
        ),
        USERS_ENGINE + "test_a_table_that_changes_after_the_look_is_refused[2]",
    ),
    Bug(
        "DuckDB: a table may change before the bound is chosen",
        "run.py",
        (("        self.check_unchanged()\n        self.check_rows()\n", "        self.check_unchanged()\n"),),
        USERS_ENGINE + "test_a_table_that_changes_after_the_look_is_refused[auto]",
    ),
    Bug(
        "DuckDB: what it cannot do is found out after the charge",
        "run.py",
        (("        rehearse(job, strategy, source)\n        done.add(request)\n", "        done.add(request)\n"),),
        USERS_ENGINE + "test_what_the_engine_cannot_do_is_not_charged",
    ),
    Bug(
        "rows that stand there twice cancel out in a fingerprint",
        "source/engines/duckdb.py",
        (("sum({each})", "bit_xor({each})"), ("count(*), {sums}", "{sums}")),
        SAME + "test_every_changed_cell_and_every_row_matters",
    ),
    Bug(
        "Spark: readers share what is kept, and the first to end takes it away",
        "source/engines/spark.py",
        (("own = frame_of(table).filter(f\"'{name}' IS NOT NULL\")", "own = frame_of(table)"),),
        SPARK + "test_a_second_reader_takes_nothing_from_the_first",
    ),
    Bug(
        "Spark: what is kept of rows that change is computed again from others",
        "source/engines/spark.py",
        (("few.persist() if backend.repeatable else few.localCheckpoint(eager=False)", "few.persist()"),),
        SPARK_FETCHED + "test_what_is_kept_of_rows_that_change_is_not_read_again",
    ),
    Bug(
        "Spark: rows that a program sends are the same each time",
        "source/queries/spark_plan.py",
        ((" and RDD not in leaves", ""),),
        SPARK_FETCHED + "test_what_is_kept_of_rows_that_change_is_not_read_again",
    ),
    Bug(
        "Spark: rows that move without an order are in the same partitions each time",
        "source/queries/spark_plan.py",
        ((" and (sorts or not _moves(plan))", ""),),
        SPARK_FETCHED + "test_rows_that_move_without_an_order_may_be_others",
    ),
    Bug(
        "Spark: any Java will do, also one without Arrow",
        "source/engines/java.py",
        (("for versions in (SENDS_ARROW, RUNS_SPARK):", "for versions in (RUNS_SPARK,):"),),
        "tests/source/test_java.py::test_the_java_that_suits_best",
    ),
    Bug(
        "Spark: repeated events are items",
        "source/contributions/grouped.py",
        (
            (
                "distinct=is_distinct_in_lists(pairs, items, once=once)",
                "distinct=False",
            ),
        ),
        SPARK + "test_the_order_of_rows_and_partitions_do_not_matter",
    ),
    Bug(
        "Spark: all pairs of a person count in later rounds",
        "bound/pairs/engine_pairs.py",
        (("rows.filter((rows[SHOWN] > 0) | (rows[EXCESS] == 0))", "rows.filter(rows[SHOWN] >= 0)"),),
        "tests/conformance/test_engines.py::test_bounded_counts[spark-users-SplitL2Budget]",
    ),
    Bug(
        "Spark: a person with rows instead of a list is many people",
        "source/contributions/grouped.py",
        (("people.filter(people[BEFORE] == 0)", "people.filter(people[BEFORE] >= 0)"),),
        "tests/conformance/test_large_people.py::test_some_people_have_rows_and_others_a_list[users]",
    ),
    Bug(
        "Spark: a person's items in any order",
        "source/engines/spark_sql.py",
        (('operations.ArraySort: "sort_array"', 'operations.ArraySort: "reverse"'),),
        "tests/conformance/test_engines.py::test_bounded_counts[spark-users-SampledItems]",
    ),
    Bug(
        "Spark: a hash of 32 bits, which wraps around",
        "source/engines/spark_sql.py",
        (("            if dtype.is_integer():", "            if False:"),),
        SPARK + "test_the_order_of_rows_and_partitions_do_not_matter",
    ),
    Bug(
        "Ibis: what the engine cannot read is charged",
        "source/engines/duckdb.py",
        (("        self.check_readable(chosen, columns)\n", ""),),
        COLUMN_NAMES + "test_a_name_is_a_name",
    ),
    Bug(
        "Ibis: one text that is no UTF-8 makes the reading fail",
        "source/engines/duckdb.py",
        (("attempt(dt.string)(decode()(encode()(table[name])))", "decode()(encode()(table[name]))"),),
        KINDS + "test_a_text_that_is_no_utf8_on_an_engine_of_the_user",
    ),
    Bug(
        "a list of keys is left on the user's connection",
        "source/engines/duckdb.py",
        (("        _connection(table).con.unregister(name)", "        pass"),),
        USERS_ENGINE + "test_nothing_of_ours_is_left[keys]",
    ),
    Bug(
        "two threads on one connection",
        "source/engines/duckdb_connection.py",
        (("return _LOCKS.setdefault(connection, RLock())", "return RLock()"),),
        USERS_ENGINE + "test_who_waits_for_whom",
    ),
    Bug(
        "raw rows of dead processes stay",
        "source/engines/spill.py",
        (("    sweep(Path(parent or gettempdir()))\n", ""),),
        SPILL + "test_the_next_release_removes_what_a_killed_one_left",
    ),
    Bug(
        "rows of a living process are swept",
        "source/engines/spill.py",
        (
            (
                "if not system.try_lock(file) or os.read",
                "if os.read",
            ),
        ),
        SPILL + "test_the_next_release_removes_what_a_killed_one_left",
    ),
    Bug(
        "rows of another machine are swept",
        "source/engines/spill.py",
        ((" or os.read(file, 1000) != _machine():", ":"),),
        SPILL + "test_a_folder_of_another_machine_is_left_alone",
    ),
    Bug(
        "rows of another user are swept",
        "system/posix.py",
        (("S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()", "S_ISDIR(found.st_mode)"),),
        SPILL + "test_a_folder_of_another_user_is_left_alone",
    ),
    Bug(
        "a folder that is just being made is swept",
        "source/engines/spill.py",
        (('    unnamed = folder / f"{LOCK}-"\n', "    unnamed = folder / LOCK\n"),),
        SPILL + "test_a_folder_is_named_locked_only",
    ),
    Bug(
        "an engine's collation decides what is equal",
        "source/engines/duckdb.py",
        (("return _byte_exact(chosen)", "return chosen"),),
        TABLES + "test_a_collation_decides_nothing",
    ),
    Bug(
        "a connection may ignore case",
        "source/engines/duckdb.py",
        (('    "default_collation": ("", "binary"),\n', ""),),
        SECOND + "test_a_connection_that_ignores_case_is_refused",
    ),
]
