"""Planted bugs in views on Postgres (docs/proofs/views.md)."""

from tests.privacy.bug import Bug

MEANING, RELEASE = "tests/views/test_postgres.py::", "tests/views/test_postgres_release.py::"
DIALECTS = "source/views/dialects/"
CASTS, TEMPLATES, RULES = (f"{DIALECTS}{name}.py" for name in ("postgres_casts", "postgres", "postgres_rules"))
CATALOG = "source/queries/on_postgres.py"


def _bug(name: str, file: str, old: str, new: str, caught_by: str) -> Bug:
    return Bug(f"views on Postgres: {name}", file, ((old, new),), caught_by)


BUGS = [
    _bug(
        "a number out of range makes the release fail",
        CASTS,
        'return f"NULLIF(NULLIF(GREATEST(LEAST({sql}, {high}), {low}), {high}), {low})"',
        "return sql",
        f"{MEANING}test_no_row_makes_it_fail[a narrower number]",
    ),
    _bug(
        "an infinite date makes the release fail",
        CASTS,
        '    return in_range(f"CAST({sql} AS DATE)", *DATES)',
        '    return f"CAST({sql} AS DATE)"',
        f"{MEANING}test_no_row_makes_it_fail[whole days]",
    ),
    _bug(
        "a divisor of 0 makes the release fail",
        TEMPLATES,
        "NUMERIC(40, 20)) / NULLIF({numeric('{right}')}, 0)))",
        "NUMERIC(40, 20)) / {numeric('{right}')}))",
        f"{MEANING}test_no_row_makes_it_fail[a floor of negatives]",
    ),
    _bug(
        "products of whole numbers have 32 bits",
        TEMPLATES,
        "f\"({numeric('{left}')} * {numeric('{right}')})\"",
        '"({left} * {right})"',
        f"{MEANING}test_no_row_makes_it_fail[large products]",
    ),
    _bug(
        "floating-point numbers are calculated with",
        RULES,
        "    return all((each.dtype.is_integer() or each.dtype.is_decimal()) and holds(each.dtype)",
        "    return all(holds(each.dtype)",
        f"{RELEASE}test_refused[a sum of floats]",
    ),
    _bug(
        "any cast is allowed",
        CASTS,
        " and _group(source) in SOURCES[_group(target)]",
        "",
        f"{RELEASE}test_refused[text to a number]",
    ),
    _bug(
        "typed text compares as the database's locale has it",
        TEMPLATES,
        "f'(CAST({sql} AS TEXT) COLLATE \"C\")' if value.dtype.is_string() else sql",
        "sql",
        f"{RELEASE}test_text_is_compared_byte_by_byte_everywhere",
    ),
    _bug(
        "text compares as the database's locale has it",
        CASTS,
        """    return f'(CAST({sql} AS TEXT) COLLATE "C")'""",
        '    return f"CAST({sql} AS TEXT)"',
        f"{RELEASE}test_text_is_compared_byte_by_byte_everywhere",
    ),
    _bug(
        "functions and operators of the user's are looked up",
        "source/engines/postgres_session.py",
        "for name in schemas if of_user and name",
        "for name in schemas if name",
        f"{RELEASE}test_functions_and_operators_of_the_users_are_not_looked_up",
    ),
    _bug(
        "a cast of the user's stands in for one of Postgres",
        CATALOG,
        "        return (Step(what) for (what,) in self._ask(REPLACED, ()))",
        "        return iter(())",
        f"{RELEASE}test_a_cast_that_takes_the_place_of_one_of_postgres_is_refused",
    ),
    _bug(
        "a table is read with its children",
        CATALOG,
        " OR (inhparent = c.oid AND relkind = 'r')",
        "",
        f"{RELEASE}test_what_is_not_a_stored_table_is_refused[a table with children]",
    ),
    _bug(
        "a partition is a table of its own",
        CATALOG,
        "NOT relispartition\n  AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid OR (",
        "NOT EXISTS (SELECT FROM pg_inherits WHERE (",
        f"{RELEASE}test_what_is_not_a_stored_table_is_refused[a partition]",
    ),
    _bug(
        "a table is stored whatever filters or computes its rows",
        CATALOG,
        "        if not found or list(self.table(node)):",
        "        if not found:",
        f"{RELEASE}test_what_is_not_a_stored_table_is_refused[row security]",
    ),
    _bug(
        "a type is what Ibis takes it for",
        CATALOG,
        "        return not (kind.is_numeric() or any(family(kind) for family in FAMILIES.values()))",
        "        return True",
        f"{RELEASE}test_what_is_not_a_stored_table_is_refused[a type that Ibis takes for text]",
    ),
]
