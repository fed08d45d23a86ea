"""Planted bugs in what a release shows, saves and says."""

from tests.privacy.bug import Bug

PENDING = "tests/account/test_pending.py::"
SERVES = "tests/account/test_serves.py::"
ATTRIBUTION = "tests/account/test_attribution.py::"
RELEASE = "tests/release/test_release.py::"
FORGED = "tests/release/test_forged.py::"
MISREAD = "tests/usability/test_misread.py::"
NAMES = "tests/cli/test_names.py::"

BUGS = [
    Bug(
        "changed data have the exit code of a wrong argument",
        "errors.py",
        (("    exit_code = 4\n", "    exit_code = 2\n"),),
        SERVES + "test_the_holder_is_told_by_an_error_of_its_own",
    ),
    Bug(
        "a secret shows itself",
        "wording/secret.py",
        (("    def __repr__(self)", "    def hidden(self)"), ("    __str__ = __repr__\n", "")),
        PENDING + "test_no_local_variable_shows_it",
    ),
    Bug(
        "a purpose may be anything",
        "wording/typed.py",
        (("    if not text.isprintable():", "    if False:"),),
        ATTRIBUTION + "test_bad_texts_are_refused",
    ),
    Bug(
        "a small file fills memory",
        "release/size.py",
        (("        if decoded > most:", "        if False:"),),
        "tests/release/test_size.py::test_a_small_file_does_not_fill_memory[runs]",
    ),
    Bug(
        "a question about rows that were read",
        "release/hints/misread.py",
        (
            (
                "    empty = all(_says_nothing(table, each, scales) for each in values) if values else not table.num_rows\n",
                "    empty = True\n",
            ),
        ),
        MISREAD + "test_nothing_for_the_budget_asks_why[days]",
    ),
    Bug(
        "nothing for the budget, and no question",
        "release/hints/hints.py",
        (("        *misread_hints(table, about, plain),\n", ""),),
        MISREAD + "test_a_condition_is_asked_about_first",
    ),
    Bug(
        "formulas in a CSV",
        "release/export.py",
        (('return f"\'{text}" if text.startswith(FORMULA) else text', "return text"),),
        RELEASE + "test_a_csv_cannot_run_anything",
    ),
    Bug(
        "items unescaped on a page",
        "wording/markup.py",
        (("<td{kind}>{text(cell)}</td>", "<td{kind}>{cell}</td>"),),
        RELEASE + "test_a_page_holds_no_code_and_loads_nothing",
    ),
    Bug(
        "a forged cost unescaped on a page",
        "release/report/notebook.py",
        (("Cost: {text(cost)}", "Cost: {cost}"),),
        FORGED + "test_costs_are_escaped_even_if_nothing_checked_them",
    ),
    Bug(
        "a forged release is taken as it is",
        "release/release.py",
        (
            (
                "            check_table(release.table, release.about)\n",
                "            release.about, check_table  # noqa: B018\n",
            ),
        ),
        FORGED + "test_intervals_and_bins_are_checked",
    ),
    Bug(
        "escapes of a terminal in an error",
        "errors.py",
        (('super().__init__(f"{visible(brief(message))} Fix', 'super().__init__(f"{brief(message)} Fix'),),
        NAMES + "test_mistakes_are_told_without_escapes",
    ),
    Bug(
        "escapes of a terminal in a summary",
        "errors.py",
        (
            (
                "char if char.isprintable() else PLACEHOLDER",
                "char if char.isprintable() or char >= '\\x7f' else PLACEHOLDER",
            ),
        ),
        NAMES + "test_ledgers_show_names_without_escapes",
    ),
]
