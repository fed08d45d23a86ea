"""Planted bugs: each patches the real code in a copy of the package, and must turn a named test red.

    python -m tests.privacy.planted            all of them, with a table

A bug is a replacement of text that must occur exactly once in its file; so when the code moves on, the bug must move
along. The named test runs against the copy (by PYTHONPATH) and must fail; without the patch it must pass.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests import process
from tests.privacy.bug import Bug as Bug
from tests.privacy.planted_views import VIEWS

ROOT = Path(__file__).parents[2]


EXACT = "tests/noise/test_exact_law.py::"
STATISTICS = "tests/noise/test_statistics.py::"
INTERFACE = "tests/noise/test_interface.py::"
PRICES = "tests/account/test_prices.py::"
CALIBRATION = "tests/account/test_calibration.py::"
LEDGER = "tests/account/test_ledger.py::"
PENDING = "tests/account/test_pending.py::"
FILE = "tests/account/test_file.py::"
SAME = "tests/account/test_same_data.py::"
SERVES = "tests/account/test_serves.py::"
NEWER = "tests/formats/test_newer.py::"
RELATION = "tests/account/test_relation.py::"
ATTRIBUTION = "tests/account/test_attribution.py::"
CHAOS = "tests/audit/test_chaos.py::"
DELTA = "tests/privacy/test_exact_delta.py::"
SPARK = "tests/conformance/test_spark.py::"
BOUND = "tests/bound/test_bounding.py::"
NUMBERS = "tests/bound/test_by_number.py::"
MECHANISM = "tests/mechanism/test_conformance.py::"
CORRELATED = "tests/privacy/test_correlated.py::"
SHORT = "tests/usability/test_short_lists.py::"
EXACTLY = "tests/privacy/test_mechanisms.py::"
BYTES = "tests/privacy/test_same_result_same_bytes.py::"
TABLES = "tests/source/test_tables.py::"
LINES = "tests/source/test_lines.py::"
FILES = "tests/source/test_files.py::"
CELLS = "tests/source/test_cells.py::"
COLUMN_NAMES = "tests/source/test_names.py::"
KINDS = "tests/source/test_kinds.py::"
SPILL = "tests/source/test_spill.py::"
KERNELS = "tests/source/test_kernels.py::"
INTERRUPT = "tests/cli/test_interrupt.py::"
USERS_ENGINE = "tests/source/test_users_engine.py::"
RELEASE = "tests/release/test_release.py::"
FORGED = "tests/release/test_forged.py::"
QUERIES = "tests/source/test_queries.py::"
SPARK_QUERIES = "tests/conformance/test_spark_queries.py::"
OWNER = "tests/account/test_owner.py::"
CHANGED = "tests/source/test_changed.py::"
RECEIPT = "tests/privacy/test_receipt.py::"
PAYS = "tests/mechanism/test_pays.py::"
WHERE = "tests/usability/test_where.py::"
MISREAD = "tests/usability/test_misread.py::"
DATES = "tests/usability/test_dates.py::"
ESTIMAND = "tests/usability/test_what_intervals_are_for.py::test_wherever_somebody_looks"
NAMES = "tests/cli/test_names.py::"
STEPS = "tests/usability/test_first_steps.py::"
MISTAKES = "tests/usability/test_mistakes.py::"
WEIGH = "tests/bound/test_weigh.py::"
WEIGHTED = "tests/mechanism/test_weighted.py::"
ROUNDS = "tests/mechanism/test_rounds.py::"
JOINT = "tests/mechanism/test_joint.py::"
PROFILE = "tests/bound/test_profile.py::"
MEASURE = "tests/bound/test_measure.py::"
LOSS = "tests/bound/test_loss.py::"
HEAVY = "tests/bound/test_heavy.py::"
AUTOMATIC = "tests/usability/test_automatic_bound.py::"
CHOICES = "tests/bound/test_choices.py::"
SECOND = "tests/privacy/test_no_second_draw.py::"
RETRY = "tests/privacy/test_a_retry_repeats.py::"
COMPOSED = "tests/privacy/test_choice_then_release.py::"
PLUME = "tests/mechanism/test_plume.py::"
FOUND = "tests/mechanism/test_count_release.py::"
FOUND_EXACTLY = "tests/privacy/test_count_release.py::"
THIN = "tests/noise/test_thin.py::"
TABLE = "tests/noise/test_table.py::"
SAMPLED = "tests/privacy/test_sampled.py::"
ORDERED = "tests/privacy/test_ordered.py::"
SHAPES = "tests/mechanism/test_shaped.py::"
SHAPED = "tests/privacy/test_shaped.py::"
DRAWS = "tests/bound/test_draws.py::"
SELECTED = "tests/mechanism/test_selected.py::"
HOSTILE = "tests/conformance/test_hostile.py::"
ARGUMENTS = "tests/usability/test_arguments.py::"
DISTRIBUTED = "tests/privacy/test_distributed.py::"

VECTORS = "tests/bound/test_vectors.py::"
GROUPS = "tests/mechanism/test_groups.py::"
FEW = "tests/mechanism/test_few_totals.py::"

PYTEST = Path(sys.executable).with_name("pytest")
OPTIONS = ("--all", "-x", "-q", "-p", "no:cacheprovider", "-p", "tests.privacy.unshrunk")
ALONE = {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""One test in one process needs no other plugins."""

