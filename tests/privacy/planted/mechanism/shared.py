"""Planted bugs in what all mechanisms share."""

from tests.privacy.bug import Bug

EXACTLY = "tests/privacy/test_mechanisms.py::"
RELEASE = "tests/release/test_release.py::"
PAYS = "tests/mechanism/test_pays.py::"
WEIGHTED = "tests/mechanism/test_weighted.py::"
COMPOSED = "tests/privacy/test_choice_then_release.py::"
FOUND = "tests/mechanism/test_count_release.py::"
SAMPLED = "tests/privacy/test_sampled.py::"

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
        "a plain interval near the threshold",
        "mechanism/intervals.py",
        (
            (
                "return np.maximum(lowest_plausible_count(values, rule, minimum) // unit, minimum), -",
                "return np.maximum(values - width, 1), -",
            ),
        ),
        RELEASE + "test_intervals_of_shown_items_hold_the_truth",
    ),
    Bug(
        "what sampling took away is not taken from epsilon",
        "mechanism/strategy.py",
        (("later=self.later + selection.epsilon", "later=self.later"),),
        WEIGHTED + "test_what_sampling_takes_away_is_paid_for",
    ),
    Bug(
        "a sample's intervals do not allow for people who have far more",
        "mechanism/undone.py",
        (("hidden = np.minimum(sample.hidden,", "hidden = np.minimum(0.0,"),),
        "tests/mechanism/test_undone.py::test_upper_ends_alone_allow_for_hidden_people",
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
        (("bounded.number + int(entropy.draw(noise_distribution(self.scalar_event), 1)[0])", "bounded.number"),),
        EXACTLY + "test_a_number_beside_clipped_counts",
    ),
    Bug(
        "the choice of a bound is not taken from epsilon",
        "mechanism/strategy.py",
        (("return Cost(self.budget.epsilon - self.price - self.reserved, self.budget.delta)", "return self.budget"),),
        COMPOSED + "test_known_items",
    ),
    Bug(
        "a second profile is not taken from epsilon",
        "mechanism/strategy.py",
        (("return self.later + (", "return 0 * self.later + ("),),
        FOUND + "test_choices_and_counts_never_add_up_to_more",
    ),
    Bug(
        "counting people is not taken from epsilon",
        "mechanism/strategy.py",
        (("self.later + (self.people_count.epsilon if self.people_count else 0)", "self.later"),),
        SAMPLED + "test_counting_people_is_paid_for",
    ),
]
