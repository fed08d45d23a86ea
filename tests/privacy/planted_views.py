"""Planted bugs in the rules and the rewriting of views (docs/proofs/views.md)."""

from tests.privacy.bug import Bug

CASES = "tests/views/test_cases.py::"
PROVED, REFUSED = CASES + "test_a_proved_view_mixes_nobody", CASES + "test_a_view_without_a_proof_is_refused"
CLASSES = "tests/views/test_classes.py::"
REWRITING = "tests/views/test_rewriting.py::"
RELEASE = "tests/views/test_release.py::"
REFUSALS = "tests/views/test_refusals.py::"
HOSTILE = "tests/views/test_hostile.py::"
RULES, IDS, VALUES = (f"source/views/{name}.py" for name in ("relations", "ids", "values"))
REWRITTEN, REDUCTIONS = "source/views/rewriting.py", "source/views/reductions.py"


def _bug(name: str, file: str, old: str, new: str, caught_by: str) -> Bug:
    return Bug(f"views: {name}", file, ((old, new),), caught_by)


VIEWS = [
    _bug(
        "any equality joins private tables",
        RULES,
        "    return kind is not None and kind == scope.kinds.get(right)",
        "    return True",
        f"{REFUSED}[customer joined by nation]",
    ),
    _bug(
        "any condition joins private tables",
        RULES,
        "    if not private or any(",
        "    if True or any(",
        f"{REFUSED}[or in the join condition]",
    ),
    _bug(
        "NULL-safe equality joins users",
        RULES,
        "    if type(value) is not ops.Equals or",
        "    if type(value) not in (ops.Equals, ops.IdenticalTo) or",
        f"{REFUSED}[NULL-safe equality on the user]",
    ),
    _bug(
        "a union with a public table",
        RULES,
        "    if left.private != right.private:",
        "    if left.private != right.private:\n        return left if left.private else right\n    if False:",
        f"{REFUSED}[union with a public table]",
    ),
    _bug(
        "the left side's carriers stay in a set operation",
        RULES,
        "    same = [each for each in left.carriers if left.carriers[each] == right.carriers.get(each)]",
        "    same = list(left.carriers)",
        f"{REFUSED}[union by the left side's user]",
    ),
    Bug(
        "views: fill_null of the user",
        RULES,
        (
            ("    if owners.carriers.keys() & node.replacements.keys():", "    if False:"),
            ("    return _kept(owners, node.schema.keys() - node.replacements.keys())", "    return owners"),
        ),
        f"{REFUSED}[fill_null of the user]",
    ),
    _bug(
        "a limit passes",
        RULES,
        "    ops.Limit: _limit,",
        "    ops.Limit: _same,",
        REFUSALS + "test_sentences[limit]",
    ),
    _bug(
        "a public table filtered by a private one",
        RULES,
        "        elif other.private and not scope.private:",
        "        elif False:",
        f"{REFUSED}[public rows filtered by private ones, joined]",
    ),
    _bug(
        "a group-by without the user",
        RULES,
        "    if found.private and not found.carriers:\n        refusals.mixed_groups(",
        "    if found.private and not found.carriers:\n"
        "        return Owners(private=True, carriers=dict.fromkeys(node.groups, PERSON))\n"
        "        refusals.mixed_groups(",
        f"{REFUSED}[group by item only]",
    ),
    _bug(
        "isin of any list",
        RULES,
        "    if same is None or listed.carriers.get(name) != same or",
        "    if same is None or",
        HOSTILE + "test_a_key_is_no_person[people in a list of keys]",
    ),
    _bug(
        "a table that is not declared is public",
        RULES,
        "        refusals.undeclared(node.name)",
        "        return PUBLIC",
        REFUSALS + "test_a_table_that_is_neither_private_nor_public",
    ),
    _bug(
        "a view of the database passes for a table",
        RULES,
        "    if type(node) is ops.DatabaseTable and (step := worst(proof.names.table(node))):",
        "    if False and (step := worst(proof.names.table(node))):",
        f"{REFUSED}[a view of the database]",
    ),
    _bug(
        "a class that is in no list passes",
        RULES,
        "        rule = RULES.get(type(node))",
        "        rule = next((RULES[each] for each in type(node).__mro__ if each in RULES), None)",
        CLASSES + "test_a_class_that_is_in_no_list_is_refused",
    ),
    _bug(
        "columns that differ in capitals",
        RULES,
        "        _check_names(node.schema)\n",
        "",
        f"{REFUSED}[columns that differ in capitals]",
    ),
    _bug(
        "distinct rows with a float",
        RULES,
        '    _check_rows_comparable("distinct()", node)\n',
        "",
        f"{REFUSED}[distinct rows with a float]",
    ),
    _bug(
        "coalesce with anything",
        IDS,
        "        found = {kind_carried(each, kinds) for each in value.arg}",
        "        found = {kind_carried(each, kinds) for each in value.arg} - {None}",
        f"{REFUSED}[coalesce with a constant]",
    ),
    _bug(
        "any cast of a user is a user",
        IDS,
        "    if type(value) in (ops.Cast, ops.TryCast) and _one_to_one(value.arg.dtype, value.to):",
        "    if type(value) in (ops.Cast, ops.TryCast):",
        f"{REFUSED}[user cast to fewer bits]",
    ),
    _bug(
        "half of a user is a user",
        IDS,
        "    if type(value) in (ops.Cast, ops.TryCast) and _one_to_one(value.arg.dtype, value.to):",
        "    if type(value) is ops.FloorDivide:\n        return kind_carried(value.left, kinds)\n"
        "    if type(value) in (ops.Cast, ops.TryCast) and _one_to_one(value.arg.dtype, value.to):",
        f"{REFUSED}[user computed, not one to one]",
    ),
    _bug(
        "carriers outside a window's partition stay",
        VALUES,
        "if all(each in some for some in self.partitions)}",
        "}",
        f"{REFUSED}[outer join, window over one side's user, other side's user]",
    ),
    Bug(
        "views: windows over anybody",
        VALUES,
        (
            ("        if self.private and not by:", "        if False:"),
            ("            self.partitions.append(by)", "            self.partitions += [by] if by else []"),
        ),
        f"{REFUSED}[row_number without a partition]",
    ),
    _bug(
        "a key of a window is not looked at",
        VALUES,
        "            self._inside.check(key, total=False)",
        "            pass",
        REFUSALS + "test_sentences[window key]",
    ),
    _bug(
        "a subquery of private rows",
        VALUES,
        "        if self.owners_of(value.rel).private:",
        "        if False:",
        f"{REFUSED}[isin as a value]",
    ),
    _bug(
        "a subquery inside what can fail",
        VALUES,
        "            around = total and never_fails_above(value)",
        "            around = total",
        f"{REFUSED}[a subquery inside arithmetic]",
    ),
    _bug(
        "a key of groups of which unlike values are equal",
        VALUES,
        "        if not identical_if_equal(value.dtype):",
        "        if False:",
        f"{REFUSED}[a float as a key of groups]",
    ),
    _bug(
        "sums of floats",
        REDUCTIONS,
        "    if not (kind.is_integer() or kind.is_boolean() or kind.is_decimal()):",
        "    if False:",
        f"{REFUSED}[float sum per user]",
    ),
    _bug(
        "text is compared by its collation",
        REWRITTEN,
        "self._engine.byte_exact_table(usable).op()",
        "usable.op()",
        REWRITING + "test_ids_are_compared_byte_by_byte",
    ),
    _bug(
        "rows without a user stay",
        REWRITTEN,
        "    owned = table.filter(table[user].notnull()).op()",
        "    owned = table.op()",
        REWRITING + "test_rows_without_a_user_are_left_out_at_the_end",
    ),
    _bug(
        "ties are not broken",
        REWRITTEN,
        "    fields = list(relation.fields.values())\n",
        "    fields = list(relation.fields.values())[:0]\n",
        REWRITING + "test_ties_are_broken_by_all_columns",
    ),
    _bug(
        "ties of -0.0 and 0.0 are not broken",
        REWRITTEN,
        "for each in (*fields, *alike)]",
        "for each in fields]",
        REWRITING + "test_ties_are_broken_by_all_columns",
    ),
    _bug(
        "the larger of -0.0 and 0.0",
        REWRITTEN,
        "            return new.copy(arg=self._number(new.arg))",
        "            return new",
        REWRITING + "test_ties_are_broken_by_all_columns",
    ),
    _bug(
        "a value that fails fails the view",
        REWRITTEN,
        "        return self._attempt(new)",
        "        return new",
        REWRITING + "test_no_row_makes_a_view_fail",
    ),
    _bug(
        "a sum has the engine's own type",
        REWRITTEN,
        "    return ops.TryCast(ops.Field(relation, name), value.dtype)",
        "    return ops.Field(relation, name)",
        REWRITING + "test_a_sum_that_does_not_fit_is_missing",
    ),
    _bug(
        "the view as written is run",
        "source/events.py",
        "        return engine.table(again, columns)",
        "        return engine.table(view.expression, columns)",
        RELEASE + "test_a_value_that_cannot_be_computed_is_missing",
    ),
    _bug(
        "two views are one request",
        "planner.py",
        '            **({"view": self.certificate.to_plain()} if self.certificate else {}),\n',
        "",
        RELEASE + "test_the_same_view_again_returns_the_sealed_release_and_another_pays",
    ),
    _bug(
        "a plan takes another view",
        "planner.py",
        "        if events.certificate != self.certificate:",
        "        if False:",
        RELEASE + "test_a_plan_from_text_needs_the_same_view",
    ),
    _bug(
        "functions of the user's stand in for the engine's",
        "source/views/certificate.py",
        "    _check_functions(proof.names)\n",
        "",
        RELEASE + "test_a_function_of_ones_own_in_place_of_the_engines",
    ),
    _bug(
        "a key of two people is one person's",
        RULES,
        "    down = [(left, right) for left, right in equal if _is_key_of(left, right, scope)]",
        "    if any(scope.keys.get(left) for left, right in equal):\n        return None\n"
        "    down = [(left, right) for left, right in equal if _is_key_of(left, right, scope)]",
        HOSTILE + "test_a_key_is_no_person[orders by their key alone]",
    ),
    _bug(
        "rows of a linked table stay by what others claim",
        RULES,
        "    if not (down or (up and link.how not in FILTERS)):",
        "    if not (down or up):",
        HOSTILE + "test_a_key_is_no_person[lines that have an order]",
    ),
    _bug(
        "any column is a key",
        RULES,
        "    kind = scope.keys.get(key)\n",
        "    kind = scope.kinds.get(carrier)\n",
        HOSTILE + "test_a_key_is_no_person[a key that is computed]",
    ),
    _bug(
        "a filled key is a key",
        RULES,
        "    return _kept(owners, node.schema.keys() - node.replacements.keys())",
        "    return owners",
        HOSTILE + "test_a_key_is_no_person[a key that is filled]",
    ),
    _bug(
        "a carrier of keys stays after the join with its parent",
        VALUES,
        "None if kind == below else kind",
        "kind",
        HOSTILE + "test_a_key_is_no_person[a window by the key after the join]",
    ),
    _bug(
        "a table has two owners",
        "source/views/declared.py",
        "    if leaf in private:\n        owner",
        "    if False:\n        owner",
        HOSTILE + "test_a_table_has_one_owner",
    ),
    _bug(
        "a frame without an order",
        VALUES,
        "        if ends and not value.order_by:",
        "        if False:",
        HOSTILE + "test_refused[a running sum without an order]",
    ),
    _bug(
        "a default of a window is converted",
        REDUCTIONS,
        '    if getattr(value, "default", None) is not None:',
        "    if False:",
        HOSTILE + "test_refused[a default of another type]",
    ),
    _bug(
        "a number of rows by a column",
        REDUCTIONS,
        "    if given is not None:\n        check_count",
        "    if False:\n        check_count",
        HOSTILE + "test_refused[an offset below nothing]",
    ),
    _bug(
        "a median of dates",
        REDUCTIONS,
        "    if kind_of(value) in FRACTIONS and",
        "    if False and",
        HOSTILE + "test_refused[the median of dates]",
    ),
    _bug(
        "a median with NaN",
        REWRITTEN,
        "        return self._attempt(ops.Add(kept, ZERO))",
        "        return self._attempt(ops.Add(value, ZERO))",
        HOSTILE + "test_a_median_does_not_depend_on_where_nan_stands",
    ),
    _bug(
        "a constant is computed",
        "source/views/constants.py",
        "    elif is_constant(value) and not _is_safe(value):",
        "    elif False:",
        HOSTILE + "test_refused[a constant that is computed]",
    ),
    _bug(
        "operands are converted",
        "source/views/constants.py",
        "    if mixed and not convertible(",
        "    if False and not convertible(",
        HOSTILE + "test_refused[a number that a narrow decimal cannot hold]",
    ),
    _bug(
        "columns of any type",
        RULES,
        "            _check_types(node.schema)",
        "            pass",
        HOSTILE + "test_columns_of_odd_types_are_left_aside",
    ),
    _bug(
        "a column has the engine's own type",
        REWRITTEN,
        "        return _as_declared(self._engine.byte_exact_table(usable).op())",
        "        return self._engine.byte_exact_table(usable).op()",
        HOSTILE + "test_a_number_that_does_not_fit_its_type_is_missing",
    ),
    _bug(
        "conditions without parentheses",
        "source/views/constants.py",
        "    check_operators(value)\n    if kind",
        "    if kind",
        HOSTILE + "test_refused[a condition in a list]",
    ),
    _bug(
        "operations that can fail stand in a TRY together",
        REWRITTEN,
        "        new = _rebuilt(value, self._safe) if type(value) is not ops.Field else value\n",
        "        new = value\n",
        HOSTILE + "test_a_part_that_occurs_twice_does_not_fail",
    ),
    _bug(
        "the SQL is not looked at again",
        "source/views/certificate.py",
        "        check_sql(sql := str(ibis.to_sql(table)))",
        "        sql = str(ibis.to_sql(table))",
        HOSTILE + "test_an_operation_of_several_functions_is_refused",
    ),
]