BUGS = [
    Bug(
        "a mechanism with noise for less than its bounding leaves",
        "mechanism/mechanism.py",
        (('        if not self.allows(self.neighbours or "add-remove"):\n', "        if False:\n"),),
        PAYS + "test_a_sample_of_a_hundred_with_noise_for_one",
    ),
    Bug(
        "only the first event of a mechanism must pay for its bounding",
        "mechanism/mechanism.py",
        (
            (
                "for event, change in self.payments)\n        return paid",
                "for event, change in self.payments[:1])\n        return paid",
            ),
        ),
        PAYS + "test_none_can_be_made_with_such_an_event",
    ),
    Bug(
        "more totals than the noise is for",
        "mechanism/mechanism.py",
        (("len(bounded.totals) > self.max_totals", "False"),),
        PAYS + "test_more_totals_than_the_noise_is_for",
    ),
    Bug(
        "noise for one person added where one is replaced",
        "run.py",
        (("        if not self.mechanism.allows(strategy.neighbours):\n", "        if False:\n"),),
        PAYS + "test_a_release_for_neighbours_that_its_noise_is_not_for",
    ),
    Bug(
        "stability: a replaced person changes as much as a removed one",
        "bound/stability.py",
        (('added.change("replace").within(cells)', "added"),),
        PAYS + "test_sums_of_as_many_copies",
    ),
    Bug(
        "stability: a threshold pays for any number of items",
        "bound/stability.py",
        (("own.total <= event.bound and ", ""),),
        PAYS + "test_a_sample_of_a_hundred_with_noise_for_one",
    ),
    Bug(
        "stability: vectors of any direction differ by the root of two",
        "bound/stability.py",
        (("for each in (norm, 2 * norm))", "for each in (norm, norm))"),),
        PAYS + "test_vectors_of_any_direction_differ_by_twice_their_norm",
    ),
    Bug(
        "correlated: the common number hides who is replaced",
        "mechanism/known/correlated.py",
        (
            (
                "own = Stability(Sensitivity(cells, 1, cells, cells), replaced, cells)\n        return (self.event, own), (self.common, Stability(Sensitivity(1, 1, 1, 1), replaced, 1))",
                "own, one = Sensitivity(cells, 1, cells, cells), Sensitivity(1, 1, 1, 1)\n        return (self.event, Stability(own, own, cells)), (self.common, Stability(one, one, 1))",
            ),
        ),
        PAYS + "test_correlated_noise_is_for_halves_and_for_nobody_who_is_replaced",
    ),
    Bug(
        "plume: items are discovered with noise for another sample",
        "bound/selection/plume.py",
        (("    if not allows(how, of_contributions(kept.sensitivity), how.neighbours):\n", "    if False:\n"),),
        PAYS + "test_items_are_discovered_with_noise_for_the_sample",
    ),
    Bug(
        "a mechanism may cost more than was paid",
        "run.py",
        (("        decision.check_paid(paid, job.relation, strategy)\n", ""),),
        RECEIPT + "test_noise_for_more_than_was_paid_is_never_drawn",
    ),
    Bug(
        "a mechanism's price is looked at once its noise is drawn",
        "run.py",
        (
            ("        decision.check_paid(paid, job.relation, strategy)\n", ""),
            (
                "decision.mechanism.run(bounded, entropy)  # items, noisy values\n",
                "decision.mechanism.run(bounded, entropy)\n        decision.check_paid(paid, job.relation, strategy)\n",
            ),
        ),
        RECEIPT + "test_noise_for_more_than_was_paid_is_never_drawn",
    ),
    Bug(
        "the mechanism is no part of the receipt",
        "run.py",
        ((", *self.mechanism.events), self.selected)", ",), self.selected)"),),
        RECEIPT + "test_noise_for_more_than_was_paid_is_never_drawn",
    ),
    Bug(
        "selections are no part of the receipt",
        "account/receipt.py",
        (("Cost(paid.epsilon - own.epsilon, paid.delta - own.delta)", "paid"),),
        RECEIPT + "test_what_selections_cost_is_taken_from_the_price",
    ),
    Bug(
        "a release may say that more happened than was paid for",
        "planner/plan.py",
        (("        check_recorded(self.cost, ", "        (lambda *_: None)(self.cost, "),),
        RECEIPT + "test_events_are_compared_again_as_they_are_written",
    ),
    Bug(
        "a receipt adds up events for other neighbours",
        "account/receipt.py",
        (("        return False\n", "        pass\n"),),
        RECEIPT + "test_events_for_other_neighbours_are_not_paid_for",
    ),
    Bug(
        "a defect is called a failed reading",
        "run.py",
        (("        if place := _place_of_defect(error):\n", '        if place := "":\n'),),
        RECEIPT + "test_a_mechanism_that_fails_is_a_defect_and_quotes_nobody",
    ),
    Bug(
        "a defect quotes what failed",
        "run.py",
        (("{place} failed.", "{place} failed: {error}."),),
        RECEIPT + "test_a_mechanism_that_fails_is_a_defect_and_quotes_nobody",
    ),
    Bug(
        "a file may change between the look and the reading",
        "run.py",
        (
            (
                '        progress("drawing noise")\n        source.check_unchanged()\n',
                '        progress("drawing noise")\n',
            ),
        ),
        CHANGED + "test_at_every_step[.csv-swapped-bounding]",
    ),
    Bug(
        "a file may change before the bound is chosen",
        "run.py",
        (
            ("    seen = selection.look(pairs)\n    check_unchanged()\n", "    seen = selection.look(pairs)\n"),
            ("        source.check_unchanged()\n        noisy", "        noisy"),
        ),
        CHANGED + "test_at_every_step",
    ),
    Bug(
        "a file may change while its digest is made",
        "run.py",
        (
            (
                "        found = identified(source.events, source.limits)\n        source.check_unchanged()\n",
                "        found = identified(source.events, source.limits)\n",
            ),
        ),
        CHANGED + "test_before_the_charge_nothing_is_charged",
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
        (("        for step in steps_of(query[1]", "        for step in [] and steps_of(query[1]"),),
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
        (("        return abs(float(str(value))) <= MOST_CHARACTERS\n", "        return True\n"),),
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
        "what a table is, is not looked at again when it is read",
        "source/events.py",
        (("        promise_for(engine.query(data), promise)  # a table may have become a view since the plan\n", ""),),
        QUERIES + "test_a_table_that_became_a_view_since_the_plan_is_not_read",
    ),
    Bug(
        "the release does not keep the promise",
        "planner/explanation.py",
        (("            promise=self.promise,\n", ""),),
        QUERIES + "test_the_promise_stands_everywhere",
    ),
    Bug(
        "a plan from text takes any query",
        "planner/plan.py",
        (("        promise = self.promise or None\n", '        promise = "each row belongs to one person"\n'),),
        QUERIES + "test_a_plan_from_text_keeps_its_promise",
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
        "the budget's owner has the name of the user column",
        "planner/plan.py",
        (
            (
                "self._events, dataset=self.dataset, neigh",
                'self._events, dataset=f"{self.dataset}, by {self.job.user}", neigh',
            ),
        ),
        OWNER + "test_the_owner_is_the_same_under_another_name_of_the_user_column",
    ),
    Bug(
        "what earlier versions charged is charged again",
        "planner/plan.py",
        (("        return before if ledger.has(before) else self._charge", "        return self._charge"),),
        OWNER + "test_what_was_charged_with_the_column_in_its_name_is_not_charged_again",
    ),
    Bug(
        "Laplace noise / 1.1",
        "noise/laplace.py",
        (("sign * (1 + Geometric(self.scale).sample", "sign * (1 + Geometric(self.scale * 10 / 11).sample"),),
        STATISTICS + "test_law_is_accepted_and_three_percent_off_is_rejected",
    ),
    Bug(
        "sign without the zero: -0 and +0 both become 0",
        "noise/laplace.py",
        (("        yield -ball(-1 / self.scale).expm1()\n        yield q\n", "        yield q\n        yield q\n"),),
        EXACT + "test_laplace_composed_of_sign_and_size",
    ),
    Bug(
        "table truncated: what lies beyond is its last outcome",
        "noise/table.py",
        (
            (
                "        outcomes[doubt] = refine(law, int(first[doubt]), words)",
                "        outcomes[doubt] = len(cuts) - 1",
            ),
        ),
        EXACT + "test_one_table_law_equals_its_decision_tree",
    ),
    Bug(
        "doubtful words are not refined",
        "noise/table.py",
        (("(first - cuts[outcomes - 1] <= 1).nonzero()", "(first - cuts[outcomes - 1] < 0).nonzero()"),),
        EXACT + "test_one_table_law_equals_its_decision_tree",
    ),
    Bug(
        "a guide decides words that are in doubt",
        "noise/table.py",
        (("cuts.searchsorted(starts - np.uint64(2), ", "cuts.searchsorted(starts, "),),
        TABLE + "test_a_guide_gives_what_a_search_gives",
    ),
    Bug(
        "falling weights round up, and drift above the true ones",
        "noise/falling.py",
        (("        quotient = quotient * shrink >> unit\n", "        quotient = -(-quotient * shrink >> unit)\n"),),
        TABLE + "test_falling_weights_lack_less_than_stated",
    ),
    Bug(
        "a Gaussian table whose ratio stays: its weights are geometric",
        "noise/falling.py",
        (("        quotient = quotient * shrink >> unit\n", ""),),
        TABLE + "test_every_cut_is_the_word_of_its_edge_or_one_less[narrow-gaussian-64]",
    ),
    Bug(
        "Gaussian buckets: the lighter integers are never rejected",
        "noise/gaussian.py",
        (("        return check_range(values[kept])", "        return check_range(values)"),),
        STATISTICS + "test_gaussian_from_coarse_buckets",
    ),
    Bug(
        "0 is in two buckets",
        "noise/gaussian.py",
        (("(bucket >> 1) * width + (bucket & 1)", "(bucket >> 1) * width"),),
        EXACT + "test_bucket_and_acceptance_make_the_gaussian",
    ),
    Bug(
        "digits of different weight",
        "noise/laplace.py",
        (("Geometric(self.scale / BASE).sample", "Geometric(self.scale / (BASE + 40)).sample"),),
        STATISTICS + "test_law_is_accepted_and_three_percent_off_is_rejected",
    ),
    Bug(
        "a seeded generator",
        "noise/entropy.py",
        (
            ("import numpy as np\n", "import numpy as np\n\n_RNG = np.random.default_rng(0)\n"),
            ("        return os.urandom(count)", "        return _RNG.bytes(count)"),
        ),
        INTERFACE + "test_forks_and_threads_never_share_a_stream",
    ),
    Bug(
        "a keyed stream that does not move on",
        "noise/entropy.py",
        (("        self._requests += 1\n", ""),),
        INTERFACE + "test_a_keyed_stream_never_repeats_itself",
    ),
    Bug(
        "a keyed stream without its key",
        "noise/entropy.py",
        (("        self._prefix = key + DOMAIN", "        self._prefix = DOMAIN"),),
        INTERFACE + "test_a_keyed_stream_never_repeats_itself",
    ),
    Bug(
        "a keyed stream for all threads",
        "noise/entropy.py",
        (("        if get_ident() != self._thread:", "        if False:"),),
        INTERFACE + "test_a_keyed_stream_belongs_to_one_thread",
    ),
    Bug(
        "a float means its binary value",
        "exact.py",
        (("return _decimal(Decimal(repr(float(value))))", "return Fraction(float(value))"),),
        INTERFACE + "test_a_number_means_the_decimal_that_was_typed",
    ),
    Bug(
        "the continuous Gaussian's price for discrete noise",
        "account/gaussian.py",
        (
            (
                "event.squared_sensitivity / (event.variance - rounding(event))",
                "event.squared_sensitivity / event.variance",
            ),
        ),
        PRICES + "test_discrete_gaussian_is_never_priced_below_its_exact_delta",
    ),
    Bug(
        "threshold: the tail of > where it is released at >=",
        "account/threshold.py",
        (("return q**k / (1 + q) if k >= 1", "return q ** (k + 1) / (1 + q) if k >= 1"),),
        DELTA + "test_laplace_threshold",
    ),
    Bug(
        "Gaussian threshold one too low",
        "account/threshold.py",
        (
            (
                "gaussian_tail(event.variance, event.threshold - event.largest)",
                "gaussian_tail(event.variance, event.threshold - event.largest + 1)",
            ),
        ),
        CALIBRATION + "test_gaussian_partition_thresholds",
    ),
    Bug(
        "delta for one item of a person, not for all of them",
        "account/threshold.py",
        (("many_small = 1 - alone**event.bound", "many_small = 1 - alone"),),
        CALIBRATION + "test_the_worst_spread_of_a_person_is_the_one_priced",
    ),
    Bug(
        "replacing a person costs as much as removing one",
        "account/threshold.py",
        (('return 2 if neighbours == "replace" else 1', "return 1"),),
        PRICES + "test_native_prices",
    ),
    Bug(
        "the common items of a replaced person are forgotten",
        "account/threshold.py",
        (("cells = changed_people(event.neighbours) * event.items - alone", "cells = event.items - alone"),),
        DELTA + "test_gaussian_threshold_on_popular_items",
    ),
    Bug(
        "zCDP conversion without its correction",
        "account/zcdp.py",
        (("surplus = -ball(delta).log() + (a - 1) * (1 - 1 / a).log() - a.log()", "surplus = -ball(delta).log() / 2"),),
        PRICES + "test_zcdp_there_and_back_never_gains",
    ),
    Bug(
        "costs round down",
        "exact.py",
        (("    return -(-value // step) * step", "    return value // step * step"),),
        PRICES + "test_zcdp_there_and_back_never_gains",
    ),
    Bug(
        "a selection is charged an eighth too little",
        "account/cost.py",
        (("own.epsilon**2 / (8 if", "own.epsilon**2 / (9 if"),),
        PRICES + "test_zcdp_prices",
    ),
    Bug(
        "a filter that looks after it has spent",
        "account/filter.py",
        (("return rho <= self.rho_left and delta <= self.delta_left", "return self.rho_left > 0"),),
        PRICES + "test_a_filter_never_admits_more_than_its_budget",
    ),
    Bug(
        "release before charge",
        "account/ledger.py",
        (
            (
                "        return ready if isinstance(ready, Sealed) else self._seal(reserved, _content(work(reserved.head, ready)))",
                "        return ready if isinstance(ready, Sealed) else self._seal(reserved, content)",
            ),
            (
                "        check_covered(charge)\n",
                "        check_covered(charge)\n        content = work(self.head, bytes(range(32)))\n",
            ),
        ),
        LEDGER + "test_the_charge_is_on_disk_before_the_work_begins",
    ),
    Bug(
        "what is handed out is not what is sealed",
        "account/ledger.py",
        (
            (
                "                if faster := sealed_by(transaction, reserved, history, self._store):\n                    return faster",
                "                if sealed_by(connection, reserved, history, self.path):\n                    return Sealed(content, reserved.head, fresh=True)",
            ),
        ),
        LEDGER + "test_a_second_process_that_works_at_the_same_time_gets_the_first_seal",
    ),
    Bug(
        "the cache is off: every request is drawn anew",
        "account/ledger.py",
        (
            (
                "        return find(history, history.charges(data.request, charge.neighbours), data)",
                "        return None",
            ),
        ),
        LEDGER + "test_the_same_request_returns_the_sealed_bytes",
    ),
    Bug(
        "another secret is taken for the one of a charge",
        "account/pending.py",
        ((" and commitment(secret) == charge.secret else None", " else None"),),
        PENDING + "test_another_secret_is_not_taken_for_it",
    ),
    Bug(
        "a new draw that was stopped is paid for again",
        "account/ledger.py",
        (("earlier.unfinished if again else earlier.newest", "(lambda *_: None) if again else earlier.newest"),),
        PENDING + "test_a_new_draw_that_was_stopped_is_not_paid_for_twice",
    ),
    Bug(
        "a retry has a fresh secret",
        "account/ledger.py",
        (("sealed or pending.read(self._store, found)", "sealed or os.urandom(32)"),),
        PENDING + "test_every_retry_has_the_same_secret",
    ),
    Bug(
        "a secret that is missing is made anew",
        "account/pending.py",
        (("    secret = store.secret(charge)\n", "    return store.secret(charge) or Secret(bytes(32))\n"),),
        PENDING + "test_a_pending_charge_without_its_secret_is_refused",
    ),
    Bug(
        "the secret is written after the charge",
        "account/ledger.py",
        (
            (
                "        self._store.keep_secret(row, secret)\n        transaction.append(row)\n",
                "        transaction.append(row)\n        self._store.keep_secret(row, secret)\n",
            ),
        ),
        PENDING + "test_it_is_on_disk_before_the_charge_is",
    ),
    Bug(
        "the secret is not synced to the disk",
        "account/stores/beside.py",
        (("    os.fsync(file)\n", ""),),
        PENDING + "test_it_is_on_disk_before_the_charge_is",
    ),
    Bug(
        "everybody may read the secret",
        "account/stores/beside.py",
        (("            os.fchmod(file, 0o600)", "            os.fchmod(file, 0o644)"),),
        PENDING + "test_only_the_owner_may_read_it",
    ),
    Bug(
        "everybody may read the secret at first",
        "account/stores/beside.py",
        (
            (
                "            os.fchmod(file, 0o600)  # whatever the umask is\n            _write(file, secret)\n",
                "            os.fchmod(file, 0o644)\n            _write(file, secret)\n"
                "            os.fchmod(file, 0o600)\n",
            ),
        ),
        PENDING + "test_it_is_for_the_owner_alone_from_its_first_moment_on",
    ),
    Bug(
        "a link in the secret's place is followed",
        "account/stores/private.py",
        (("flags | os.O_NOFOLLOW | os.O_NONBLOCK", "flags | os.O_NONBLOCK"),),
        PENDING + "test_a_link_in_its_place_is_not_followed",
    ),
    Bug(
        "the secret outlives the seal",
        "account/ledger.py",
        (("            self._store.wipe_secret(reserved)\n", ""),),
        PENDING + "test_it_is_gone_with_the_seal",
    ),
    Bug(
        "the secret is removed, not overwritten",
        "account/stores/beside.py",
        (("            _write(file, bytes(SECRET_SIZE))\n", "            pass\n"),),
        PENDING + "test_it_is_overwritten_before_it_is_removed",
    ),
    Bug(
        "what a crash left is never swept",
        "account/ledger.py",
        (("        self._store.sweep(is_pending)\n", ""),),
        PENDING + "test_it_is_on_disk_before_the_charge_is",
    ),
    Bug(
        "a pending charge's secret is swept",
        "account/ledger.py",
        (("row.hash.startswith(start) and history.is_pending(row)", "not row"),),
        PENDING + "test_every_retry_has_the_same_secret",
    ),
    Bug(
        "the system's noise beside a ledger",
        "planner/plan.py",
        (("KeyedEntropy(secret)", "SystemEntropy()"),),
        RETRY + "test_what_is_looked_at_is_drawn_once_for_a_charge",
    ),
    Bug(
        "noise in the order in which keys were listed",
        "planner/plan.py",
        (
            (
                '        return None if listed is None else listed.sort_by([(name, "ascending") for name in listed.column_names])',
                "        return listed",
            ),
        ),
        RETRY + "test_keys_in_another_order_get_the_same_noise",
    ),
    Bug(
        "a sealed answer for other data",
        "account/earlier.py",
        (("    if charges and not same:", "    if False:"), ("same[-1] if same", "charges[-1] if charges")),
        SAME + "test_files_of_one_name_in_two_folders_are_two",
    ),
    Bug(
        "an unfinished charge is finished for a file that was written again",
        "account/earlier.py",
        (("(data.has_rows_of(each) and not history.is_pending(each))", "data.has_rows_of(each)"),),
        SAME + "test_a_charge_that_was_not_finished_is_for_the_same_bytes_alone",
    ),
    Bug(
        "a file whose rows have a digest is always the same",
        "account/key.py",
        (("return charge.rows == self._digest(self.key, self.rows, charge.nonce, _ROWS)", "return True"),),
        SAME + "test_one_changed_cell_of_a_file_is_seen",
    ),
    Bug(
        "the digest of rows may be one of bytes",
        "account/key.py",
        (('_ROWS = b"rows of "', '_ROWS = b""'),),
        SAME + "test_what_is_kept_of_rows_tells_nothing_without_the_key",
    ),
    Bug(
        "a new draw finishes a charge of other data",
        "account/earlier.py",
        ((" if history.is_pending(each) and data.is_of(each))", " if history.is_pending(each))"),),
        SAME + "test_a_new_draw_does_not_finish_a_charge_for_other_data",
    ),
    Bug(
        "equal data have equal digests",
        "account/key.py",
        (("self.request.encode() + nonce.encode() + data", "self.request.encode() + data"),),
        SAME + "test_what_is_kept_tells_nothing_of_a_second_charge_for_the_same_request",
    ),
    Bug(
        "whoever is served learns that data changed",
        "account/ledger.py",
        (("earlier.served if self.serves else earlier.unfinished", "earlier.unfinished"),),
        SERVES + "test_a_charge_that_was_not_finished_is_refused_whatever_the_data_are",
    ),
    Bug(
        "a charge that is not finished is paid again by whoever is served",
        "account/earlier.py",
        (("    if charges and not sealed:", "    if False:"),),
        SERVES + "test_a_charge_that_was_not_finished_is_refused_whatever_the_data_are",
    ),
    Bug(
        "whoever is served draws again",
        "account/earlier.py",
        (("    if serves and again:", "    if False:"),),
        SERVES + "test_only_the_holder_draws_again",
    ),
    Bug(
        "data are read for a sealed answer",
        "account/earlier.py",
        (("    if data is None or not LOG.isEnabledFor(logging.INFO):", "    if data is None:"),),
        SERVES + "test_the_data_are_not_read_for_a_sealed_answer",
    ),
    Bug(
        "changed data are shown on stderr",
        "account/earlier.py",
        (('            LOG.info("%s: row %d is served, and', '            LOG.warning("%s: row %d is served, and'),),
        SERVES + "test_an_operator_who_listens_is_told",
    ),
    Bug(
        "changed data have the exit code of a wrong argument",
        "errors.py",
        (("    exit_code = 4\n", "    exit_code = 2\n"),),
        SERVES + "test_the_holder_is_told_by_an_error_of_its_own",
    ),
    Bug(
        "a ledger that was made to serve forgets it",
        "account/ledger.py",
        (("self.serves = self.made_to_serve if stated is None else stated", "self.serves = stated is True"),),
        SERVES + "test_a_ledger_that_was_made_to_serve_serves_however_it_is_opened",
    ),
    Bug(
        "a command serves nobody",
        "cli/job.py",
        ((", serves=run.serves)", ")"),),
        "tests/cli/test_serves.py::test_a_new_draw_is_refused",
    ),
    Bug(
        "a sealed answer needs the write lock",
        "account/ledger.py",
        (("        if before := self._sealed_before(charge, known, again):\n            return before[1]\n", ""),),
        LEDGER + "test_a_sealed_answer_waits_for_no_writer",
    ),
    Bug(
        "others may read a new ledger",
        "account/stores/private.py",
        (("        os.fchmod(file, 0o600)\n\n\ndef _check", "        os.fchmod(file, 0o644)\n\n\ndef _check"),),
        LEDGER + "test_a_new_ledger_is_for_its_owner_alone",
    ),
    Bug(
        "a secret shows itself",
        "wording/secret.py",
        (("    def __repr__(self)", "    def hidden(self)"), ("    __str__ = __repr__\n", "")),
        PENDING + "test_no_local_variable_shows_it",
    ),
    Bug(
        "a later kind of row is tampering",
        "account/chain.py",
        (("    if row.kind not in KNOWN_FIELDS:", "    if False:"),),
        NEWER + "test_a_later_ledger_is_not_opened_and_left_as_it_is",
    ),
    Bug(
        "a later format is tampering",
        "account/chain.py",
        (('    if fields.get("format", FORMAT) not in FORMATS:', "    if False:"),),
        NEWER + "test_a_later_ledger_is_not_opened_and_left_as_it_is",
    ),
    Bug(
        "a ledger of a later version is written to",
        "account/ledger.py",
        (("        if history.unknown:", "        if False:"),),
        NEWER + "test_a_ledger_with_an_unknown_field_is_not_written_to",
    ),
    Bug(
        "a charge of an earlier format in a later ledger",
        "account/chain.py",
        (('max(implied, fields.get("format", implied), key=FORMATS.index)', 'fields.get("format", implied)'),),
        NEWER + "test_no_charge_is_of_an_earlier_format_than_its_ledger",
    ),
    Bug(
        "a charge of version 0.9.0 needs the digest of a secret",
        "account/chain.py",
        (('{*_CHARGE_FIELDS_2, "neighbours", "data"}', '{*_CHARGE_FIELDS_2, "neighbours", "data", "secret"}'),),
        "tests/formats/test_every_version.py::test_ledgers_are_sound_and_can_be_charged",
    ),
    Bug(
        "a keyed stream wraps after 256 requests",
        "noise/entropy.py",
        (("self._requests.to_bytes(8", "(self._requests % 256).to_bytes(8"),),
        INTERFACE + "test_a_keyed_stream_never_wraps",
    ),
    Bug(
        "noise of one chunk is used for the next",
        "noise/entropy.py",
        (
            (
                "            part[:] = law.sample(len(part), self)",
                "            part[:] = draws[: len(part)] if start else law.sample(len(part), self)",
            ),
        ),
        INTERFACE + "test_draws_of_several_chunks_are_all_drawn_and_never_repeated",
    ),
    Bug(
        "a ledger that a power cut may undo",
        "account/stores/sqlite.py",
        (('"PRAGMA synchronous = EXTRA"', '"PRAGMA synchronous = OFF"'),),
        LEDGER + "test_every_connection_syncs_file_journal_and_folder",
    ),
    Bug(
        "a key that a power cut may undo",
        "account/stores/beside.py",
        (("        sync_folder(path.parent)\n", ""),),
        SAME + "test_the_key_is_on_disk_before_it_is_used",
    ),
    Bug(
        "data are the same if they begin alike",
        "account/key.py",
        (("nonce.encode() + data)", "nonce.encode() + data[:8])"),),
        SAME + "test_every_byte_of_what_stands_for_the_data_matters",
    ),
    Bug(
        "nonces that may be equal",
        "account/key.py",
        (("NONCE_SIZE = 16", "NONCE_SIZE = 1"),),
        SAME + "test_what_is_kept_tells_nothing_of_a_second_charge_for_the_same_request",
    ),
    Bug(
        "another delta is the same request",
        "account/chain.py",
        (('body["epsilon"], body["delta"], body["events"]]', 'body["epsilon"], body["events"]]'),),
        LEDGER + "test_a_charge_that_differs_in_anything_is_another",
    ),
    Bug(
        "a release that was changed after its seal",
        "account/rows.py",
        (('    if content is None or sha256(content) != seal.fields()["sha256"]:', "    if content is None:"),),
        LEDGER + "test_a_release_that_was_changed_after_its_seal_is_not_returned",
    ),
    Bug(
        "a forged charge for more delta than there is",
        "account/chain.py",
        ((" or spent[1] > self._budget[1]:", ":"),),
        LEDGER + "test_forged_rows_with_right_hashes_are_found",
    ),
    Bug(
        "secrets are swept by number alone",
        "account/ledger.py",
        (("row.hash.startswith(start) and history.is_pending(row)", "history.is_pending(row)"),),
        PENDING + "test_a_secret_with_the_number_of_a_pending_charge_but_another_hash_is_wiped",
    ),
    Bug(
        "the data of a release are not looked at",
        "planner/plan.py",
        (("again=anew, data=identity, rows=look)", "again=anew)"),),
        SAME + "test_another_frame_is_not_answered_with_the_first_ones_release",
    ),
    Bug(
        "a charge of other data is worked again",
        "account/earlier.py",
        (
            (
                "    return same[-1] if same else None",
                "    return charges[-1] if charges else None",
            ),
        ),
        SAME + "test_a_file_that_grew_is_refused_and_paid_for_with_again",
    ),
    Bug(
        "the digest of data has no key",
        "account/key.py",
        (
            (
                "self.key or self.store.create_key()",
                "self.key or (self.store.create_key() and bytes(32))",
            ),
            ("    return hmac.digest(key, message", "    return hmac.digest(bytes(32), message"),
        ),
        SAME + "test_what_is_kept_tells_nothing_without_the_key",
    ),
    Bug(
        "anybody may read the key",
        "account/stores/private.py",
        (
            ("os.O_NONBLOCK | os.O_CLOEXEC, 0o600)", "os.O_NONBLOCK | os.O_CLOEXEC, 0o644)"),
            ("    if found.st_mode & 0o077 and", "    if False and"),
        ),
        SAME + "test_the_key_is_for_its_owner_alone_whatever_the_umask",
    ),
    Bug(
        "rows that stand there twice cancel out in a fingerprint",
        "source/engines/duckdb.py",
        (("sum({each})", "bit_xor({each})"), ("count(*), {sums}", "{sums}")),
        SAME + "test_every_changed_cell_and_every_row_matters",
    ),
    Bug(
        "a frame without a name is charged",
        "planner/plan.py",
        (("        check_name(self.dataset)\n", ""),),
        SAME + "test_data_without_a_name_are_refused_by_a_ledger_alone",
    ),
    Bug(
        "another purpose is another charge",
        "account/chain.py",
        (('body["events"]]', 'body["events"], body.get("purpose", "")]'),),
        ATTRIBUTION + "test_the_same_request_for_another_purpose_is_the_same_charge",
    ),
    Bug(
        "a purpose may be anything",
        "wording/typed.py",
        (("    if not text.isprintable():", "    if False:"),),
        ATTRIBUTION + "test_bad_texts_are_refused",
    ),
    Bug(
        "a ledger adds up all neighbours",
        "account/ledger.py",
        (("    check_relation(charge.neighbours, history.neighbours, store.name)\n", ""),),
        RELATION + "test_public_sizes_are_a_relation_of_their_own",
    ),
    Bug(
        "public sizes are any sizes",
        "jobs/distribution.py",
        (('"replace-same-size" if self.sizes == "public" else self.neighbours', "self.neighbours"),),
        RELATION + "test_public_sizes_are_a_relation_of_their_own",
    ),
    Bug(
        "prices for two kinds of neighbours are added up",
        "account/events.py",
        (("    if len({*neighbours} - {None}) > 1:", "    if False:"),),
        RELATION + "test_a_filter_admits_one_kind_of_neighbours",
    ),
    Bug(
        "charges of version 0.8 are all for add-remove",
        "account/relation.py",
        (('    found = _of_plan(fields["request"]) or', "    found = set() and"),),
        "tests/formats/test_made_by_0_8.py::test_one_that_mixes_neighbours_takes_no_more_charges",
    ),
    Bug(
        "the budget is checked outside the transaction",
        "account/ledger.py",
        (
            ("        check_covered(charge)\n", "        check_covered(charge)\n        self._stale = self.left\n"),
            (
                "                _check_new(history, charge, self._store)\n                row",
                "                check_enough(charge.cost, self._stale)\n                row",
            ),
        ),
        CHAOS + "test_32_writers_charge_exactly_the_budget",
    ),
    Bug(
        "amounts as floats",
        "account/chain.py",
        (
            (
                '    return int(whole + places.ljust(PLACES, "0"))',
                '    return round(float(f"{whole}.{places}0") * 10**PLACES)',
            ),
        ),
        LEDGER + "test_typed_epsilons_add_up_exactly",
    ),
    Bug(
        "the chain forgets the row before",
        "account/chain.py",
        (('    before = last.hash if last else ""', '    before = ""'),),
        LEDGER + "test_the_chain_covers_every_row_before",
    ),
    Bug(
        "the schema is not looked at",
        "account/stores/sqlite.py",
        (("    if found - {OLD_INDEX} != set(SCHEMA):", "    if not found:"),),
        LEDGER + "test_every_edit_is_found",
    ),
    Bug(
        "a hard link to a ledger is accepted",
        "account/stores/one_path.py",
        (("    if path.stat().st_nlink > 1:", "    if False:"),),
        FILE + "test_a_second_name_is_refused",
    ),
    Bug(
        "a ledger that is mounted alone is accepted",
        "account/stores/one_path.py",
        (("os.path.ismount(path) or str(path) in mount_points()", "os.path.ismount(path)"),),
        FILE + "test_a_file_that_is_mounted_is_refused",
    ),
    Bug(
        "a lock that others may hold",
        "account/stores/turn.py",
        (("os.O_NOFOLLOW, 0o600)", "os.O_NOFOLLOW, 0o666)"), ("        os.fchmod(lock, 0o600)\n", "        pass\n")),
        FILE + "test_only_the_owner_may_open_the_lock",
    ),
    Bug(
        "an index decides what was charged before",
        "account/ledger.py",
        (
            (
                "                if found := self._find(history, charge, data, again):",
                "                wanted = (data.request,)\n"
                "                there = connection.execute('SELECT number FROM entry WHERE request = ?', wanted).fetchall()\n"
                "                if there and (found := self._find(history, charge, data, again)):",
            ),
            (
                "        if before := self._sealed_before(charge, known, again):\n            return before[1]\n",
                "",
            ),
        ),
        FILE + "test_no_byte_of_an_index_makes_a_second_draw",
    ),
    Bug(
        "enumeration in one direction only",
        "audit/enumerate.py",
        (("for a, b in ((one, other), (other, one))", "for a, b in ((other, one),)"),),
        DELTA + "test_laplace_threshold",
    ),
    Bug(
        "what is undecided is forgotten",
        "audit/enumerate.py",
        (("most + one.undecided)", "most)"),),
        "tests/audit/test_enumeration.py::test_undecided_mass_counts_against_the_mechanism",
    ),
    Bug(
        "the audit forgets half of what a bet may win by chance",
        "audit/evidence.py",
        (("- runs * (self.expectation(a, b) + 2.0**-50)", "- runs * self.expectation(a, b) / 2"),),
        "tests/audit/test_statistical.py::test_the_evidence_is_an_e_value",
    ),
    Bug(
        "what an exception says is not an output",
        "audit/outputs.py",
        (
            (
                'return Seen("raised", (type(error).__name__, _text(error)))',
                'return Seen("raised", (type(error).__name__, ""))',
            ),
        ),
        "tests/audit/test_enumeration.py::test_exceptions_and_the_order_of_keys_are_outputs",
    ),
    Bug(
        "True and 1 look the same",
        "audit/outputs.py",
        (("if isinstance(output, bool) or not isinstance", "if not isinstance"),),
        "tests/audit/test_statistical.py::test_nothing_is_forgotten_of_an_output",
    ),
    Bug(
        "a killed writer's failure is a success",
        "audit/chaos.py",
        (("    if code > 0:\n", "    if code > 1:\n"),),
        CHAOS + "test_a_writer_that_fails_by_itself_is_no_success",
    ),
    Bug(
        "a replaced person is bounded like a removed one: C instead of 2C",
        "bound/bounded.py",
        (("return Sensitivity(2 * self.items, self.largest, 2 * self.total, 2 * self.squared)", "return self"),),
        EXACTLY + "test_clipped_laplace[people-replace]",
    ),
    Bug(
        "a replaced person's Laplace noise is that of a removed one",
        "mechanism/unknown/thresholded.py",
        (("changed_people(neighbours) * sensitivity.total", "sensitivity.total"),),
        MECHANISM + "test_what_happens_costs_no_more_than_what_was_typed",
    ),
    Bug(
        "clipped noise / 1.1",
        "mechanism/known/clipped.py",
        (("entropy.draw(self.law, len(bounded.totals))", "entropy.draw(self.law, len(bounded.totals)) * 10 // 11"),),
        EXACTLY + "test_clipped_laplace[people-replace]",
    ),
    Bug(
        "the same noise for every item",
        "mechanism/known/clipped.py",
        (("entropy.draw(self.law, len(bounded.totals))", "entropy.draw(self.law, 1)"),),
        EXACTLY + "test_clipped_laplace[people-replace]",
    ),
    Bug(
        "a common number that is drawn again for every item",
        "mechanism/known/correlated.py",
        (("entropy.draw(law(self.common), 1)", "entropy.draw(law(self.common), len(own))"),),
        CORRELATED + "test_values_are_counts_plus_noise_of_their_own_and_one_number_for_all",
    ),
    Bug(
        "the common number forgotten",
        "mechanism/known/correlated.py",
        (("bounded.totals + own + common", "bounded.totals + own + 0 * common"),),
        CORRELATED + "test_values_are_counts_plus_noise_of_their_own_and_one_number_for_all",
    ),
    Bug(
        "the same noise for every item, besides the common number",
        "mechanism/known/correlated.py",
        (("entropy.draw(self.law, len(bounded.totals))", "entropy.draw(self.law, 1)"),),
        CORRELATED + "test_values_are_counts_plus_noise_of_their_own_and_one_number_for_all",
    ),
    Bug(
        "noise with a common number / 1.1",
        "mechanism/known/correlated.py",
        (("bounded.totals + own + common", "bounded.totals + (own + common) * 10 // 11"),),
        CORRELATED + "test_values_are_counts_plus_noise_of_their_own_and_one_number_for_all",
    ),
    Bug(
        "noise of an item for a quarter of what one person adds",
        "mechanism/known/correlated.py",
        (("(1 - common, Fraction(cells), cells)", "(1 - common, Fraction(cells, 4), cells)"),),
        CORRELATED + "test_all_events_cost_exactly_what_was_typed",
    ),
    Bug(
        "a common number where people are replaced",
        "mechanism/known/correlated.py",
        (('if neighbours == "add-remove":', "if neighbours:"),),
        SHORT + "test_noise_has_a_common_number_only_if_people_are_added_or_removed",
    ),
    Bug(
        "a common number by name where people are replaced",
        "mechanism/known/options.py",
        (('if request.neighbours == "replace":', 'if request.neighbours == "replaced":'),),
        "tests/golden/test_golden.py::test_refusals",
    ),
    Bug(
        "a person counts for every row of an item on a short list",
        "jobs/histogram.py",
        (('return self.count == "events"', 'return self.count == "events" or bool(self.keys)'),),
        SHORT + "test_everybody_counts_in_full",
    ),
    Bug(
        "a short list where only events are counted in full",
        "bound/listed.py",
        (("        assert contributions.once", "        assert True or contributions.once"),),
        "tests/bound/test_listed.py::test_events_are_refused",
    ),
    Bug(
        "shown above the threshold, not at it",
        "mechanism/unknown/thresholded.py",
        ((", entropy) >= self.event.threshold", ", entropy) > self.event.threshold"),),
        MECHANISM + "test_a_count_at_the_threshold_is_shown_and_one_below_is_not",
    ),
    Bug(
        "threshold - 1",
        "mechanism/unknown/thresholded.py",
        ((", entropy) >= self.event.threshold", ", entropy) >= self.event.threshold - 1"),),
        EXACTLY + "test_both_kinds_of_noise_with_a_threshold",
    ),
    Bug(
        "totals of a looser bound are taken",
        "mechanism/unknown/thresholded.py",
        (("        self.check(bounded)\n", ""),),
        MECHANISM + "test_totals_with_a_looser_bound_are_refused",
    ),
    Bug(
        "support before bounding",
        "bound/bounded.py",
        (("kept.filter(kept[TOTAL] > 0).mutate(", "kept.mutate("),),
        BOUND + "test_nothing_is_left_of_an_item_that_nobody_keeps",
    ),
    Bug(
        "the first k instead of a hashed choice",
        "bound/sample.py",
        (('start=above["hash"] %', 'start=0 * above["hash"] %'),),
        BOUND + "test_every_choice_is_equally_likely",
    ),
    Bug(
        "everybody starts alike: the person is not hashed",
        "bound/sample.py",
        (("ibis.literal(secret.hex()) + spelled(people[USER])", "ibis.literal(secret.hex())"),),
        BOUND + "test_people_and_secrets_choose_differently",
    ),
    Bug(
        "the secret is not hashed",
        "bound/sample.py",
        (("ibis.literal(secret.hex())", 'ibis.literal("")'),),
        BOUND + "test_people_and_secrets_choose_differently",
    ),
    Bug(
        "one item too many is kept",
        "bound/sample.py",
        (('placed["over"] >= self.most', 'placed["over"] > self.most'),),
        BOUND + "test_the_bound_holds_on_the_table",
    ),
    Bug(
        "sorted here: one item too many is kept",
        "bound/by_number.py",
        (("return place >= most", "return place > most"),),
        BOUND + "test_totals_are_those_of_what_is_kept",
    ),
    Bug(
        "sorted here: support before bounding",
        "bound/by_number.py",
        ((".filter(arrow(totals > 0))", ""),),
        BOUND + "test_nothing_is_left_of_an_item_that_nobody_keeps",
    ),
    Bug(
        "sorted here: one event too many is kept",
        "bound/by_number.py",
        (("    kept = (upto * most + starts) // sizes", "    kept = (upto * (most + 1) + starts) // sizes"),),
        BOUND + "test_totals_are_those_of_what_is_kept",
    ),
    Bug(
        "sorted here: some come twice",
        "source/encoded.py",
        (("between(first << ITEM_BITS, (last << ITEM_BITS) - 1)", "between(first << ITEM_BITS, last << ITEM_BITS)"),),
        NUMBERS + "test_people_come_a_few_at_a_time",
    ),
    Bug(
        "sorted here: repeated events are pairs",
        "source/encoded.py",
        (("return _by_person(found[new], counted, ", "return _by_person(found, counted, "),),
        NUMBERS + "test_people_come_a_few_at_a_time",
    ),
    Bug(
        "kernels: items of several columns are told apart by the first",
        "source/streamed.py",
        (("(first.astype(np.int64) << 32) + other", "(first.astype(np.int64) << 32)"),),
        KERNELS + "test_the_same_pairs_as_the_engine_makes",
    ),
    Bug(
        "kernels: items have each other's names",
        "source/streamed.py",
        (("pa.table(found, self._names), _inverse(order)", "pa.table(found, self._names), order"),),
        KERNELS + "test_the_same_pairs_as_the_engine_makes",
    ),
    Bug(
        "sorted here: a count has no limit",
        "source/encoded.py",
        (("np.minimum(lengths, most) if most > 1", "lengths if most > 1"),),
        NUMBERS + "test_a_count_stops_at_the_largest",
    ),
    Bug(
        "sorted here: scaled people may have any number of items",
        "bound/weighted.py",
        (
            (
                "cut = not_kept(above, self.most, started(above.people))",
                "cut = np.zeros(len(above.items), dtype=bool)",
            ),
        ),
        NUMBERS + "test_people_come_a_few_at_a_time",
    ),
    Bug(
        "rare items are forgotten",
        "bound/selection/by_load.py",
        (("start=rare - kept", "start=-kept"),),
        CHOICES + "test_rare_items_cost_what_is_left_of_them",
    ),
    Bug(
        "Spark: readers share what is kept, and the first to end takes it away",
        "source/engines/spark.py",
        (("own = frame_of(table).filter(f\"'{name}' IS NOT NULL\")", "own = frame_of(table)"),),
        SPARK + "test_a_second_reader_takes_nothing_from_the_first",
    ),
    Bug(
        "Spark: any Java will do, also one without Arrow",
        "source/engines/java.py",
        (("for versions in (SENDS_ARROW, RUNS_SPARK):", "for versions in (RUNS_SPARK,):"),),
        "tests/source/test_java.py::test_the_java_that_suits_best",
    ),
    Bug(
        "Spark: repeated events are items",
        "source/engines/spark_sql.py",
        (("return self.f.collect_set(arg) if distinct else", "return self.f.collect_list(arg) if distinct else"),),
        SPARK + "test_the_order_of_rows_and_partitions_do_not_matter",
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
        "one event too many is kept",
        "bound/sample.py",
        (("scaled = of_first * most + rows", "scaled = of_first * (most + 1) + rows"),),
        BOUND + "test_the_bound_holds_on_the_table",
    ),
    Bug(
        "bounding counts everybody's rows, not the person's",
        "bound/sample.py",
        (
            (
                "return ibis.row_number().over(group_by=USER, order_by=items) + 1",
                "return ibis.row_number().over(order_by=items) + 1",
            ),
        ),
        BOUND + "test_what_is_kept_of_a_person_is_their_own_affair",
    ),
    Bug(
        "shares rounded to the nearest",
        "bound/scale.py",
        (("share.floor()", "(share + 0.5).floor()"),),
        BOUND + "test_the_bound_holds_on_the_table",
    ),
    Bug(
        "shrunk to the sum where the size was meant",
        "bound/scale.py",
        (('above["squares"].cast("float64").sqrt()', 'above["total"].cast("float64").sqrt()'),),
        BOUND + "test_the_bound_holds_on_the_table",
    ),
    Bug(
        "duplicate rows of a person count as people",
        "source/contributions.py",
        (("rows.select(USER, *items).distinct().mutate(", "rows.select(USER, *items).mutate("),),
        TABLES + "test_frames",
    ),
    Bug(
        "not-a-number ids are many people",
        "source/contributions.py",
        (('return ibis.ifelse(column.isnan(), None, column.cast("float64") + 0.0)', 'return column.cast("string")'),),
        TABLES + "test_people_of_every_type",
    ),
    Bug(
        '1 and "1" are two people',
        "source/cells.py",
        (("    (Integral, _whole),\n", "    (Integral, repr),\n"),),
        TABLES + "test_numbers_of_every_kind_are_one_person",
    ),
    Bug(
        "pandas: bytes are text, unless one person's are none",
        "source/cells.py",
        (('    return bytes(cell).decode("utf-8", "replace")\n', "    return str(bytes(cell))\n"),),
        CELLS + "test_an_item_of_everybody_stays_theirs",
    ),
    Bug(
        "pandas: an object's address is an item",
        "source/cells.py",
        (("    return None if ADDRESS.search(text) else valid(text)\n", "    return valid(text)\n"),),
        CELLS + "test_what_has_no_value_of_its_own_is_no_item",
    ),
    Bug(
        "pandas: whole floats are other items than integers",
        "source/cells.py",
        (("    return _whole(value) if value.is_integer() else _decimal", "    return _decimal"),),
        CELLS + "test_numbers_by_value_whatever_the_precision",
    ),
    Bug(
        "pandas: one True renames everybody's 1",
        "source/pandas_columns.py",
        (("column.cat.categories, role, number_of)", "column.cat.categories, role, text_of)"),),
        CELLS + "test_one_true_does_not_rename_the_ones_of_others",
    ),
    Bug(
        "people with long ids all draw the same",
        "source/contributions.py",
        (('number == whole.cast("float64")', "number != number"),),
        CELLS + "test_long_ids_of_floats_draw_each_for_themselves",
    ),
    Bug(
        "pandas: integers are items as they are, until one is missing",
        "source/pandas_columns.py",
        (('    "item": ITEM,\n', '    "item": (*NUMERIC, *ITEM),\n'),),
        CELLS + "test_one_cell_decides_nothing_for_others",
    ),
    Bug(
        "pandas: the plan tells a type that one row decides",
        "source/frames.py",
        (
            (
                "        return dt.string\n",
                "        return dt.float64 if self._data.dtypes.iloc[place] == float else dt.string\n",
            ),
        ),
        CELLS + "test_one_cell_does_not_change_the_type_of_a_release",
    ),
    Bug(
        "DuckDB: a name is an expression",
        "source/frames.py",
        (('else f"#{place + 1} AS {name}"', 'else f"{self.names[place]} AS {name}"'),),
        COLUMN_NAMES + "test_a_name_is_a_name",
    ),
    Bug(
        "polars: a name is a pattern",
        "source/frames.py",
        (("(pl.nth(place).alias(name)", "(pl.col(self.names[place]).alias(name)"),),
        COLUMN_NAMES + "test_a_name_is_a_name",
    ),
    Bug(
        "names that differ in capitals only are two columns",
        "source/events.py",
        ((".casefold() == column.casefold()]", " == column]"),),
        COLUMN_NAMES + "test_names_that_differ_in_capitals_only_are_refused",
    ),
    Bug(
        "Ibis: what the engine cannot read is charged",
        "source/engines/duckdb.py",
        (("        self.check_readable(chosen, columns)\n", ""),),
        COLUMN_NAMES + "test_a_name_is_a_name",
    ),
    Bug(
        "DuckDB: integers of 128 bits wrap around",
        "source/frames.py",
        (('in ("HUGEINT", "UHUGEINT")', 'in ("HUGEINT",)'),),
        KINDS + "test_integers_of_128_bits_do_not_wrap_around",
    ),
    Bug(
        "one text that is no UTF-8 makes the reading fail",
        "source/arrow_columns.py",
        (("    (is_text, _text),\n", "    (is_text, _same),\n"),),
        KINDS + "test_a_text_that_is_no_utf8_is_repaired_alone",
    ),
    Bug(
        "Ibis: one text that is no UTF-8 makes the reading fail",
        "source/engines/duckdb.py",
        (("attempt(dt.string)(decode(encode(table[name])))", "decode(encode(table[name]))"),),
        KINDS + "test_a_text_that_is_no_utf8_on_an_engine_of_the_user",
    ),
    Bug(
        "bytes are accepted by the plan",
        "source/frames.py",
        (("        return dt.DataType.from_pyarrow(kind)\n", "        return dt.string\n"),),
        KINDS + "test_what_cannot_be_read_is_refused_by_the_plan",
    ),
    Bug(
        "a known item listed twice gets noise twice",
        "source/schema.py",
        ((".aggregate([]).num_rows < len(rows):", ".aggregate([]).num_rows < 0:"),),
        MISTAKES + "test_mistakes",
    ),
    Bug(
        "a broken line of a CSV is handed on",
        "source/delimited.py",
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
        "source/delimited.py",
        (("(fields == self.dialect.width) & ", "(fields >= self.dialect.width) & "),),
        LINES + "test_a_broken_line_is_left_out_alone",
    ),
    Bug(
        "an open quote swallows the lines after it",
        "source/delimited.py",
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
        "source/delimited.py",
        (('    text = b"\\n" + found  #', "    text = found  #"),),
        LINES + "test_where_a_file_is_cut_changes_nothing",
    ),
    Bug(
        "a CSV is cut between blocks",
        "source/delimited.py",
        (("            elif not last and len(self.block) - start < LONGEST:\n", "            elif False:\n"),),
        LINES + "test_a_csv_of_a_library_is_read_exactly",
    ),
    Bug(
        "a line that is too long is cut, not left out",
        "source/blocks.py",
        (("(rest + tail)[: LONGEST + 1]", "(rest + tail)[: LONGEST - 9]"),),
        LINES + "test_where_a_file_is_cut_changes_nothing",
    ),
    Bug(
        "a folder of a Parquet file overrides a column",
        "source/parquet.py",
        (("hive_partitioning = false", "hive_partitioning = true"),),
        FILES + "test_folders_are_no_columns",
    ),
    Bug(
        "charge after release",
        "planner/plan.py",
        (
            (
                "            return self._draw(source, KeyedEntropy(secret), head, progress)\n",
                '            return before\n\n        before = self._draw(source, SystemEntropy(), "", progress)\n',
            ),
        ),
        STEPS + "test_work_that_failed_is_done_again_under_its_charge",
    ),
    Bug(
        "packed after the noise only: what fails by what was drawn is drawn again",
        "run.py",
        (("            check_packable(bounded.items)\n", "            pass\n"),),
        STEPS + "test_what_cannot_be_packed_fails_before_any_noise",
    ),
    Bug(
        "text inside quotes is records",
        "source/delimited.py",
        (
            (
                "            if found := self.dialect.record.match(self.block, start, start + LONGEST):\n",
                "            if found := None:\n",
            ),
        ),
        TABLES + "test_text_inside_quotes_is_never_rows",
    ),
    Bug(
        "a list of keys is left on the user's connection",
        "source/engines/duckdb.py",
        (("        ibis.get_backend(table).con.unregister(name)", "        pass"),),
        USERS_ENGINE + "test_nothing_of_ours_is_left[keys]",
    ),
    Bug(
        "two threads on one connection",
        "source/engines/duckdb.py",
        (("return _LOCKS.setdefault(connection, RLock())", "return RLock()"),),
        USERS_ENGINE + "test_who_waits_for_whom",
    ),
    Bug(
        "a file that cannot be written is noticed after the charge",
        "cli/job.py",
        (("        check_target(path)\n", ""),),
        "tests/cli/test_out.py::test_what_cannot_be_written_is_refused_before_the_charge[too long]",
    ),
    Bug(
        "a small file fills memory",
        "release/size.py",
        (("        if decoded > most:", "        if False:"),),
        "tests/release/test_size.py::test_a_small_file_does_not_fill_memory[runs]",
    ),
    Bug(
        "a closed terminal leaves raw rows on disk",
        "cli/stopping.py",
        (("signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)", "signal.SIGTERM, signal.SIGQUIT)"),),
        INTERRUPT + "test_a_command_that_is_interrupted[SIGHUP]",
    ),
    Bug(
        "a progress line on a closed terminal hides why it stopped",
        "cli/progress.py",
        (("with suppress(OSError):", "with suppress():"),),
        INTERRUPT + "test_a_terminal_that_is_closed",
    ),
    Bug(
        "a signal that was to be ignored stops a release",
        "cli/stopping.py",
        (("signal.SIG_IGN if each in _ignored_at_start() else _stop", "_stop"),),
        INTERRUPT + "test_what_it_was_told_to_ignore_is_ignored[SIGINT]",
    ),
    Bug(
        "an interrupted new draw is called lost",
        "cli/job.py",
        (("with --again, finishes it and costs nothing more", "with --again, pays for another"),),
        INTERRUPT + "test_an_interrupted_new_draw_is_finished_for_nothing[new]",
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
                "        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)\n        if os.read",
                "        if os.read",
            ),
        ),
        SPILL + "test_the_next_release_removes_what_a_killed_one_left",
    ),
    Bug(
        "rows of another machine are swept",
        "source/engines/spill.py",
        (("if os.read(file, 1000) == _machine():", "if True:"),),
        SPILL + "test_a_folder_of_another_machine_is_left_alone",
    ),
    Bug(
        "rows of another user are swept",
        "source/engines/spill.py",
        ((" and found.st_uid == os.geteuid()", ""),),
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
        "a delta too small for any threshold",
        "account/budget.py",
        (("    if 0 < typed[1] < MIN_DELTA:", "    if False:"),),
        SECOND + "test_a_delta_that_no_threshold_could_be_computed_for_is_refused",
    ),
    Bug(
        "test noise may be charged",
        "planner/plan.py",
        (("        if entropy is not None:", "        if False:"),),
        STEPS + "test_test_noise_is_never_charged",
    ),
    Bug(
        "rows in the engine's order",
        "jobs/items.py",
        (
            (
                "        return in_order(self.labelled(noisy, columns), self.by, self.value_name, labels)",
                "        return self.labelled(noisy, columns)",
            ),
        ),
        RELEASE + "test_the_table",
    ),
    Bug(
        "a plain interval near the threshold",
        "mechanism/intervals.py",
        (
            (
                "return np.maximum(lowest_plausible_count(values, rule, least) // unit, least), -",
                "return np.maximum(values - width, 1), -",
            ),
        ),
        RELEASE + "test_intervals_of_shown_items_hold_the_truth",
    ),
    Bug(
        "an interval after bounding that is called one of the truth",
        "mechanism/unknown/thresholded.py",
        (('            return "bounded"\n', '            return "true"\n'),),
        ESTIMAND + "[a given bound]",
    ),
    Bug(
        "sums that were cut, called true",
        "mechanism/topk/count_release.py",
        (('return "bounded" if isinstance(self.bounding, TopSums) else "true"', 'return "true"'),),
        ESTIMAND + "[events, one after another]",
    ),
    Bug(
        "events of few public items, taken for people",
        "job.py",
        (("        items = not (self.counts_events or self.adds_amounts)", "        items = True"),),
        ESTIMAND + "[no more items, but events]",
    ),
    Bug(
        "conditions are no part of the request: the release of all rows answers for some",
        "job.py",
        (("if value or name not in self.later_parameters}", "if name not in self.later_parameters}"),),
        WHERE + "test_a_plan_without_conditions_is_the_plan_of_a_version_that_had_none[histogram]",
    ),
    Bug(
        "people of all rows, where only some rows are counted",
        "run.py",
        (("everybody=rows if job.people_of_all_rows else matching,", "everybody=rows,"),),
        WHERE + "test_of_heavy_hitters_all_people_are_those_of_these_rows",
    ),
    Bug(
        "one person's value decides whether NaN of others counts",
        "source/binning.py",
        (
            (
                '    return value.isnan().ifelse(ibis.null("float64"), value) if column.type().is_floating() else value\n',
                "    return value\n",
            ),
        ),
        WHERE + "test_the_rows_of_one_person_do_not_decide_on_others_that_are_no_number",
    ),
    Bug(
        "an operator is a value that no row has",
        "source/conditions.py",
        (("        check_spelling(name, value)\n", "        pass\n"),),
        WHERE + "test_operators_are_refused_before_the_charge",
    ),
    Bug(
        "a range without its end",
        "source/binning.py",
        (
            (
                "        last = (value == self.edges[-1], self.size - 1)\n",
                "        last = (value == self.edges[-1], None)\n",
            ),
        ),
        WHERE + "test_a_range_may_have_one_end[up to a number-arrow]",
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
        "rows that do not fulfil the conditions are counted",
        "source/conditions.py",
        (("    return table.filter(*filters).select(*others)\n", "    return table.select(*others)\n"),),
        WHERE + "test_a_release_is_that_of_a_table_with_these_rows_alone[histogram]",
    ),
    Bug(
        "dates beyond the public ones are counted",
        "source/periods.py",
        (("        first, last = self.dates or (FIRST, LAST)\n", "        first, last = FIRST, LAST\n"),),
        DATES + "test_beside_an_unknown_column_too",
    ),
    Bug(
        "periods that are not public taken for public ones",
        "jobs/items.py",
        (
            (
                "        return without(self.by, self.bins, self.dates)\n",
                "        return without(self.by, self.bins, self.per)\n",
            ),
        ),
        DATES + "test_dates_make_the_items_known",
    ),
    Bug(
        "the last day ends as it begins",
        "jobs/dates.py",
        (("    return Periods(period, (first, end_of(last)))", "    return Periods(period, (first, last))"),),
        DATES + "test_ends_are_included_and_what_is_beyond_them_does_not_count",
    ),
    Bug(
        "the exact number of items in the progress",
        "run.py",
        (
            (
                '    progress("drawing noise")',
                '    print(f"drawing noise for {len(bounded.totals)} items", file=__import__("sys").stderr)',
            ),
        ),
        BYTES + "test_same_result_same_bytes[text]",
    ),
    Bug(
        "the exact number of people in the file",
        "run.py",
        (("people), columns, people)", "people), Columns({}, str(bounded.totals.sum())), people)"),),
        BYTES + "test_same_result_same_bytes[files]",
    ),
    Bug(
        "an engine's error is repeated",
        "run.py",
        (
            (
                'f"{source.dataset}: the rows could not be read to their end. Nothing was released."',
                "f\"{source.dataset}: {__import__('sys').exc_info()[1]}\"",
            ),
        ),
        BYTES + "test_reading_that_fails_says_the_same_whatever_the_row",
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
    Bug(
        "weights by the fourth root",
        "bound/weighted.py",
        (
            (
                "* ROUNDING_GUARD) / root(size))",
                "* ROUNDING_GUARD) / root(root(size)))",
            ),
        ),
        WEIGH + "test_the_norm_is_attained_both_times",
    ),
    Bug(
        "weights rounded up",
        "bound/weighted.py",
        (
            (
                "* ROUNDING_GUARD) / root(size))",
                "* ROUNDING_GUARD) / root(size) + 1)",
            ),
        ),
        WEIGH + "test_nobody_adds_more_than_is_said",
    ),
    Bug(
        "scaled people may have any number of items",
        "bound/weighted.py",
        (
            (
                "some = over.anti_join(SampledItems(self.most).excess(contributions, secret), key)",
                "some = over",
            ),
        ),
        WEIGH + "test_of_too_many_items_so_many_are_kept_and_count_as_if_there_were_no_more",
    ),
    Bug(
        "events of rare items are kept",
        "bound/weighted.py",
        (('.filter(self._few(joined[COUNT], joined["size"]))', ""),),
        WEIGH + "test_a_person_with_a_billion_events_adds_no_more_than_anybody",
    ),
    Bug(
        "second look: what is clipped from one person is not cut",
        "bound/shown.py",
        (("floor(cut_at(sums - kept, cut) *", "floor((sums - kept) *"),),
        WEIGH + "test_what_is_clipped_from_one_person_is_cut",
    ),
    Bug(
        "weighted: a replaced person priced as a removed one",
        "account/threshold.py",
        (
            (
                "squared = event.squared_sensitivity * (changed_people(event.neighbours) - alone)",
                "squared = event.squared_sensitivity * (1 - alone)",
            ),
        ),
        EXACTLY + "test_weighted_in_a_crowd",
    ),
    Bug(
        "weighted: one own item instead of all",
        "account/threshold.py",
        (("arb(high) / 64 * tail(", "tail("),),
        WEIGHTED + "test_every_split_of_new_and_common_items",
    ),
    Bug(
        "weighted: own items add nothing to the noise that shows them",
        "account/threshold.py",
        (("tail(event.threshold - adds)", "tail(event.threshold)"),),
        WEIGHTED + "test_every_split_of_new_and_common_items",
    ),
    Bug(
        "weighted: the second measurement is not paid for",
        "account/calibrate.py",
        (
            (
                "gaussian.discrete_delta(epsilon + shift, [own, *noise(variance)]) <= noise_delta",
                "gaussian.discrete_delta(epsilon + shift, [own]) <= noise_delta",
            ),
        ),
        WEIGHTED + "test_everything_is_paid_for",
    ),
    Bug(
        "weighted: the second profile is not paid for",
        "account/calibrate.py",
        (
            ("[own, *noise(variance)]) <= noise_delta", "[own, *noise(variance)[1:]]) <= noise_delta"),
            (
                "gaussian_delta(epsilon, event(steps), beside) <= delta",
                "gaussian_delta(epsilon, event(steps), beside[1:]) <= delta",
            ),
        ),
        WEIGHTED + "test_everything_is_paid_for",
    ),
    Bug(
        "weighted: the second totals are not told to the ledger",
        "mechanism/unknown/weighted.py",
        (
            (
                "*(self.second.payments(self.max_totals) if self.second else ()))",
                "*(self.second.payments(self.max_totals)[:2] if self.second else ()))",
            ),
        ),
        WEIGHTED + "test_everything_is_paid_for",
    ),
    Bug(
        "weighted: a replaced person priced as a removed one the second time",
        "account/calibrate.py",
        (("share), Fraction(SQUARED * min(changed, cells)), ", "share), Fraction(SQUARED), "),),
        WEIGHTED + "test_each_of_the_second_measurements_is_priced_for_what_one_person_changes",
    ),
    Bug(
        "weighted: the second totals without noise",
        "mechanism/unknown/second.py",
        (("shown.totals(bound) + _noise(self.totals, len(first.values), entropy)", "shown.totals(bound)"),),
        EXACTLY + "test_each_part_of_the_second_measurement[totals-replace-unknown]",
    ),
    Bug(
        "weighted: the clipped amount without noise",
        "mechanism/unknown/second.py",
        ((" + int(_noise(self.clipped, 1, entropy)[0])", ""),),
        WEIGHTED + "test_everything_that_is_released_has_noise",
    ),
    Bug(
        "weighted: noise only in bins of the second profile where people are",
        "mechanism/unknown/second.py",
        (
            (
                "_noise(self.profile, len(edges), entropy)",
                "_noise(self.profile, len(edges), entropy) * (shown.sizes.by_bin(starts) > 0)",
            ),
        ),
        WEIGHTED + "test_everything_that_is_released_has_noise",
    ),
    Bug(
        "weighted: a person counts twice in the second profile",
        "mechanism/unknown/second.py",
        (("shown.sizes.by_bin(starts) * self.norm", "shown.sizes.by_bin(starts) * 2 * self.norm"),),
        EXACTLY + "test_each_part_of_the_second_measurement[profile-add-remove-unknown]",
    ),
    Bug(
        "weighted: a second look in finer units than the noise is for",
        "mechanism/unknown/second.py",
        (("if shown.norm > self.norm:", "if shown.norm < 0:"),),
        WEIGHTED + "test_a_second_look_in_finer_units_is_refused",
    ),
    Bug(
        "weighted: items shown by the second measurement",
        "mechanism/unknown/weighted.py",
        (
            (
                "        items, values = bounded.items.filter(arrow(shown)), noisy[shown]",
                "        shown |= bounded.look_again(shown | True).totals(1) > 0\n        items, values = bounded.items.filter(arrow(shown)), noisy[shown]",
            ),
        ),
        WEIGHTED + "test_everything_that_is_released_has_noise",
    ),
    Bug(
        "weighted: a second look at items that are not shown",
        "mechanism/unknown/weighted.py",
        (("bounded.look_again(shown), float(", "bounded.look_again(noisy >= 0), float("),),
        WEIGHTED + "test_everything_that_is_released_has_noise",
    ),
    Bug(
        "rounds: early rounds are not told to the ledger",
        "mechanism/unknown/rounds.py",
        (("for each in self.rounds), *second)", "for each in self.rounds[-1:]), *second)"),),
        ROUNDS + "test_everything_is_paid_for",
    ),
    Bug(
        "rounds: the last measurement is not told to the ledger",
        "mechanism/unknown/rounds.py",
        (("for each in self.rounds), *second)", "for each in self.rounds), *second[:2])"),),
        ROUNDS + "test_everything_is_paid_for",
    ),
    Bug(
        "rounds: a replaced person priced as a removed one",
        "account/calibrate.py",
        (("own = [(rest * weight, Fraction(SQUARED * changed),", "own = [(rest * weight, Fraction(SQUARED),"),),
        ROUNDS + "test_everything_is_paid_for",
    ),
    Bug(
        "rounds: delta of early rounds is not taken from the last one",
        "account/calibrate.py",
        (("left - early * (place - 1)", "left"),),
        ROUNDS + "test_everything_is_paid_for",
    ),
    Bug(
        "rounds: a mean judged by the noise of all rounds, as if they were equal",
        "account/calibrate.py",
        (("round_up(squares / sum(weights) ** 2)", "round_up(noise[-1].variance / len(weights))"),),
        ROUNDS + "test_the_mean_has_the_noise_that_is_stated",
    ),
    Bug(
        "rounds: discrete noise taken for continuous noise",
        "account/threshold.py",
        (("ball(Fraction(k - 1)) / (2 * ball(variance))", "ball(Fraction(k)) / (2 * ball(variance))"),),
        ROUNDS + "test_discrete_noise_is_at_most_continuous_noise_and_one",
    ),
    Bug(
        "rounds: a threshold for the weight of one round",
        "mechanism/unknown/rounds.py",
        (("sums >= weights * event.threshold", "sums >= weight * event.threshold"),),
        ROUNDS + "test_an_item_at_the_threshold_is_shown_and_one_below_is_not",
    ),
    Bug(
        "rounds: noise in the first round only",
        "mechanism/unknown/rounds.py",
        (
            (
                "means.add(totals[left] + entropy.draw(law(event), int(left.sum())), event",
                "means.add(totals[left] + (0 if place else entropy.draw(law(event), int(left.sum()))), event",
            ),
        ),
        ROUNDS + "test_every_round_and_every_part_of_the_last_measurement_has_noise",
    ),
    Bug(
        "rounds: all of a person's items are kept",
        "bound/rounds.py",
        (("] = not_kept(above, self.most, started(above.people))", "] = False"),),
        ROUNDS + "test_nobody_adds_more_than_is_said_in_any_round",
    ),
    Bug(
        "rounds: sums that wrap",
        "mechanism/unknown/rounds.py",
        (("weight * np.clip(noisy, LEAST_VALUE, LARGEST_VALUE)", "weight * noisy"),),
        ROUNDS + "test_noise_of_any_size_fits",
    ),
    Bug(
        "rounds: a last look at items that are not shown",
        "mechanism/unknown/rounds.py",
        (("bounded.look_again(means.shown), first", "bounded.look_again(means.shown | True), first"),),
        ROUNDS + "test_an_item_at_the_threshold_is_shown_and_one_below_is_not",
    ),
    Bug(
        "rounds: weight of the shown items goes to the others",
        "bound/rounds.py",
        (
            (
                "return Split(self.squared, self.unit, part, bound)",
                "return Split(4 * self.squared, self.unit, part, bound)",
            ),
        ),
        ROUNDS + "test_weight_goes_to_what_is_not_shown",
    ),
    Bug(
        "joint: counts of shown items are not told to the ledger",
        "mechanism/unknown/rounds.py",
        (("for each in self.rounds), *second)", "for each in self.rounds[:2]), *second)"),),
        JOINT + "test_everything_is_paid_for",
    ),
    Bug(
        "joint: the last measurement is not told to the ledger",
        "mechanism/unknown/rounds.py",
        (("for each in self.rounds), *second)", "for each in self.rounds), *second[:2])"),),
        JOINT + "test_everything_is_paid_for",
    ),
    Bug(
        "joint: a person's shown items are priced as if they were few",
        "mechanism/unknown/joint.py",
        (("        cells=MOST_SHOWN,\n", "        cells=most,\n"),),
        JOINT + "test_every_round_is_priced_for_what_one_person_changes",
    ),
    Bug(
        "joint: shown items come on top of a person's weight",
        "bound/rounds.py",
        (("_each(self.squared - shown * each * each, where", "_each(self.squared - 0 * each, where"),),
        JOINT + "test_one_person_side_by_side",
    ),
    Bug(
        "joint: the same on the engine",
        "bound/rounds.py",
        (('split.of_others(people["many"], of_others)', 'split.of_others(0 * people["many"], of_others)'),),
        JOINT + "test_one_person_side_by_side",
    ),
    Bug(
        "joint: nobody's shown items are scaled",
        "bound/rounds.py",
        (("many = shown > self.bound\n", "many = shown > 10**6 * self.bound\n"),),
        JOINT + "test_one_person_side_by_side",
    ),
    Bug(
        "joint: units that are rounded up",
        "bound/rounds.py",
        (("root_of_each - 1, root_of_each)", "root_of_each + 1, root_of_each + 1)"),),
        JOINT + "test_one_person_side_by_side",
    ),
    Bug(
        "joint: items that were left out are found after all",
        "source/encoded.py",
        (("flags, self.unused, of_flagged, of_others)", "flags, None, of_flagged, of_others)"),),
        JOINT + "test_one_person_side_by_side",
    ),
    Bug(
        "joint: shown items without noise in later rounds",
        "mechanism/unknown/joint.py",
        (
            (
                "noisy = totals + self.entropy.draw(law(event), len(totals))",
                "noisy = totals + self.entropy.draw(law(event), len(totals)) * ~before",
            ),
        ),
        JOINT + "test_every_measurement_has_noise",
    ),
    Bug(
        "joint: a look at items that are not shown",
        "mechanism/unknown/joint.py",
        (("self.bounded.look_again(self.means.shown)", "self.bounded.look_again(self.means.shown | True)"),),
        JOINT + "test_shown_items_are_counted_after_two_rounds",
    ),
    Bug(
        "joint: weights divided by what is found without noise",
        "mechanism/unknown/joint.py",
        (("self.first = self.first if place else noisy", "self.first = self.first if place else totals"),),
        JOINT + "test_the_split_follows_from_noisy_weights",
    ),
    Bug(
        "joint: more for shown items than a person has",
        "mechanism/unknown/joint.py",
        (("return min(weight / self.bounding.expected, 1.0)", "return (weight / self.bounding.expected)"),),
        JOINT + "test_weights_that_do_not_fit_into_64_bits",
    ),
    Bug(
        "joint: the weight of what is not shown decides",
        "mechanism/unknown/joint.py",
        (("np.maximum(self.first[self.means.shown], 0)", "np.maximum(self.first, 0)"),),
        JOINT + "test_the_weight_of_what_is_not_shown_decides_nothing",
    ),
    Bug(
        "joint: any split is taken",
        "bound/rounds.py",
        (("if not (0 <= self.part <= self.squared and", "if not (True and"),),
        JOINT + "test_more_than_a_person_has_is_refused",
    ),
    Bug(
        "joint: two rounds for the price of one",
        "account/cost.py",
        (
            (
                "isinstance(event, WeightedThreshold | ThresholdRound)",
                "type(event) in (WeightedThreshold, ThresholdRound)",
            ),
        ),
        JOINT + "test_every_round_is_priced_for_what_one_person_changes",
    ),
    Bug(
        "groups: amounts of either sign priced as counts, if a person is replaced",
        "mechanism/groups/measurement.py",
        (('signed = any(each.vector.kind == "amount" for each in planned)', "signed = False"),),
        GROUPS + "test_one_person_side_by_side[small-sum-replace]",
    ),
    Bug(
        "groups: what is clipped priced as a count, if a person is replaced",
        "mechanism/groups/measurement.py",
        (
            (
                'self.units.shared([1] * (2 * len(self.vectors)), opposite=self.neighbours == "replace")',
                "self.units.shared([1] * (2 * len(self.vectors)))",
            ),
        ),
        GROUPS + "test_what_is_clipped_side_by_side[sum-replace]",
    ),
    Bug(
        "groups: what is clipped measured twice and priced once",
        "mechanism/groups/measurement.py",
        (
            (
                "self.units.shared([1] * (2 * len(self.vectors)), opposite",
                "self.units.shared([1] * len(self.vectors), opposite",
            ),
        ),
        GROUPS + "test_what_is_clipped_side_by_side[sum-add-remove]",
    ),
    Bug(
        "groups: every vector with all of the units",
        "mechanism/groups/units.py",
        (
            ("squared * SLACK * weight / max(sum(weights), 1e-300)", "squared * SLACK"),
            ("if sum(unit**2 for unit in units) > squared:", "if max(units) ** 2 > squared:"),
        ),
        GROUPS + "test_units_of_any_shares",
    ),
    Bug(
        "groups: people of the profile with all of the units in every vector",
        "mechanism/groups/measurement.py",
        (
            (
                "units, event = self.units.shared([1] * len(vectors))[0], self.events[-3]",
                "units, event = self.units.shared([1])[0], self.events[-3]",
            ),
        ),
        GROUPS + "test_one_person_side_by_side[auto-all-add-remove]",
    ),
    Bug(
        "groups: totals without noise",
        "mechanism/groups/measurement.py",
        (
            (
                "(groups.totals(each.vector, each.bound, own) + noise)",
                "(groups.totals(each.vector, each.bound, own) + 0 * noise)",
            ),
        ),
        GROUPS + "test_every_total_has_its_noise",
    ),
    Bug(
        "groups: what is clipped without noise",
        "mechanism/groups/measurement.py",
        (("+ int(_noise(event, 1, entropy)[0])", "+ 0 * int(_noise(event, 1, entropy)[0])"),),
        GROUPS + "test_what_is_clipped_has_its_noise",
    ),
    Bug(
        "groups: how far norms exceed a bound, with no limit for one person",
        "bound/vectors.py",
        (
            (
                "parts = (clipped_part(each.norms, each.norms, bound, limit, units) for each in self._entries(vector))",
                "parts = (truncated(np.maximum(each.norms - bound, 0) / limit * units) for each in self._entries(vector))",
            ),
        ),
        VECTORS + "test_the_units_are_attained[by number]",
    ),
    Bug(
        "groups: how far norms exceed a bound is measured from the totals' limit on an engine",
        "bound/vectors_on_engine.py",
        (
            (
                "return self._clipped_from(NORM, vector, bound, limit, units)",
                "return self._clipped_from(NORM, vector, bound, limit, 2 * units)",
            ),
        ),
        VECTORS + "test_the_units_are_attained[on the engine]",
    ),
    Bug(
        "groups: an excess that takes all of the units beside what is clipped",
        "mechanism/groups/measurement.py",
        (('numbers = 1 if self.neighbours == "replace" else 2', "numbers = 1"),),
        GROUPS + "test_what_is_clipped_side_by_side[sum-add-remove]",
    ),
    Bug(
        "groups: one profile for all vectors is paid for, whatever their number",
        "mechanism/groups/measurement.py",
        (
            (
                "dict.fromkeys((PEOPLE, *vectors) if self._is_spread(count) else vectors)",
                "dict.fromkeys((PEOPLE, *vectors))",
            ),
        ),
        GROUPS + "test_one_group_has_no_profile_of_its_people",
    ),
    Bug(
        "groups: noise only in bins of the profile where people are",
        "mechanism/groups/measurement.py",
        (
            (
                "groups.norms(each) * units + _noise(event, NORMS.cells, entropy)",
                "groups.norms(each) * units + _noise(event, NORMS.cells, entropy) * (groups.norms(each) > 0)",
            ),
        ),
        GROUPS + "test_every_bin_has_its_noise",
    ),
    Bug(
        "groups: centres from values without noise",
        "mechanism/groups/measurement.py",
        (("+ _noise(event, values.cells, entropy)", "+ 0 * _noise(event, values.cells, entropy)"),),
        GROUPS + "test_every_bin_has_its_noise",
    ),
    Bug(
        "groups: noise drawn only for vectors that somebody has",
        "mechanism/groups/measurement.py",
        (
            (
                "        if given is not None:\n            return",
                "        if given is not None or not groups.norms(vector).any():\n            given = given or 1.0\n            return",
            ),
        ),
        GROUPS + "test_the_same_is_drawn_whatever_people_have",
    ),
    Bug(
        "groups: the values are not told to the ledger",
        "mechanism/groups/measured.py",
        (("*self.measurement.payments)", "*self.measurement.payments[1:])"),),
        GROUPS + "test_every_event_is_charged[found-add-remove]",
    ),
    Bug(
        "groups: people who are counted once groups are found are not told to the ledger",
        "mechanism/groups/measured.py",
        (("self.finding.payments if self.finding else ()", "self.finding.payments[:4] if self.finding else ()"),),
        GROUPS + "test_every_event_is_charged[found-add-remove]",
    ),
    Bug(
        "groups: a replaced person priced as a removed one, of known groups",
        "mechanism/groups/measured.py",
        (("    changed = changed_people(neighbours)\n", "    changed = 1\n"),),
        GROUPS + "test_known_groups_are_priced_for_everything[replace]",
    ),
    Bug(
        "groups: found groups whose measurement is paid for in part",
        "mechanism/groups/measured.py",
        (
            (
                "    return joint.calibrated_beside(budget, bounding, neighbours, beside)",
                "    found, others = joint.calibrated_beside(budget, bounding, neighbours, beside)\n"
                "    return found, tuple(replace(each, variance=each.variance / 2) for each in others)",
            ),
        ),
        GROUPS + "test_found_groups_are_priced_for_everything[add-remove]",
    ),
    Bug(
        "groups: cells of a scale that are not counted",
        "mechanism/groups/measured.py",
        (("MOST_SHOWN * sum(vector.cells for vector in vectors)", "MOST_SHOWN"),),
        GROUPS + "test_events_are_for_all_cells_that_one_person_changes",
    ),
    Bug(
        "groups: a look at groups that are not shown",
        "mechanism/groups/measured.py",
        (("measurement.run(bounded.look(shown), len", "measurement.run(bounded.look(shown | True), len"),),
        GROUPS + "test_only_shown_groups_are_looked_at",
    ),
    Bug(
        "groups: shown one below the threshold of a round",
        "mechanism/unknown/rounds.py",
        (("(self._sums >= weights * event.threshold)", "(self._sums >= weights * (event.threshold - 1))"),),
        GROUPS + "test_only_shown_groups_are_looked_at",
    ),
    Bug(
        "groups: what is measured of groups that are found is not composed with finding them",
        "mechanism/unknown/joint.py",
        (
            (
                "    return rounds, tuple(others)",
                "    alone = calibrate.gaussians(budget.epsilon, budget.delta, [(Fraction(1), Fraction(2**48), 2)])[0]\n"
                "    return rounds, (*others[: len(SHARES)], *(replace(alone, cells=each.cells) for each in others[3:]))",
            ),
        ),
        GROUPS + "test_found_groups_are_priced_for_everything[add-remove]",
    ),
    Bug(
        "few totals: people scaled to the root of squares, and Laplace noise",
        "mechanism/groups/measurement.py",
        (("vector = replace(each, order=self.units.order)", "vector = each"),),
        FEW + "test_one_person_adds_what_the_noise_is_for[sum-by number-huge-add-remove]",
    ),
    Bug(
        "few totals: people scaled to the root of squares on an engine, and Laplace noise",
        "bound/vectors_on_engine.py",
        (("values.abs().sum() if order == 1 else", "values.abs().sum() if order == 0 else"),),
        FEW + "test_one_person_adds_what_the_noise_is_for[sum-on the engine-huge-add-remove]",
    ),
    Bug(
        "few totals: every vector with all of the units",
        "mechanism/groups/units.py",
        (
            ("int(self.most * SLACK * weight / max(sum(weights), 1e-300))", "int(self.most * SLACK)"),
            ("if sum(units) > self.most:", "if max(units) > self.most:"),
        ),
        FEW + "test_one_person_adds_what_the_noise_is_for[three-by number-huge-add-remove]",
    ),
    Bug(
        "few totals: a replaced person priced as a removed one",
        "mechanism/groups/measured.py",
        (("Fraction(Sums().most * changed_people(neighbours))", "Fraction(Sums().most)"),),
        FEW + "test_epsilon_is_paid_once_and_no_delta[sum-replace]",
    ),
    Bug(
        "few totals: the profile is not paid for",
        "mechanism/groups/measured.py",
        (
            (
                "LAPLACE_SHARES = Fraction(15, 100), Fraction(25, 100), Fraction(60, 100)",
                "LAPLACE_SHARES = Fraction(15, 100), Fraction(25, 100), Fraction(75, 100)",
            ),
        ),
        FEW + "test_epsilon_is_paid_once_and_no_delta[sum-add-remove]",
    ),
    Bug(
        "without a delta: the values that centres follow from are not paid for",
        "mechanism/groups/measured.py",
        (("left = 1 - sum(values, start=Fraction(0))", "left = Fraction(1)"),),
        FEW + "test_without_a_delta_epsilon_is_paid_once_for_any_number_of_groups[mean-4-add-remove]",
    ),
    Bug(
        "without a delta: values scaled to the root of squares",
        "mechanism/groups/measurement.py",
        (("VALUES.cells, once=vector.once, order=vector.order)", "VALUES.cells, once=vector.once)"),),
        FEW + "test_one_person_adds_what_the_noise_of_all_statistics_is_for[by number-signs-add-remove]",
    ),
    Bug(
        "without a delta: the pool of a scale's cells scaled to the root of squares",
        "mechanism/groups/measurement.py",
        (("vector.column, vector.cells, order=vector.order)", "vector.column, vector.cells)"),),
        FEW + "test_one_person_adds_what_the_noise_of_all_statistics_is_for[by number-signs-add-remove]",
    ),
    Bug(
        "without a delta: Laplace noise for people who are scaled to the root of squares",
        "mechanism/groups/strategy.py",
        (("units = Sums() if self._laplace else Squares()", "units = Sums() if self._few else Squares()"),),
        FEW + "test_one_person_adds_what_the_noise_of_all_statistics_is_for[by number-huge-add-remove]",
    ),
    Bug(
        "groups: nobody is scaled",
        "bound/vectors.py",
        (
            (
                "return truncated(values * (float(units) * NORM_GUARD) / divisor)",
                "return truncated(values * (float(units) * NORM_GUARD) / float(bound))",
            ),
        ),
        VECTORS + "test_the_units_are_attained[by number]",
    ),
    Bug(
        "groups: a norm without its guard",
        "bound/vectors.py",
        (("NORM_GUARD = 1 - 2.0**-20", "NORM_GUARD = 1.0"),),
        VECTORS + "test_the_guard_makes_up_for_sums_of_very_many_squares",
    ),
    Bug(
        "groups: negative amounts rounded away from zero",
        "bound/arithmetic.py",
        (("        return numbers.astype(np.int64)\n", "        return floor(numbers)\n"),),
        VECTORS + "test_vectors_against_plain_arithmetic[by number]",
    ),
    Bug(
        "groups: what is clipped is cut on one side only",
        "bound/vectors.py",
        (("where(lost > limit, limit, where(lost < -limit, -limit, lost))", "where(lost > limit, limit, lost)"),),
        VECTORS + "test_the_units_are_attained[by number]",
    ),
    Bug(
        "groups: people scaled by the largest norm of their chunk",
        "bound/vectors.py",
        (
            (
                "return np.ceil(sums if self.order == 1 else np.sqrt(sums))",
                "return np.full_like(sums, np.ceil(np.sqrt(sums.max(initial=0))))",
            ),
        ),
        VECTORS + "test_other_people_change_nothing",
    ),
    Bug(
        "groups: a norm that an engine puts into an integer",
        "bound/vectors_on_engine.py",
        (("ibis.least(norm, ALL_WHOLE).ceil()", "norm.ceil()"),),
        VECTORS + "test_a_norm_that_no_integer_holds[on the engine]",
    ),
    Bug(
        "groups: each group scaled alone on an engine",
        "bound/vectors_on_engine.py",
        (
            (
                "pairs = entries.join(_norms(entries, vector.order).select(USER, NORM), USER)",
                "pairs = entries.mutate(**{NORM: entries[VALUE].abs()})",
            ),
        ),
        VECTORS + "test_the_units_are_attained[on the engine]",
    ),
    Bug(
        "groups: a row without an amount is dropped for all metrics",
        "source/encoded.py",
        (("    fetched = to_arrow(pairs)\n", "    fetched = to_arrow(pairs).drop_null()\n"),),
        VECTORS + "test_rows_without_an_amount_count_for_people_and_events_alone[by number]",
    ),
    Bug(
        "groups: a row without an amount has one",
        "bound/vectors.py",
        (("chunk = chunk.with_number(vector.column) if vector.of_column else chunk", "pass"),),
        VECTORS + "test_rows_without_an_amount_count_for_people_and_events_alone[by number]",
    ),
    Bug(
        "groups: a row without an amount has one, on an engine",
        "bound/vectors_on_engine.py",
        (("rows = rows.filter(rows[amount].notnull()) if vector.of_column else rows", "pass"),),
        VECTORS + "test_rows_without_an_amount_count_for_people_and_events_alone[on the engine]",
    ),
    Bug(
        "groups: found by people whose rows have all amounts",
        "source/contributions.py",
        (
            (
                "table=_once_each(rows, self.items), events=rows",
                "table=_once_each(rows.drop_null(), self.items), events=rows",
            ),
        ),
        VECTORS + "test_groups_are_found_by_people_of_all_rows[on the engine]",
    ),
    Bug(
        "second look: nobody is scaled",
        "bound/shown.py",
        (
            (
                "return where(floating(size) <= float(bound_squared), count * self.unit(bound_squared), shrunk)",
                "return where(floating(size) < 0, shrunk, count * self.unit(bound_squared))",
            ),
        ),
        WEIGH + "test_nobody_adds_more_the_second_time",
    ),
    Bug(
        "second look: everybody is scaled as the person who has least",
        "bound/shown.py",
        (
            (
                "each = self._share(size, np.ones",
                "each = self._share(np.full_like(size, size.min(initial=2**62)), np.ones",
            ),
        ),
        WEIGH + "test_a_second_look_against_plain_arithmetic",
    ),
    Bug(
        "second look: shares rounded up",
        "bound/shown.py",
        (("/ root(floating(size)))", "/ root(floating(size)) + 1)"),),
        WEIGH + "test_many_large_counts_of_one_person_stay_within_the_norm",
    ),
    Bug(
        "second look: other items count as well",
        "bound/shown.py",
        (("listed = np.zeros(len(self.pairs.items) + 1", "listed = np.ones(len(self.pairs.items) + 1"),),
        WEIGH + "test_a_second_look_against_plain_arithmetic",
    ),
    Bug(
        "second look on an engine: sizes are those over all items",
        "bound/shown.py",
        (
            (
                "        with self._only() as only:\n            people = only.persons",
                "        with self._only():\n            people = self.contributions.persons",
            ),
        ),
        WEIGH + "test_a_second_look_against_plain_arithmetic",
    ),
    Bug(
        "second look: people without anything shown are in the profile",
        "bound/shown.py",
        (("        people[:1] = 0\n", ""),),
        WEIGH + "test_a_second_look_against_plain_arithmetic",
    ),
    Bug(
        "groups: other groups count as the first one",
        "source/encoded.py",
        (("places = np.full(len(self.items), -1)", "places = np.full(len(self.items), 0)"),),
        VECTORS + "test_found_groups_by_number_and_on_the_engine",
    ),
    Bug(
        "known items: the second measurement is not paid for",
        "mechanism/unknown/weighted.py",
        (
            (
                "event, *others = calibrate.gaussians(budget.epsilon, budget.delta, parts)",
                "(event,), others = (calibrate.gaussians(budget.epsilon, budget.delta, some) for some in (parts[:1], parts[1:]))",
            ),
        ),
        WEIGHTED + "test_known_items_are_paid_for",
    ),
    Bug(
        "known items: of one kept of several, a replaced person changes one",
        "mechanism/unknown/weighted.py",
        (("(first, cells, min(bounding.most, cells))", "(first, bounding.most, min(bounding.most, cells))"),),
        WEIGHTED + "test_known_items_are_paid_for",
    ),
    Bug(
        "what sampling took away is not told to the ledger",
        "bound/selection/one_number.py",
        (("return (Laplace(self.scale, Fraction(self.sensitivity)),)", "return ()"),),
        WEIGHTED + "test_what_sampling_takes_away_is_paid_for",
    ),
    Bug(
        "what sampling took away is not taken from epsilon",
        "mechanism/strategy.py",
        (("later=self.later + selection.epsilon", "later=self.later"),),
        WEIGHTED + "test_what_sampling_takes_away_is_paid_for",
    ),
    Bug(
        "what sampling took away is not cut",
        "bound/selection/loss.py",
        (
            (
                "np.clip(statistics.sizes - self.sampled.most, 0, self.sampled.cut)",
                "np.maximum(statistics.sizes - self.sampled.most, 0)",
            ),
        ),
        LOSS + "test_what_sampling_takes_from_one_person_is_cut",
    ),
    Bug(
        "what sampling took away, without noise",
        "bound/selection/loss.py",
        (("self.noisy(int(lost.sum()), entropy)", "int(lost.sum())"),),
        EXACTLY + "test_thresholded_people_and_what_sampling_took_away",
    ),
    Bug(
        "what sampling took away has noise for one item",
        "bound/selection/loss.py",
        (("return self.sampled.cut\n", "return 1\n"),),
        LOSS + "test_exact_epsilon",
    ),
    Bug(
        "one number of all people has half of its noise",
        "bound/selection/one_number.py",
        (("self.sensitivity / self.epsilon", "self.sensitivity / (2 * self.epsilon)"),),
        HEAVY + "test_exact_epsilon",
    ),
    Bug(
        "people who have far more, without noise",
        "bound/selection/heavy.py",
        (("noisy = self.noisy(people, entropy)", "noisy = people"),),
        HEAVY + "test_exact_epsilon",
    ),
    Bug(
        "intervals allow for the true number of people who have far more",
        "bound/selection/heavy.py",
        (("most_beside_few(float(noisy)", "most_beside_few(float(people)"),),
        HEAVY + "test_intervals_allow_for_people_who_may_have_far_more",
    ),
    Bug(
        "a sample's intervals do not allow for people who have far more",
        "mechanism/undone.py",
        (("hidden = np.minimum(sample.hidden,", "hidden = np.minimum(0.0,"),),
        "tests/mechanism/test_undone.py::test_upper_ends_alone_allow_for_hidden_people",
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
    Bug(
        "people who have far more count with all that they have",
        "bound/selection/heavy.py",
        (
            (
                "statistics.people[statistics.sizes > self.limit].sum()",
                "(statistics.sizes * statistics.people)[statistics.sizes > self.limit].sum()",
            ),
        ),
        HEAVY + "test_exact_epsilon",
    ),
    Bug(
        "people who have far more are sampled all the same",
        "bound/selection/heavy.py",
        (("return self.otherwise", "return self.few.sampled"),),
        HEAVY + "test_as_many_people_as_may_be_unseen_are_seen_in_19_of_20_cases",
    ),
    Bug(
        "fewer people are stated than may be unseen",
        "bound/selection/heavy.py",
        (("(HEAVY_SCALES + log(1 / (2 * MISS_RATE))) * float(self.scale)", "HEAVY_SCALES * float(self.scale)"),),
        HEAVY + "test_as_many_people_as_may_be_unseen_are_seen_in_19_of_20_cases",
    ),
    Bug(
        "people who are not in the profile are not looked for",
        "mechanism/unknown/second.py",
        (("return self.above.most() if self.above else", "return 0.0 if self.above else"),),
        WEIGHTED + "test_people_in_whatever_bins_are_noticed",
    ),
    Bug(
        "second look: the number of people who have far more has no noise",
        "mechanism/unknown/second.py",
        (
            (
                "shown.sizes.above(far) * self.norm + int(_noise(self.far, 1, entropy)[0])",
                "shown.sizes.above(far) * self.norm",
            ),
        ),
        WEIGHTED + "test_everything_that_is_released_has_noise",
    ),
    Bug(
        "second look: a person counts twice among those who have far more",
        "bound/shown.py",
        (
            (
                "return int(self.people[self.squares > size].sum())",
                "return 2 * int(self.people[self.squares > size].sum())",
            ),
        ),
        EXACTLY + "test_each_part_of_the_second_measurement",
    ),
    Bug(
        "second look: the number of people who have far more is not paid for",
        "mechanism/unknown/rounds.py",
        (("for each in self.rounds), *second)", "for each in self.rounds), *second[:3])"),),
        JOINT + "test_everything_is_paid_for",
    ),
    Bug(
        "what may be selected later is not reserved before the charge",
        "mechanism/unknown/strategy.py",
        (("return HeavyPeople.default_share + lost", "return lost"),),
        FOUND + "test_choices_and_counts_never_add_up_to_more",
    ),
    Bug(
        "what may be selected later about a public list is not reserved before the charge",
        "mechanism/known/strategy.py",
        (("sampled = HEAVY_SHARE + SamplingLoss.default_share", "sampled = SamplingLoss.default_share"),),
        FOUND + "test_choices_and_counts_of_a_public_list_never_add_up_to_more",
    ),
    Bug(
        "of a sample of public items, noise is for one item less",
        "mechanism/known/clipped.py",
        (("laplace_scale(budget.epsilon, total)", "laplace_scale(budget.epsilon, max(total - 1, 1))"),),
        EXACTLY + "test_a_sample_of_public_items[replace]",
    ),
    Bug(
        "what is selected later is not taken from epsilon",
        "run.py",
        ((", strategy.after(following)", ", strategy"),),
        AUTOMATIC + "test_people_with_one_item_are_not_scaled",
    ),
    Bug(
        "what is selected later is not told to the ledger",
        "run.py",
        (("        selections.append(following)\n", ""),),
        AUTOMATIC + "test_people_with_one_item_are_not_scaled",
    ),
    Bug(
        "a number beside the counts is not told to the ledger",
        "mechanism/scalar.py",
        (("return (*super().payments, (self.scalar_event, of_number(self.bounding.cut)))", "return super().payments"),),
        EXACTLY + "test_a_number_beside_clipped_counts",
    ),
    Bug(
        "a number beside the counts is not taken from epsilon",
        "mechanism/scalar.py",
        (("counted(Cost(budget.epsilon - extra, budget.delta))", "counted(budget)"),),
        EXACTLY + "test_a_number_beside_clipped_counts",
    ),
    Bug(
        "a number beside the counts, without noise",
        "mechanism/scalar.py",
        (("bounded.number + int(entropy.draw(law(self.scalar_event), 1)[0])", "bounded.number"),),
        EXACTLY + "test_a_number_beside_clipped_counts",
    ),
    Bug(
        "a threshold's coin is not paid for",
        "account/threshold.py",
        (("coin = ball(event.coin) if isinstance(event, RandomizedThreshold) else arb(0)", "coin = arb(0)"),),
        DELTA + "test_randomized_threshold",
    ),
    Bug(
        "a threshold's coin is likelier than was paid for",
        "mechanism/unknown/thresholded.py",
        (("Bernoulli(self.coin)", "Bernoulli(1 - (1 - self.coin) / 2)"),),
        DELTA + "test_randomized_threshold",
    ),
    Bug(
        "a profile's noise for one person where one is replaced",
        "bound/selection/profile.py",
        (("return changed_people(self.neighbours) / self.epsilon", "return 1 / self.epsilon"),),
        PROFILE + "test_exact_epsilon_of_the_noisy_bins",
    ),
    Bug(
        "a profile without noise in empty bins",
        "bound/selection/profile.py",
        (
            (
                "people = statistics.on(self.starts).people + noise\n",
                "people = statistics.on(self.starts).people\n        people = people + noise * (people > 0)\n",
            ),
        ),
        PROFILE + "test_exact_epsilon_of_the_noisy_bins",
    ),
    Bug(
        "bins are believed whatever their number",
        "bound/selection/nonempty_bins.py",
        (
            (
                "    levels: Floats = rate / len(WIDTHS) / ((gap + 1) * (gap + 2))\n",
                "    levels: Floats = np.full(bins, 1 / 10_000) + 0 * gap\n",
            ),
        ),
        PROFILE + "test_one_bound_in_ten_thousand_is_wild",
    ),
    Bug(
        "the choice of a bound is not taken from epsilon",
        "mechanism/strategy.py",
        (("return Cost(self.budget.epsilon - self.price - self.reserved, self.budget.delta)", "return self.budget"),),
        COMPOSED + "test_known_items",
    ),
    Bug(
        "a rank counts half a person",
        "bound/selection/paper.py",
        (
            (
                "    @property\n    def sensitivity(self) -> int:\n        return PART\n",
                "    @property\n    def sensitivity(self) -> int:\n        return PART // 2\n",
            ),
        ),
        CHOICES + "test_a_known_score_changes_by_its_sensitivity_at_most",
    ),
    Bug(
        "costs compared as if a person changed half of them",
        "bound/selection/compare.py",
        (("return [self.most * int(length) for", "return [self.most * int(length) // 2 for"),),
        CHOICES + "test_two_costs_differ_by_what_is_stated_at_most",
    ),
    Bug(
        "the slope above the threshold is forgotten",
        "bound/selection/by_load.py",
        (("return [(1 + SLOPE) * UNIT * candidate for", "return [UNIT * candidate // 2 for"),),
        CHOICES + "test_generalized_scores_change_by_1_at_most",
    ),
    Bug(
        "a number beside the counts is not cut",
        "bound/measured.py",
        (('cut_at(taken[TOTAL].cast("float64"), self.cut).cast("int64")', 'taken[TOTAL].cast("int64")'),),
        MEASURE + "test_nobody_adds_more_than_the_cut",
    ),
    Bug(
        "a number too large for the engine makes reading fail",
        "source/contributions.py",
        (('        return column.cast("string").try_cast(kind)\n', "        return column\n"),),
        SECOND + "test_a_number_too_large_for_the_engine_is_nobody_and_nothing",
    ),
    Bug(
        "a connection may ignore case",
        "source/engines/duckdb.py",
        (('    "default_collation": ("", "binary"),\n', ""),),
        SECOND + "test_a_connection_that_ignores_case_is_refused",
    ),
    Bug(
        "numbers that are odd are errors, after the noise",
        "run.py",
        (('    with np.errstate(all="ignore"), _quiet_scipy(), ', "    with _quiet_scipy(), "),),
        SECOND + "test_no_setting_of_the_caller_makes_odd_numbers_an_error",
    ),
    Bug(
        "plume: a replaced person priced as a removed one",
        "bound/selection/plume.py",
        (("round_up(changed_people(self.neighbours) * most / (2 * self.rho))", "round_up(most / (2 * self.rho))"),),
        PLUME + "test_every_bound_that_may_be_chosen_has_a_mechanism",
    ),
    Bug(
        "plume: counts with noise for one item",
        "mechanism/baseline/plume.py",
        (("changed_people(neighbours) * bounding.sensitivity.squared", "changed_people(neighbours)"),),
        PLUME + "test_noise_for_less_than_a_person_has_would_be_seen",
    ),
    Bug(
        "plume: what was found and has nobody left is not mentioned",
        "bound/selection/plume.py",
        (("found_, secret, self.items)", "found_, secret, None)"),),
        PLUME + "test_what_was_found_is_counted_among_all_that_people_have",
    ),
    Bug(
        "plume: a threshold for one item of a person instead of all",
        "bound/selection/plume.py",
        (("self.delta, items=most, largest=1)", "self.delta, items=1, largest=1)"),),
        PLUME + "test_where_the_budget_goes",
    ),
    Bug(
        "plume: nothing is cut to m' before counting",
        "bound/selection/plume.py",
        (("return self.sampled.bound(", "return SampledItems(10**6).bound("),),
        PLUME + "test_what_was_found_is_counted_among_all_that_people_have",
    ),
    Bug(
        "count release: a replaced person moves ranks and counts apart by one only",
        "mechanism/topk/levels.py",
        (("        return changed_people(self.neighbours)\n", "        return 1\n"),),
        FOUND_EXACTLY + "test_the_lemmas_by_formula",
    ),
    Bug(
        "count release: the bottom does not weigh for all that are listed",
        "mechanism/topk/levels.py",
        (("return self.most / self.chance", "return 1 / self.chance"),),
        FOUND_EXACTLY + "test_items_alone[2-0.8-add-remove]",
    ),
    Bug(
        "count release: the bottom forgets the next item",
        "mechanism/topk/search.py",
        (("stop = level.margin + self._next", "stop = level.margin"),),
        FOUND_EXACTLY + "test_items_alone[1-0.8-add-remove]",
    ),
    Bug(
        "count release: the heavier bottom is not paid for",
        "mechanism/topk/levels.py",
        (("round_up(self.margin * self.rate + more)", "round_up(self.margin * self.rate)"),),
        FOUND_EXACTLY + "test_the_range_needs_what_is_added_to_the_rate",
    ),
    Bug(
        "count release: the selection of the bottom is free",
        "mechanism/topk/search.py",
        (("times=min(len(order) + 1, most)", "times=len(order)"),),
        FOUND + "test_whatever_is_found_is_paid_for_before",
    ),
    Bug(
        "count release: levels do not pay for their chance",
        "mechanism/topk/levels.py",
        (("return () if self.each_pays else (Guarantee(Fraction(0), self.chance),)", "return ()"),),
        FOUND + "test_whatever_is_found_is_paid_for_before",
    ),
    Bug(
        "count release: counts are paid once per level",
        "mechanism/topk/count_release.py",
        (("budget.charge(*level.counted, times=len(values))", "budget.charge(*level.counted)"),),
        FOUND + "test_whatever_is_found_is_paid_for_before",
    ),
    Bug(
        "count release: the last measurement is free",
        "mechanism/topk/count_release.py",
        (
            (
                "budget.charge(level.noise(variance), times=len(rough))",
                "budget.charge(level.noise(variance), times=len(rough) * (times > 2))",
            ),
        ),
        FOUND + "test_whatever_is_found_is_paid_for_before",
    ),
    Bug(
        "count release: more is looked for than can be counted",
        "mechanism/topk/search.py",
        (("self.budget.times(*level.selected, *level.counted)", "self.budget.times(*level.selected)"),),
        FOUND + "test_a_race_ends_where_the_budget_does",
    ),
    Bug(
        "count release: what is found stays in the race",
        "mechanism/topk/search.py",
        (
            ("        self._left = np.delete(self._left, order)\n", ""),
            ("        np.subtract.at(self._members, self._group[found], 1)\n", ""),
        ),
        FOUND + "test_whatever_is_found_is_paid_for_before",
    ),
    Bug(
        "count release: measured again by the true count",
        "mechanism/topk/count_release.py",
        (
            (
                "self._too_rough(weighed[rough] / precision[rough], precision[rough])",
                "self._too_rough(values[rough] * 1.0, precision[rough])",
            ),
        ),
        FOUND + "test_decisions_depend_on_what_was_released_alone",
    ),
    Bug(
        "count release: all of delta is spent twice",
        "mechanism/topk/count_release.py",
        (("delta = budget.delta / 2", "delta = budget.delta"),),
        FOUND + "test_half_of_delta_is_for_what_the_steps_have_together",
    ),
    Bug(
        "count release: sums get the noise of counts",
        "mechanism/topk/count_release.py",
        (("return DiscreteGaussian(variance * self.bounding.parts**2)", "return DiscreteGaussian(variance)"),),
        FOUND + "test_sums_are_paid_for_before",
    ),
    Bug(
        "amounts are not cut at the limit",
        "bound/top.py",
        (
            (
                "cut = ibis.least(pairs[AMOUNT if self.of == AMOUNT else COUNT], self.each * self._grid)",
                "cut = pairs[AMOUNT if self.of == AMOUNT else COUNT]",
            ),
        ),
        FOUND + "test_nobody_adds_more_than_the_limit",
    ),
    Bug(
        "a second profile is not taken from epsilon",
        "mechanism/strategy.py",
        (("return self.later + (", "return 0 * self.later + ("),),
        FOUND + "test_choices_and_counts_never_add_up_to_more",
    ),
    Bug(
        "adaptive steps without their delta",
        "account/cost.py",
        (
            (
                "conversion.epsilon(event.rho, extra), event.delta + extra)",
                "conversion.epsilon(event.rho, extra), extra)",
            ),
        ),
        PRICES + "test_adaptive_steps_pay_their_delta_and_that_of_the_conversion",
    ),
    Bug(
        "a filter admits one time more",
        "account/filter.py",
        (("        return min(fits)\n", "        return min(fits) + 1\n"),),
        PRICES + "test_a_filter_tells_how_often_events_fit",
    ),
    Bug(
        "thinning: the undecided are kept, the others go on",
        "noise/thin.py",
        (("kept += undecided - same", "kept += same"),),
        THIN + "test_halves_make_any_rate[totals0-40-rate0]",
    ),
    Bug(
        "thinning: the spare bits of the last word count",
        "noise/thin.py",
        (("        block[ends[first:ended] - 1 - start] >>= spare[first:ended]\n", ""),),
        THIN + "test_half_of_the_coins_are_counted_in_words",
    ),
    Bug(
        "sample: shown one below the threshold",
        "mechanism/sampled/sample_threshold.py",
        (("shown = kept >= self.event.threshold", "shown = kept >= self.event.threshold - 1"),),
        SAMPLED + "test_one_report[few-found-add-remove]",
    ),
    Bug(
        "sample: shown above the threshold, not at it",
        "mechanism/sampled/sample_threshold.py",
        (("shown = kept >= self.event.threshold", "shown = kept > self.event.threshold"),),
        SAMPLED + "test_one_report[few-found-add-remove]",
    ),
    Bug(
        "sample: a rate that is a tenth too large",
        "account/rates.py",
        (("found < LEAST_RATE:", "(found := found * 11 / 10) < LEAST_RATE:"),),
        SAMPLED + "test_what_a_budget_buys[theta-1-add-remove]",
    ),
    Bug(
        "sample: reports of one person priced as one",
        "mechanism/sampled/sample_threshold.py",
        (("    items = bounding.most if cells is None else min(bounding.most, cells)\n", "    items = 1\n"),),
        SAMPLED + "test_what_a_budget_buys[theta-2-add-remove]",
    ),
    Bug(
        "sample: a replaced person priced as a removed one",
        "account/sampled.py",
        (('"replace": (("up", "down"),),', '"replace": (("up",), ("down",)),'),),
        SAMPLED + "test_replaced_reports[few]",
    ),
    Bug(
        "federated: a report is for any round of its id",
        "federated/messages.py",
        (("hashlib.blake2b(self.to_json().encode(), digest_size=16).hexdigest()", "self.id"),),
        "tests/federated/test_roles.py::test_nobody_is_counted_in_another_round_of_the_same_id",
    ),
    Bug(
        "ranges: a number beyond all reason makes reading fail",
        "source/axis.py",
        (
            (
                "        if last - first == 1:\n            return ibis.literal",
                "        if False:\n            return ibis.literal",
            ),
        ),
        "tests/usability/test_numbers.py::test_a_range_as_wide_as_numbers_go",
    ),
    Bug(
        "sample: the price at one person less than the worst",
        "account/sampling.py",
        (
            (
                "for people in range(low, high + 1)]",
                "for people in range(low - 1, high)]",
            ),
        ),
        SAMPLED + "test_the_worst_count[tenth]",
    ),
    Bug(
        "tree: counts of samples shown one below the threshold",
        "mechanism/ordered/hierarchy.py",
        (("np.where(kept >= self.event.threshold, kept, 0)", "np.where(kept >= self.event.threshold - 1, kept, 0)"),),
        ORDERED + "test_a_tree_of_samples[3-add-remove]",
    ),
    Bug(
        "tree: one sample for all levels",
        "mechanism/ordered/hierarchy.py",
        (
            (
                "for totals in self.shape.totals(bounded.totals))",
                "for totals in self.shape.totals(entropy.thin(bounded.totals, self.event.rate)))",
            ),
            ("kept = entropy.thin(totals, self.event.rate)", "kept = totals"),
        ),
        SAMPLED + "test_one_sample_for_two_levels",
    ),
    Bug(
        "tree: samples for one level only",
        "mechanism/ordered/strategy.py",
        (("if self.searching else shape.levels", "if self.searching else 1"),),
        ORDERED + "test_a_tree_of_samples[17-add-remove]",
    ),
    Bug(
        "tree: noise for one level only",
        "mechanism/ordered/hierarchy.py",
        (("changed_people(neighbours) * shape.levels", "changed_people(neighbours)"),),
        ORDERED + "test_a_tree_with_laplace_noise[add-remove]",
    ),
    Bug(
        "tree: noise for a removed person where one is replaced",
        "mechanism/ordered/hierarchy.py",
        (("changed_people(neighbours) * shape.levels", "shape.levels"),),
        ORDERED + "test_the_sensitivity_of_a_tree_is_attained[16-7-replace]",
    ),
    Bug(
        "tree: noise / 1.1",
        "mechanism/ordered/hierarchy.py",
        (("totals + entropy.draw(self.law, len(totals))", "totals + entropy.draw(self.law, len(totals)) * 10 // 11"),),
        ORDERED + "test_a_tree_with_laplace_noise[add-remove]",
    ),
    Bug(
        "search: noise for one round only",
        "mechanism/ordered/binary_search.py",
        (("len(q) * rounds(cells)\n    return", "len(q)\n    return"),),
        ORDERED + "test_a_search_with_laplace_noise[odd-add-remove]",
    ),
    Bug(
        "search: a replaced person's noise is that of a removed one",
        "mechanism/ordered/binary_search.py",
        ((' if neighbours == "add-remove" else Fraction(1)', ""),),
        ORDERED + "test_the_sensitivity_of_a_search_is_attained[q0-replace]",
    ),
    Bug(
        "search: the next cut follows from what was not released",
        "mechanism/ordered/binary_search.py",
        (("else left > 0", "else upto[cuts[-1]] > q * upto[-1]"),),
        ORDERED + "test_a_search_with_laplace_noise[odd-add-remove]",
    ),
    Bug(
        "the number of people with noise / 1.1",
        "bound/selection/people.py",
        (("self.noisy(count, entropy)", "PeopleCount(self.epsilon * 11 / 10).noisy(count, entropy)"),),
        SAMPLED + "test_how_many_people_there_are",
    ),
    Bug(
        "counting people is not taken from epsilon",
        "mechanism/strategy.py",
        (("self.later + (self.people_count.epsilon if self.people_count else 0)", "self.later"),),
        SAMPLED + "test_counting_people_is_paid_for",
    ),
    Bug(
        "certain, if there are as few people as there may be",
        "jobs/heavy_hitters.py",
        (("share * (people.count + people.half_width)", "share * (people.count - people.away)"),),
        SAMPLED + "test_certain_is_what_is_above_for_every_number_of_people",
    ),
    Bug(
        "shape: the number of contributions with noise / 1.1",
        "mechanism/shape/contribution_limit.py",
        (("entropy.draw(law(self.event), 1)[0])", "entropy.draw(law(self.event), 1)[0] * 10 // 11)"),),
        SHAPED + "test_the_number_of_contributions[1]",
    ),
    Bug(
        "shape: a person contributes once to the number of contributions",
        "mechanism/shape/contribution_limit.py",
        (("Laplace(bound / price, Fraction(bound))", "Laplace(1 / price, Fraction(1))"),),
        SHAPED + "test_the_number_of_contributions[3]",
    ),
    Bug(
        "shape: counting contributions is not taken from epsilon",
        "mechanism/shape/contribution_limit.py",
        (("Fraction(bound))), epsilon - price", "Fraction(bound))), epsilon"),),
        MECHANISM + "test_a_shape_costs_exactly_what_was_typed",
    ),
    Bug(
        "shape: counting contributions is not charged",
        "mechanism/shape/staircase.py",
        ((", *self.limit.payments(self.bounding))", ",)"),),
        MECHANISM + "test_a_shape_costs_exactly_what_was_typed",
    ),
    Bug(
        "shape: buckets spend all of epsilon after contributions were counted",
        "mechanism/shape/strategy.py",
        (("return buckets.calibrated(rest, ", "return buckets.calibrated(epsilon, "),),
        MECHANISM + "test_a_shape_costs_exactly_what_was_typed",
    ),
    Bug(
        "shape: an unknown number of items taken for a public list",
        "mechanism/shape/strategy.py",
        (
            ("if self.cells is not None:", "if self.people is None:"),
            ("self.neighbours, self.cells, False", "self.neighbours, self.cells or 1, False"),
        ),
        SHAPES + "test_which_way_is_taken",
    ),
    Bug(
        "shape: a replaced person's noise is that of a removed one",
        "mechanism/shape/staircase.py",
        (("most = changed_people(neighbours) * bounding", "most = bounding"),),
        SHAPES + "test_the_sensitivity_of_a_staircase_is_attained[1-replace]",
    ),
    Bug(
        "staircase: noise / 1.1",
        "mechanism/shape/staircase.py",
        (("true + entropy.draw(self.law, len(true))", "true + entropy.draw(self.law, len(true)) * 10 // 11"),),
        SHAPED + "test_a_staircase_of_a_public_size[one step-add-remove]",
    ),
    Bug(
        "staircase: the same noise for every number",
        "mechanism/shape/staircase.py",
        (("entropy.draw(self.law, len(true))", "entropy.draw(self.law, 1)"),),
        SHAPES + "test_all_numbers_have_noise_of_their_own",
    ),
    Bug(
        "staircase: as many steps as the true number needs",
        "mechanism/shape/staircase.py",
        (
            (
                "boxes = self.limit.draw(int(bounded.totals.sum()), entropy)",
                "boxes = self.limit.draw(0, entropy) * 0 + int(bounded.totals.sum())",
            ),
        ),
        SHAPED + "test_a_size_that_is_counted[staircase-1-add-remove]",
    ),
    Bug(
        "staircase: a box in a row and in a column",
        "mechanism/shape/staircase.py",
        (("np.maximum(largest - columns, 0)", "largest"),),
        SHAPES + "test_the_sensitivity_of_a_staircase_is_attained[1-add-remove]",
    ),
    Bug(
        "staircase: as many columns as the largest count needs",
        "mechanism/shape/staircase.py",
        (("np.bincount(np.minimum(totals, columns), ", "np.bincount(totals, "),),
        SHAPES + "test_as_many_numbers_whatever_the_table[1]",
    ),
    Bug(
        "staircase: as many rows as there are items",
        "mechanism/shape/staircase.py",
        (
            ("beyond, largest = np.zeros(rows, dtype=np.int64), np.sort", "largest = np.sort"),
            ("beyond[: len(largest)] = np.maximum(largest - columns, 0)", "beyond = np.maximum(largest - columns, 0)"),
        ),
        SHAPES + "test_as_many_numbers_whatever_the_table[1]",
    ),
    Bug(
        "staircase: as many rows as items with people",
        "mechanism/shape/staircase.py",
        (("min(rows, self.cells or rows)", "min(rows, np.count_nonzero(bounded.totals))"),),
        SHAPES + "test_as_many_rows_as_items_and_as_many_columns_as_people[None-100-44-4]",
    ),
    Bug(
        "staircase: as many columns as the largest item has people",
        "mechanism/shape/staircase.py",
        (("min(boxes, self.limit.people or boxes)", "min(boxes, int(bounded.totals.max(initial=1)))"),),
        SHAPES + "test_as_many_rows_as_items_and_as_many_columns_as_people[None-100-44-4]",
    ),
    Bug(
        "staircase: items are shown",
        "mechanism/shape/staircase.py",
        (("shown = bounded.items.slice(0, 0), ", "shown = bounded.items, "),),
        SHAPES + "test_a_staircase_without_noise_and_with_the_same_everywhere",
    ),
    Bug(
        "staircase: totals of a looser bound are taken",
        "mechanism/shape/staircase.py",
        (("        self.check(bounded)\n", ""),),
        MECHANISM + "test_shapes_of_totals_with_a_looser_bound_are_refused[auto]",
    ),
    Bug(
        "buckets: noise / 1.1",
        "mechanism/shape/buckets.py",
        (("totals + entropy.draw(self.law, len(totals))", "totals + entropy.draw(self.law, len(totals)) * 10 // 11"),),
        SHAPED + "test_buckets_of_a_public_list[1-add-remove]",
    ),
    Bug(
        "buckets: noise only on those in use",
        "mechanism/shape/buckets.py",
        (
            (
                "totals + entropy.draw(self.law, len(totals))",
                "totals + entropy.draw(self.law, len(totals)) * (totals > 0)",
            ),
        ),
        SHAPED + "test_buckets_by_many_keys[add-remove]",
    ),
    Bug(
        "buckets: the last item of a bucket stands for all",
        "mechanism/shape/buckets.py",
        (("np.add.at(totals, hashes % len(totals), bounded.totals)", "totals[hashes % len(totals)] = bounded.totals"),),
        SHAPES + "test_hashing_keeps_all_totals[3]",
    ),
    Bug(
        "buckets: as many as the true number needs",
        "mechanism/shape/buckets.py",
        (
            (
                "BUCKETS_PER_CONTRIBUTION * self.buckets.draw(int(bounded.totals.sum()), entropy)",
                "BUCKETS_PER_CONTRIBUTION * (self.buckets.draw(0, entropy) * 0 + int(bounded.totals.sum()))",
            ),
        ),
        SHAPES + "test_every_bucket_gets_noise",
    ),
    Bug(
        "buckets: the same key every time",
        "mechanism/shape/buckets.py",
        (("entropy.secret()", "bytes(32)"),),
        SHAPES + "test_a_fresh_key_for_every_run",
    ),
    Bug(
        "buckets: items are shown",
        "mechanism/shape/buckets.py",
        (("NoisyBuckets(bounded.items.slice(0, 0), ", "NoisyBuckets(bounded.items, "),),
        SHAPES + "test_hashing_keeps_all_totals[3]",
    ),
    Bug(
        "recentred: a mean priced for a person who is removed, not replaced",
        "mechanism/distribution/recentred.py",
        (("Fraction((changed * UNIT) ** 2)", "Fraction(changed * UNIT**2)"),),
        DISTRIBUTED + "test_what_one_person_changes_is_what_the_noise_is_for[1]",
    ),
    Bug(
        "recentred: distances priced for one bin, where a replaced person changes two",
        "mechanism/distribution/recentred.py",
        (("Fraction(changed * PART**2), changed", "Fraction(PART**2), changed"),),
        DISTRIBUTED + "test_what_one_person_changes_is_what_the_noise_is_for[1]",
    ),
    Bug(
        "recentred: the mass priced for one draw of a person",
        "mechanism/distribution/recentred.py",
        (("(bounding.most * bounding.unit) ** 2", "bounding.unit**2"),),
        DISTRIBUTED + "test_what_one_person_changes_is_what_the_noise_is_for[2]",
    ),
    Bug(
        "recentred: people beyond the distance are not drawn in",
        "mechanism/distribution/recentred.py",
        (("np.maximum(self._distances, radius)", "radius"),),
        DISTRIBUTED + "test_what_one_person_changes_is_what_the_noise_is_for[1]",
    ),
    Bug(
        "recentred: who drew much is weighed down in distances alone",
        "mechanism/distribution/recentred.py",
        (("CENTRE * self._share / np.maximum", "CENTRE / np.maximum"),),
        DISTRIBUTED + "test_what_one_person_changes_is_what_the_noise_is_for[1]",
    ),
    Bug(
        "recentred: distances of who drew much count for all that they drew",
        "mechanism/distribution/recentred.py",
        (("np.floor(self._share * self._sizes", "np.floor(self._sizes"), ("np.minimum(parts, PART)", "parts")),
        DISTRIBUTED + "test_what_one_person_changes_is_what_the_noise_is_for[1]",
    ),
    Bug(
        "recentred: weights rounded up",
        "mechanism/distribution/recentred.py",
        (("np.floor(ROUNDING_GUARD * UNIT", "np.ceil(ROUNDING_GUARD * UNIT"),),
        DISTRIBUTED + "test_what_one_person_changes_is_what_the_noise_is_for[1]",
    ),
    Bug(
        "recentred: distances paid for in one round",
        "mechanism/distribution/recentred.py",
        (("*([(self.distances, of_bins(PART))] * len(ROUND_SHARES)),", "(self.distances, of_bins(PART)),"),),
        DISTRIBUTED + "test_every_draw_is_paid_for[recentred-3-add-remove]",
    ),
    Bug(
        "recentred: how much people differ, without noise",
        "mechanism/distribution/recentred.py",
        (("people.energy(radius) + _draw(self.energy, 1, entropy)[0]", "people.energy(radius)"),),
        DISTRIBUTED + "test_every_draw_is_paid_for[recentred-3-add-remove]",
    ),
    Bug(
        "distribution: the profile without noise",
        "bound/selection/draws.py",
        (
            (
                "self.chosen(self.profile(statistics, entropy))",
                "self.chosen(Profile(self.edges, statistics.on(self.starts).people, 1.0))",
            ),
        ),
        DISTRIBUTED + "test_every_draw_is_paid_for[recentred-auto-add-remove]",
    ),
    Bug(
        "distribution: private sizes taken as public ones",
        "mechanism/distribution/strategy.py",
        (("return PublicDrawn if self.public else MostDrawn", "return PublicDrawn"),),
        DISTRIBUTED + "test_public_sizes_cost_nothing_and_private_ones_do[add-remove]",
    ),
    Bug(
        "selected: a replaced person priced as a removed one",
        "mechanism/distribution/selected.py",
        (("min(cells, changed_people(neighbours) * bounding.most)", "min(cells, bounding.most)"),),
        DISTRIBUTED + "test_scores_change_by_one_and_of_few_items[ks-1-replace]",
    ),
    Bug(
        "selected: twice the rate",
        "mechanism/distribution/selected.py",
        (("        return self.event.epsilon / 2\n", "        return self.event.epsilon\n"),),
        SELECTED + "test_choices_are_pure_and_all_is_used[1-ks-add-remove]",
    ),
    Bug(
        "selected: people counted without noise",
        "mechanism/distribution/selected.py",
        (("many + int(entropy.draw(law(self.people), 1)[0])", "many + 0 * int(entropy.draw(law(self.people), 1)[0])"),),
        SELECTED + "test_everything_that_is_counted[ks-add-remove]",
    ),
    Bug(
        "selected: presence is not paid for",
        "mechanism/distribution/selected.py",
        (("((self.people, of_number(1)), (self.presence, presence))", "((self.people, of_number(1)),)"),),
        DISTRIBUTED + "test_every_draw_is_paid_for[sparse-3-add-remove]",
    ),
    Bug(
        "selected: presence priced for one item of a person",
        "mechanism/distribution/selected.py",
        (("(PRESENCE_SHARE, Fraction(count), count)", "(PRESENCE_SHARE, Fraction(1), count)"),),
        DISTRIBUTED + "test_presence_changes_by_what_is_paid_for[2-add-remove]",
    ),
    Bug(
        "exact draws: who has fewer is kept",
        "bound/draws.py",
        (("np.repeat(sizes == self.most", "np.repeat(sizes <= self.most"), ("[sizes >= self.most])", "[sizes > 0])")),
        DRAWS + "test_exactly_so_many_draws_of_everybody",
    ),
    Bug(
        "exact draws: the first ones in the place of hashed ones",
        "bound/draws.py",
        (("np.argsort(numbers + (person", "np.argsort(0 * numbers + (person"),),
        DISTRIBUTED + "test_every_part_of_a_persons_draws_is_equally_likely[1]",
    ),
    Bug(
        "recentred: the mass has no noise",
        "mechanism/distribution/recentred.py",
        (
            (
                "int(bounded.totals.sum()) + _draw(self.mass, 1, entropy)[0]",
                "int(bounded.totals.sum()) + 0 * _draw(self.mass, 1, entropy)[0]",
            ),
        ),
        DISTRIBUTED + "test_nothing_but_noisy_numbers_decides_what_is_told[add-remove]",
    ),
    Bug(
        "recentred: means have no noise",
        "mechanism/distribution/recentred.py",
        (("people.mean(radius) + _draw(event", "people.mean(radius) + 0 * _draw(event"),),
        DISTRIBUTED + "test_nothing_but_noisy_numbers_decides_what_is_told[add-remove]",
    ),
    Bug(
        "recentred: one draw for all items",
        "mechanism/distribution/recentred.py",
        (("_draw(event, len(bounded.items), entropy)", "_draw(event, 1, entropy)"),),
        DISTRIBUTED + "test_nothing_but_noisy_numbers_decides_what_is_told[add-remove]",
    ),
    Bug(
        "recentred: one draw for all distances",
        "mechanism/distribution/recentred.py",
        (("_draw(self.distances, len(radii), entropy)", "_draw(self.distances, 1, entropy)"),),
        DISTRIBUTED + "test_nothing_but_noisy_numbers_decides_what_is_told[add-remove]",
    ),
    Bug(
        "recentred: how much people differ has no noise",
        "mechanism/distribution/recentred.py",
        (("people.energy(radius) + _draw(self.energy", "people.energy(radius) + 0 * _draw(self.energy"),),
        DISTRIBUTED + "test_nothing_but_noisy_numbers_decides_what_is_told[add-remove]",
    ),
    Bug(
        "distribution: the bound is capped at what somebody has",
        "bound/selection/draws.py",
        (
            (
                "        return self.chosen(self.profile(statistics, entropy))",
                "        bounding = self.chosen(self.profile(statistics, entropy))\n        return self.ways[0].bounding(min(bounding.limit, int(statistics.sizes.max(initial=1))))",
            ),
        ),
        DISTRIBUTED + "test_nothing_but_a_noisy_profile_decides_the_bound",
    ),
    Bug(
        "public sizes: counts that stop item by item show",
        "bound/selection/draws.py",
        (("        statistics = _capped(statistics)\n", ""),),
        DISTRIBUTED + "test_public_sizes_do_not_tell_how_samples_are_spread",
    ),
    Bug(
        "exact draws: equal numbers in the engine's order",
        "bound/draws.py",
        (
            (
                "        places, counts, sizes = places[ordered], counts[ordered], of_each(counts, starts)",
                "        sizes = of_each(counts, starts) + 0 * ordered.sum()",
            ),
        ),
        DISTRIBUTED + "test_draws_of_equal_numbers_are_told_apart_by_what_they_are",
    ),
    Bug(
        "a request is packed before the charge, but not loaded back",
        "planner/plan.py",
        (
            (
                "            check_request(pack(pa.table({}), self._outlook.about(self.to_json())))",
                "            pack(pa.table({}), self._outlook.about(self.to_json()))",
            ),
        ),
        HOSTILE + "test_keys_that_a_plan_cannot_hold_cost_nothing",
    ),
    Bug(
        'again="no" pays for a new draw',
        "planner/plan.py",
        (('yes_or_no("again", again)', "bool(again)"),),
        ARGUMENTS + "test_messages_and_nothing_is_spent",
    ),
    Bug(
        "any object is the name of data",
        "source/events.py",
        (('    one_line("dataset", name, str(name) if meant else "visits")', "    return"),),
        ARGUMENTS + "test_messages_and_nothing_is_spent",
    ),
    *VIEWS,
]


def planted(bug: Bug, folder: Path) -> None:
    """A copy of the package with the bug in it."""
    package = ROOT / "src" / "headcount"  # linked, with what is compiled: only the bug is written
    shutil.copytree(package, folder / "headcount", copy_function=os.symlink)
    file = folder / "headcount" / bug.file
    text = file.read_text()
    file.unlink()
    for old, new in bug.patches:
        if text.count(old) != 1:
            raise LookupError(f"{bug.name}: {old!r} occurs {text.count(old)} times in {bug.file}, not once")
        text = text.replace(old, new)
    file.write_text(text)


def caught(bug: Bug) -> bool:
    """Whether the named test fails with the bug in place."""
    with tempfile.TemporaryDirectory() as folder:
        planted(bug, Path(folder))
        environment = {**os.environ, **ALONE, "PYTHONPATH": folder}
        run = process.run(PYTEST, *OPTIONS, bug.caught_by, cwd=ROOT, env=environment)
    if run.returncode not in (0, 1) or (run.returncode and "failed" not in run.stdout):
        raise LookupError(f"{bug.name}: {bug.caught_by} did not run\n{run.stdout[-2000:]}")
    return run.returncode == 1


if __name__ == "__main__":
    results = {bug.name: caught(bug) for bug in BUGS}
    for name, red in results.items():
        print(f"{'caught' if red else 'MISSED':7s} {name}")
    print(f"{sum(results.values())} of {len(results)} planted bugs caught")
    sys.exit(not all(results.values()))
