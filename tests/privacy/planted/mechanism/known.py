"""Planted bugs in counts of known items."""

from tests.privacy.bug import Bug

CORRELATED = "tests/privacy/test_correlated.py::"
SHORT = "tests/usability/test_short_lists.py::"
PAYS = "tests/mechanism/test_pays.py::"
FOUND = "tests/mechanism/test_count_release.py::"

BUGS = [
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
        "what may be selected later about a public list is not reserved before the charge",
        "mechanism/known/strategy.py",
        (("sampled = HEAVY_SHARE + SamplingLoss.default_share", "sampled = SamplingLoss.default_share"),),
        FOUND + "test_choices_and_counts_of_a_public_list_never_add_up_to_more",
    ),
]
