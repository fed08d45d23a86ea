"""Planted bugs in jobs, plans and the order of a run."""

from tests.privacy.bug import Bug

SAME = "tests/account/test_same_data.py::"
RELATION = "tests/account/test_relation.py::"
SHORT = "tests/usability/test_short_lists.py::"
BYTES = "tests/privacy/test_same_result_same_bytes.py::"
RELEASE = "tests/release/test_release.py::"
QUERIES = "tests/source/test_queries.py::"
OWNER = "tests/account/test_owner.py::"
CHANGED = "tests/source/test_changed.py::"
RECEIPT = "tests/privacy/test_receipt.py::"
PAYS = "tests/mechanism/test_pays.py::"
WHERE = "tests/usability/test_where.py::"
DATES = "tests/usability/test_dates.py::"
ESTIMAND = "tests/usability/test_what_intervals_are_for.py::test_wherever_somebody_looks"
STEPS = "tests/usability/test_first_steps.py::"
AUTOMATIC = "tests/usability/test_automatic_bound.py::"
SECOND = "tests/privacy/test_no_second_draw.py::"
RETRY = "tests/privacy/test_a_retry_repeats.py::"
SAMPLED = "tests/privacy/test_sampled.py::"
HOSTILE = "tests/conformance/test_hostile.py::"
ARGUMENTS = "tests/usability/test_arguments.py::"

BUGS = [
    Bug(
        "noise for one person added where one is replaced",
        "run.py",
        (("        if not self.mechanism.allows(strategy.neighbours):\n", "        if False:\n"),),
        PAYS + "test_a_release_for_neighbours_that_its_noise_is_not_for",
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
        "a release may say that more happened than was paid for",
        "planner/plan.py",
        (("        check_recorded(self.cost, ", "        (lambda *_: None)(self.cost, "),),
        RECEIPT + "test_events_are_compared_again_as_they_are_written",
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
                "        found, events = identified(source.events, source.limits)\n        source.check_unchanged()\n",
                "        found, events = identified(source.events, source.limits)\n",
            ),
        ),
        CHANGED + "test_before_the_charge_nothing_is_charged",
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
        "the data of a release are not looked at",
        "planner/plan.py",
        (("again=again, data=identity, rows=look)", "again=again)"),),
        SAME + "test_another_frame_is_not_answered_with_the_first_ones_release",
    ),
    Bug(
        "a frame without a name is charged",
        "planner/plan.py",
        (("        check_name(self.dataset)\n", ""),),
        SAME + "test_data_without_a_name_are_refused_by_a_ledger_alone",
    ),
    Bug(
        "public sizes are any sizes",
        "jobs/distribution.py",
        (('"replace-same-size" if self.sizes == "public" else self.neighbours', "self.neighbours"),),
        RELATION + "test_public_sizes_are_a_relation_of_their_own",
    ),
    Bug(
        "a person counts for every row of an item on a short list",
        "jobs/histogram.py",
        (('return self.count == "events"', 'return self.count == "events" or bool(self.keys)'),),
        SHORT + "test_everybody_counts_in_full",
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
        "test noise may be charged",
        "planner/plan.py",
        (("        if entropy is not None:", "        if False:"),),
        STEPS + "test_test_noise_is_never_charged",
    ),
    Bug(
        "rows in the engine's order",
        "jobs/bases/items.py",
        (
            (
                "        return in_order(self.labelled(noisy, columns), self.by, self.value_name, labels)",
                "        return self.labelled(noisy, columns)",
            ),
        ),
        RELEASE + "test_the_table",
    ),
    Bug(
        "events of few public items, taken for people",
        "job/words.py",
        (("        return None if self.counts_events else cells", "        return cells"),),
        ESTIMAND + "[no more items, but events]",
    ),
    Bug(
        "conditions are no part of the request: the release of all rows answers for some",
        "job/parameters.py",
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
        "periods that are not public taken for public ones",
        "jobs/bases/items.py",
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
        "jobs/parameters/dates.py",
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
        "numbers that are odd are errors, after the noise",
        "run.py",
        (('    with np.errstate(all="ignore"), _quiet_scipy(), ', "    with _quiet_scipy(), "),),
        SECOND + "test_no_setting_of_the_caller_makes_odd_numbers_an_error",
    ),
    Bug(
        "certain, if there are as few people as there may be",
        "jobs/heavy_hitters.py",
        (("share * (people.count + people.half_width)", "share * (people.count - people.away)"),),
        SAMPLED + "test_certain_is_what_is_above_for_every_number_of_people",
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
]
