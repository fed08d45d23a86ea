"""Planted bugs in several metrics of each group."""

from tests.privacy.bug import Bug

GROUPS = "tests/mechanism/test_groups.py::"
FEW = "tests/mechanism/test_few_totals.py::"

BUGS = [
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
        (("MAX_SHOWN * sum(vector.cells for vector in vectors)", "MAX_SHOWN"),),
        GROUPS + "test_events_are_for_all_cells_that_one_person_changes",
    ),
    Bug(
        "groups: a look at groups that are not shown",
        "mechanism/groups/measured.py",
        (("measurement.run(bounded.look(shown), len", "measurement.run(bounded.look(shown | True), len"),),
        GROUPS + "test_only_shown_groups_are_looked_at",
    ),
    Bug(
        "few totals: people scaled to the root of squares, and Laplace noise",
        "mechanism/groups/measurement.py",
        (("vector = replace(each, order=self.units.order)", "vector = each"),),
        FEW + "test_one_person_adds_what_the_noise_is_for[sum-by number-huge-add-remove]",
    ),
    Bug(
        "few totals: every vector with all of the units",
        "mechanism/groups/units.py",
        (
            ("int(self.maximum * SLACK * weight / max(sum(weights), 1e-300))", "int(self.maximum * SLACK)"),
            ("if sum(units) > self.maximum:", "if max(units) > self.maximum:"),
        ),
        FEW + "test_one_person_adds_what_the_noise_is_for[three-by number-huge-add-remove]",
    ),
    Bug(
        "few totals: a replaced person priced as a removed one",
        "mechanism/groups/measured.py",
        (("Fraction(Sums().maximum * changed_people(neighbours))", "Fraction(Sums().maximum)"),),
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
]
