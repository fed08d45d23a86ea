"""Planted bugs in reading: files, frames, identities, encodings."""

from tests.privacy.bug import Bug

NUMBERS = "tests/bound/test_by_number.py::"
TABLES = "tests/source/test_tables.py::"
LINES = "tests/source/test_lines.py::"
FILES = "tests/source/test_files.py::"
CELLS = "tests/source/test_cells.py::"
COLUMN_NAMES = "tests/source/test_names.py::"
KINDS = "tests/source/test_kinds.py::"
KERNELS = "tests/source/test_kernels.py::"
QUERIES = "tests/source/test_queries.py::"
CHANGED = "tests/source/test_changed.py::"
WHERE = "tests/usability/test_where.py::"
DATES = "tests/usability/test_dates.py::"
MISTAKES = "tests/usability/test_mistakes.py::"
JOINT = "tests/mechanism/test_joint.py::"
SECOND = "tests/privacy/test_no_second_draw.py::"
ARGUMENTS = "tests/usability/test_arguments.py::"
SCANS = "tests/source/test_scan.py::"
VECTORS = "tests/bound/test_vectors.py::"

BUGS = [
    Bug(
        "rows of files without an item count, if nothing else is done to them",
        "source/engines/scan.py",
        (("for value in (user, *items))", "for value in (user,))"),),
        SCANS + "test_the_rows_that_lack_no_value_are_those_of_the_expression[int64-parquet]",
    ),
    Bug(
        "rows of items that are not public count",
        "source/engines/scan.py",
        (('"" if public is None else self._joined(items, public)', '""'),),
        SCANS + "test_the_rows_of_public_items_are_those_of_the_expression[int64]",
    ),
    Bug(
        "an item is public if one of its parts is",
        "source/engines/scan.py",
        (('equal = " AND ".join', 'equal = " OR ".join'),),
        SCANS + "test_the_rows_of_public_items_are_those_of_the_expression[int64]",
    ),
    Bug(
        "rows of files that meet no condition count",
        "job/reading.py",
        (("return not (self.where or any(", "return not (any("),),
        SCANS + "test_what_is_done_to_rows_is_done_to_those_of_files",
    ),
    Bug(
        "groups of few people: a pair counts once for each of its rows",
        "source/contributions/streamed.py",
        (
            ("np.minimum(np.concatenate(counted), np.uint32(maximum))", "np.concatenate(counted)"),
            ("None if maximum == 1 else", "None if counted[0] is None else"),
        ),
        KERNELS + "test_the_same_is_measured_of_rows",
    ),
    Bug(
        "a file that grew is not noticed by its size and time",
        "source/identity.py",
        (("each.st_dev, each.st_ino, each.st_size, each.st_mtime_ns)", "each.st_dev, each.st_ino, 0, 0)"),),
        CHANGED + "test_every_kind_of_file",
    ),
    Bug(
        "a file that was swapped is not noticed by its place",
        "source/identity.py",
        (("if _versions(events) != before:", "if len(_versions(events) or ()) != len(before or ()):"),),
        CHANGED + "test_at_every_step",
    ),
    Bug(
        "what a table is, is not looked at again when it is read",
        "source/events.py",
        (("promise_for(engine.query(data), promise)  # a table may have become a view since the plan", "pass"),),
        QUERIES + "test_a_table_that_became_a_view_since_the_plan_is_not_read",
    ),
    Bug(
        "sorted here: some come twice",
        "source/contributions/encoded.py",
        (("between(first << ITEM_BITS, (last << ITEM_BITS) - 1)", "between(first << ITEM_BITS, last << ITEM_BITS)"),),
        NUMBERS + "test_people_come_a_few_at_a_time",
    ),
    Bug(
        "sorted here: repeated events are pairs",
        "source/contributions/encoded.py",
        (("return _by_person(found[new], counted, ", "return _by_person(found, counted, "),),
        NUMBERS + "test_people_come_a_few_at_a_time",
    ),
    Bug(
        "sorted here: what is taken from one person has no limit",
        "bound/pairs/encoded_pairs.py",
        (("np.minimum(above.sum_by_person(each), cut)", "above.sum_by_person(each)"),),
        NUMBERS + "test_people_come_a_few_at_a_time",
    ),
    Bug(
        "kernels: items of several columns are told apart by the first",
        "source/contributions/streamed.py",
        (("(first.astype(np.int64) << 32) + other", "(first.astype(np.int64) << 32)"),),
        KERNELS + "test_the_same_pairs_as_the_engine_makes",
    ),
    Bug(
        "kernels: items have each other's names",
        "source/contributions/streamed.py",
        (("pa.table(found, self._names), _inverse(order)", "pa.table(found, self._names), order"),),
        KERNELS + "test_the_same_pairs_as_the_engine_makes",
    ),
    Bug(
        "kernels: a person between the parts of two threads counts twice",
        "source/kernels/counting.py",
        (("slice(*pair) for pair", "slice(max(pair[0] - 1, 0), pair[1]) for pair"),),
        KERNELS + "test_counting_and_adding_as_numpy_does",
    ),
    Bug(
        "sorted here: a count has no limit",
        "source/contributions/encoded.py",
        (("np.minimum(lengths, maximum) if maximum > 1", "lengths if maximum > 1"),),
        NUMBERS + "test_a_count_stops_at_the_largest",
    ),
    Bug(
        "duplicate rows of a person count as people",
        "source/contributions/contributions.py",
        (("rows.select(USER, *items).distinct().mutate(", "rows.select(USER, *items).mutate("),),
        TABLES + "test_frames",
    ),
    Bug(
        "not-a-number ids are many people",
        "source/contributions/contributions.py",
        (('return ibis.ifelse(column.isnan(), None, column.cast("float64") + 0.0)', 'return column.cast("string")'),),
        TABLES + "test_people_of_every_type",
    ),
    Bug(
        '1 and "1" are two people',
        "source/frames/cells.py",
        (("    (Integral, _whole),\n", "    (Integral, repr),\n"),),
        TABLES + "test_numbers_of_every_kind_are_one_person",
    ),
    Bug(
        "pandas: bytes are text, unless one person's are none",
        "source/frames/cells.py",
        (('    return bytes(cell).decode("utf-8", "replace")\n', "    return str(bytes(cell))\n"),),
        CELLS + "test_an_item_of_everybody_stays_theirs",
    ),
    Bug(
        "pandas: an object's address is an item",
        "source/frames/cells.py",
        (("    return None if ADDRESS.search(text) else valid(text)\n", "    return valid(text)\n"),),
        CELLS + "test_what_has_no_value_of_its_own_is_no_item",
    ),
    Bug(
        "pandas: whole floats are other items than integers",
        "source/frames/cells.py",
        (("    return _whole(value) if value.is_integer() else _decimal", "    return _decimal"),),
        CELLS + "test_numbers_by_value_whatever_the_precision",
    ),
    Bug(
        "pandas: one True renames everybody's 1",
        "source/frames/pandas_columns.py",
        (("column.cat.categories, role, number_of)", "column.cat.categories, role, text_of)"),),
        CELLS + "test_one_true_does_not_rename_the_ones_of_others",
    ),
    Bug(
        "people with long ids all draw the same",
        "source/contributions/contributions.py",
        (('number == whole.cast("float64")', "number != number"),),
        CELLS + "test_long_ids_of_floats_draw_each_for_themselves",
    ),
    Bug(
        "pandas: integers are items as they are, until one is missing",
        "source/frames/pandas_columns.py",
        (('    "item": ITEM,\n', '    "item": (*NUMERIC, *ITEM),\n'),),
        CELLS + "test_one_cell_decides_nothing_for_others",
    ),
    Bug(
        "pandas: the plan tells a type that one row decides",
        "source/frames/frames.py",
        (
            (
                '        return kind_named("string")\n',
                '        return dt.float64 if self._data.dtypes.iloc[index] == float else kind_named("string")\n',
            ),
        ),
        CELLS + "test_one_cell_does_not_change_the_type_of_a_release",
    ),
    Bug(
        "DuckDB: a name is an expression",
        "source/frames/frames.py",
        (('else f"#{index + 1} AS {name}"', 'else f"{self.names[index]} AS {name}"'),),
        COLUMN_NAMES + "test_a_name_is_a_name",
    ),
    Bug(
        "polars: a name is a pattern",
        "source/frames/frames.py",
        (("(pl.nth(index).alias(name)", "(pl.col(self.names[index]).alias(name)"),),
        COLUMN_NAMES + "test_a_name_is_a_name",
    ),
    Bug(
        "names that differ in capitals only are two columns",
        "source/events.py",
        ((".casefold() == column.casefold()]", " == column]"),),
        COLUMN_NAMES + "test_names_that_differ_in_capitals_only_are_refused",
    ),
    Bug(
        "DuckDB: integers of 128 bits wrap around",
        "source/frames/frames.py",
        (('in ("HUGEINT", "UHUGEINT")', 'in ("HUGEINT",)'),),
        KINDS + "test_integers_of_128_bits_do_not_wrap_around",
    ),
    Bug(
        "one text that is no UTF-8 makes the reading fail",
        "source/frames/arrow_columns.py",
        (("    (is_text, _text),\n", "    (is_text, _same),\n"),),
        KINDS + "test_a_text_that_is_no_utf8_is_repaired_alone",
    ),
    Bug(
        "bytes are accepted by the plan",
        "source/frames/frames.py",
        (("        return dt.DataType.from_pyarrow(kind)\n", "        return dt.string\n"),),
        KINDS + "test_what_cannot_be_read_is_refused_by_the_plan",
    ),
    Bug(
        "a known item listed twice gets noise twice",
        "source/schema.py",
        (("        if row in seen:\n", "        if False:\n"),),
        MISTAKES + "test_mistakes",
    ),
    Bug(
        "a broken line of a CSV is handed on",
        "source/files/delimited.py",
        (
            (
                "        return fitting & ~self._open & ~self._broken & ~self._returned\n",
                "        return fitting & ~self._open\n",
            ),
        ),
        LINES + "test_a_line_of_a_csv_touches_no_other",
    ),
    Bug(
        "a line of a CSV is a record however wide it is",
        "source/files/delimited.py",
        (("(fields == self.dialect.width) & ", "(fields >= self.dialect.width) & "),),
        LINES + "test_a_broken_line_is_left_out_alone",
    ),
    Bug(
        "an open quote swallows the lines after it",
        "source/files/delimited.py",
        (
            (
                "                kept[line:] = False\n                return kept, start\n",
                "                kept[line:] = False\n                return kept, start\n"
                "            else:\n                kept[line:] = False\n",
            ),
        ),
        LINES + "test_a_broken_line_is_left_out_alone",
    ),
    Bug(
        "a mark that stands first in a block is taken from a person's record",
        "source/files/delimited.py",
        (('    text = b"\\n" + records  #', "    text = records  #"),),
        LINES + "test_where_a_file_is_cut_changes_nothing",
    ),
    Bug(
        "a CSV is cut between blocks",
        "source/files/delimited.py",
        (("            elif not last and len(self.block) - start < LONGEST:\n", "            elif False:\n"),),
        LINES + "test_a_csv_of_a_library_is_read_exactly",
    ),
    Bug(
        "a line that is too long is cut, not left out",
        "source/files/blocks.py",
        (("(rest + tail)[: LONGEST + 1]", "(rest + tail)[: LONGEST - 9]"),),
        LINES + "test_where_a_file_is_cut_changes_nothing",
    ),
    Bug(
        "a folder of a Parquet file overrides a column",
        "source/files/parquet.py",
        (("hive_partitioning = false", "hive_partitioning = true"),),
        FILES + "test_folders_are_no_columns",
    ),
    Bug(
        "text inside quotes is records",
        "source/files/delimited.py",
        (
            (
                "            if found := self.dialect.record.match(self.block, start, start + LONGEST):\n",
                "            if found := None:\n",
            ),
        ),
        TABLES + "test_text_inside_quotes_is_never_rows",
    ),
    Bug(
        "one person's value decides whether NaN of others counts",
        "source/scales/binning.py",
        (
            (
                "    return value.isnan().ifelse(None, value) if column.type().is_floating() else value\n",
                "    return value\n",
            ),
        ),
        WHERE + "test_the_rows_of_one_person_do_not_decide_on_others_that_are_no_number",
    ),
    Bug(
        "an operator is a value that no row has",
        "source/conditions/conditions.py",
        (("        check_spelling(name, value)\n", "        pass\n"),),
        WHERE + "test_operators_are_refused_before_the_charge",
    ),
    Bug(
        "a range without its end",
        "source/scales/binning.py",
        (
            (
                "        last = (value == self.edges[-1], self.size - 1)\n",
                "        last = (value == self.edges[-1], None)\n",
            ),
        ),
        WHERE + "test_a_range_may_have_one_end[up to a number-arrow]",
    ),
    Bug(
        "rows that do not fulfil the conditions are counted",
        "source/conditions/conditions.py",
        (("    return table.filter(*filters).select(*others)\n", "    return table.select(*others)\n"),),
        WHERE + "test_a_release_is_that_of_a_table_with_these_rows_alone[histogram]",
    ),
    Bug(
        "dates beyond the public ones are counted",
        "source/scales/periods.py",
        (("        first, last = self.dates or (FIRST, LAST)\n", "        first, last = FIRST, LAST\n"),),
        DATES + "test_beside_an_unknown_column_too",
    ),
    Bug(
        "joint: items that were left out are found after all",
        "source/contributions/encoded.py",
        (("flags, self.unused, of_flagged, of_others)", "flags, None, of_flagged, of_others)"),),
        JOINT + "test_one_person_side_by_side",
    ),
    Bug(
        "groups: a row without an amount is dropped for all metrics",
        "source/contributions/encoded.py",
        (("    fetched = to_arrow(pairs)\n", "    fetched = to_arrow(pairs).drop_null()\n"),),
        KERNELS + "test_the_same_is_measured_of_rows",
    ),
    Bug(
        "kernels: a row without an amount has one of 0",
        "source/contributions/streamed.py",
        (("filled(pa.chunked_array([column]), nan)", "filled(pa.chunked_array([column]), 0.0)"),),
        VECTORS + "test_rows_without_an_amount_count_for_people_and_events_alone[by number]",
    ),
    Bug(
        "kernels: people have each other's amounts",
        "source/contributions/streamed.py",
        (("np.float64)[order] for", "np.float64) for"),),
        KERNELS + "test_the_same_is_measured_of_rows",
    ),
    Bug(
        "kernels: a key runs into the place of its row",
        "source/contributions/streamed.py",
        (("len(ranks).bit_length(), size.bit_length()", "len(ranks).bit_length(), 1"),),
        KERNELS + "test_the_same_is_measured_of_rows",
    ),
    Bug(
        "groups: sums of amounts keep the pairs that are left out",
        "source/contributions/rows.py",
        (("tuple(each.where(pairs) for each in self.sums)", "self.sums"),),
        VECTORS + "test_rows_without_an_amount_count_for_people_and_events_alone[by number]",
    ),
    Bug(
        "groups: events without an amount are added up",
        "source/contributions/rows.py",
        (("np.where(there, amounts, 0)", "amounts"),),
        VECTORS + "test_rows_without_an_amount_count_for_people_and_events_alone[by number]",
    ),
    Bug(
        "groups: found by people whose rows have all amounts",
        "source/contributions/contributions.py",
        (
            (
                "replace(self._with(_once_each(rows, self.items)), events=rows",
                "replace(self._with(_once_each(rows.drop_null(), self.items)), events=rows",
            ),
        ),
        VECTORS + "test_groups_are_found_by_people_of_all_rows[on the engine]",
    ),
    Bug(
        "groups: other groups count as the first one",
        "source/contributions/encoded.py",
        (("indices = np.full(len(self.items), -1)", "indices = np.full(len(self.items), 0)"),),
        VECTORS + "test_found_groups_by_number_and_on_the_engine",
    ),
    Bug(
        "a number too large for the engine makes reading fail",
        "source/contributions/contributions.py",
        (('        return engine_of(column).decimal(column.cast("string"), kind)\n', "        return column\n"),),
        SECOND + "test_a_number_too_large_for_the_engine_is_nobody_and_nothing",
    ),
    Bug(
        "ranges: a number beyond all reason makes reading fail",
        "source/scales/axis.py",
        (
            (
                "        if last - first == 1:\n            return float(first)",
                "        if False:\n            return float(first)",
            ),
        ),
        "tests/usability/test_numbers.py::test_a_range_as_wide_as_numbers_go",
    ),
    Bug(
        "any object is the name of data",
        "source/table.py",
        (('    one_line("name", name, str(name) if meant else "visits")', "    return"),),
        "tests/usability/test_table.py::test_what_cannot_be_meant_is_refused_in_the_line_that_has_it",
    ),
]
