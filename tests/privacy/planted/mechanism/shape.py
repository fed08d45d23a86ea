"""Planted bugs in shapes."""

from tests.privacy.bug import Bug

MECHANISM = "tests/mechanism/test_conformance.py::"
SHAPES = "tests/mechanism/test_shaped.py::"
SHAPED = "tests/privacy/test_shaped.py::"

BUGS = [
    Bug(
        "shape: the number of contributions with noise / 1.1",
        "mechanism/shape/contribution_limit.py",
        (
            (
                "entropy.draw(noise_distribution(self.event), 1)[0])",
                "entropy.draw(noise_distribution(self.event), 1)[0] * 10 // 11)",
            ),
        ),
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
        (("maximum = changed_people(neighbours) * bounding", "maximum = bounding"),),
        SHAPES + "test_the_sensitivity_of_a_staircase_is_attained[1-replace]",
    ),
    Bug(
        "staircase: noise / 1.1",
        "mechanism/shape/staircase.py",
        (
            (
                "true + entropy.draw(self.distribution, len(true))",
                "true + entropy.draw(self.distribution, len(true)) * 10 // 11",
            ),
        ),
        SHAPED + "test_a_staircase_of_a_public_size[one step-add-remove]",
    ),
    Bug(
        "staircase: the same noise for every number",
        "mechanism/shape/staircase.py",
        (("entropy.draw(self.distribution, len(true))", "entropy.draw(self.distribution, 1)"),),
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
        (
            (
                "totals + entropy.draw(self.distribution, len(totals))",
                "totals + entropy.draw(self.distribution, len(totals)) * 10 // 11",
            ),
        ),
        SHAPED + "test_buckets_of_a_public_list[1-add-remove]",
    ),
    Bug(
        "buckets: noise only on those in use",
        "mechanism/shape/buckets.py",
        (
            (
                "totals + entropy.draw(self.distribution, len(totals))",
                "totals + entropy.draw(self.distribution, len(totals)) * (totals > 0)",
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
]
