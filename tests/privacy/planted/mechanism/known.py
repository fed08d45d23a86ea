"""Planted bugs in counts of known items."""

from tests.privacy.bug import Bug

CORRELATED = "tests/privacy/test_correlated.py::"
SUMS = "tests/privacy/test_correlated_sums.py::"
CUT = "tests/bound/test_cut_amounts.py::"
SHORT_SUMS = "tests/usability/test_short_sums.py::"
SHORT = "tests/usability/test_short_lists.py::"
PAYS = "tests/mechanism/test_pays.py::"
FOUND = "tests/mechanism/test_count_release.py::"

BUGS = [
    Bug(
        "correlated: the common number hides who is replaced",
        "mechanism/known/correlated.py",
        (
            (
                "cells, half, replaced = self.bounding.cells, self._half, self.stability.replaced\n",
                "cells, half = self.bounding.cells, self._half\n        replaced = Sensitivity(1, half, half, half**2)\n",
            ),
        ),
        PAYS + "test_correlated_noise_is_for_halves_and_for_nobody_who_is_replaced",
    ),
    Bug(
        "a common number that is drawn again for every item",
        "mechanism/known/correlated.py",
        (
            (
                "entropy.draw(noise_distribution(self.common), 1)",
                "entropy.draw(noise_distribution(self.common), len(own))",
            ),
        ),
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
        (("entropy.draw(self.distribution, len(bounded.totals))", "entropy.draw(self.distribution, 1)"),),
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
        (("(1 - common, Fraction(cells * half**2), cells)", "(1 - common, Fraction(cells * half**2, 4), cells)"),),
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
        "a common number for one part of an amount, and not for all of its cut",
        "mechanism/known/correlated.py",
        (
            ("(common, Fraction(half**2), 1)", "(common, Fraction(1), 1)"),
            (
                "Stability(Sensitivity(1, half, half, half**2), replaced, 1)",
                "Stability(Sensitivity(1, 1, 1, 1), replaced, 1)",
            ),
        ),
        SUMS + "test_all_events_cost_exactly_what_was_typed",
    ),
    Bug(
        "noise of an amount's own for one part of it, and not for all of its cut",
        "mechanism/known/correlated.py",
        (
            ("(1 - common, Fraction(cells * half**2), cells)", "(1 - common, Fraction(cells), cells)"),
            (
                "own = Stability(Sensitivity(cells, half, cells * half, cells * half**2)",
                "own = Stability(Sensitivity(cells, 1, cells, cells)",
            ),
        ),
        SUMS + "test_all_events_cost_exactly_what_was_typed",
    ),
    Bug(
        "noise for half of the most that a person adds",
        "mechanism/known/correlated.py",
        (
            (
                "return self.bounding.sensitivity.largest // HALVES",
                "return self.bounding.sensitivity.largest // HALVES // 2",
            ),
        ),
        PAYS + "test_noise_on_amounts_is_for_their_cut",
    ),
    Bug(
        "noise on amounts for less than their cut",
        "mechanism/known/correlated_sums.py",
        (("bounding.sensitivity.largest // HALVES", "bounding.sensitivity.largest // HALVES * 10 // 11"),),
        SUMS + "test_all_events_cost_exactly_what_was_typed",
    ),
    Bug(
        "amounts are not cut",
        "bound/boundings/cut_amounts.py",
        (("cut_at(where(amounts > 0.0, amounts, 0.0), cut)", "where(amounts > 0.0, amounts, 0.0)"),),
        CUT + "test_a_person_attains_what_noise_is_for",
    ),
    Bug(
        "negative amounts are not cut",
        "bound/boundings/cut_amounts.py",
        (("where(amounts > 0.0, amounts, 0.0)", "amounts"),),
        CUT + "test_what_is_negative_missing_or_too_much",
    ),
    Bug(
        "amounts are cut at twice of what noise is for",
        "bound/boundings/cut_amounts.py",
        (("partial(cut_to_parts, cut=self.cut * GRID,", "partial(cut_to_parts, cut=2 * self.cut * GRID,"),),
        CUT + "test_a_person_attains_what_noise_is_for",
    ),
    Bug(
        "a cut for more items than noise is for",
        "bound/boundings/cut_amounts.py",
        (('assert len(keys) <= self.cells, "noise is for no more items"', "pass"),),
        CUT + "test_a_longer_list_than_noise_is_for_is_refused",
    ),
    Bug(
        "intervals of cut sums as if they were for the true ones",
        "job/words.py",
        (("if self.adds_amounts or self.scales is not None:", "if self.adds_amounts:"),),
        SHORT_SUMS + "test_intervals_are_for_cut_sums",
    ),
    Bug(
        "what may be selected later about a public list is not reserved before the charge",
        "mechanism/known/strategy.py",
        (("sampled = HEAVY_SHARE + SamplingLoss.default_share", "sampled = SamplingLoss.default_share"),),
        FOUND + "test_choices_and_counts_of_a_public_list_never_add_up_to_more",
    ),
]
