"""Planted bugs in counts of items that are found: thresholds, and which mechanism is taken."""

from tests.privacy.bug import Bug

EXACTLY = "tests/privacy/test_mechanisms.py::"
FOUND = "tests/mechanism/test_count_release.py::"
DELTA = "tests/privacy/test_exact_delta.py::"
MECHANISM = "tests/mechanism/test_conformance.py::"
ESTIMAND = "tests/usability/test_what_intervals_are_for.py::test_wherever_somebody_looks"

BUGS = [
    Bug(
        "a replaced person's Laplace noise is that of a removed one",
        "mechanism/unknown/thresholded.py",
        (("changed_people(neighbours) * sensitivity.total", "sensitivity.total"),),
        MECHANISM + "test_what_happens_costs_no_more_than_what_was_typed",
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
        "an interval after bounding that is called one of the truth",
        "mechanism/unknown/thresholded.py",
        (('            return "bounded"\n', '            return "true"\n'),),
        ESTIMAND + "[a given bound]",
    ),
    Bug(
        "what may be selected later is not reserved before the charge",
        "mechanism/unknown/strategy.py",
        (("return HeavyPeople.default_share + lost", "return lost"),),
        FOUND + "test_choices_and_counts_never_add_up_to_more",
    ),
    Bug(
        "a threshold's coin is likelier than was paid for",
        "mechanism/unknown/thresholded.py",
        (("Bernoulli(self.coin)", "Bernoulli(1 - (1 - self.coin) / 2)"),),
        DELTA + "test_randomized_threshold",
    ),
]
