"""Planted bugs in prices: what events cost, how they compose, and the calibration of noise."""

from tests.privacy.bug import Bug

PRICES = "tests/account/test_prices.py::"
CALIBRATION = "tests/account/test_calibration.py::"
RELATION = "tests/account/test_relation.py::"
DELTA = "tests/privacy/test_exact_delta.py::"
EXACTLY = "tests/privacy/test_mechanisms.py::"
RECEIPT = "tests/privacy/test_receipt.py::"
WEIGHTED = "tests/mechanism/test_weighted.py::"
ROUNDS = "tests/mechanism/test_rounds.py::"
JOINT = "tests/mechanism/test_joint.py::"
SECOND = "tests/privacy/test_no_second_draw.py::"
SAMPLED = "tests/privacy/test_sampled.py::"
LEAST = "tests/account/test_least.py::"

BUGS = [
    Bug(
        "noise is as little as bisection says, whatever it costs in the end",
        "account/calibration/least.py",
        (("    while price(rounded) > most:", "    while False:"),),
        LEAST + "test_what_is_returned_is_looked_at",
    ),
    Bug(
        "noise next to noise that is enough is enough",
        "account/calibration/least.py",
        (("min(number * (1 + MARGIN)", "min(number"),),
        LEAST + "test_a_number_near_the_place_is_looked_at",
    ),
    Bug(
        "selections are no part of the receipt",
        "account/composition/receipt.py",
        (("Cost(paid.epsilon - own.epsilon, paid.delta - own.delta)", "paid"),),
        RECEIPT + "test_what_selections_cost_is_taken_from_the_price",
    ),
    Bug(
        "a receipt adds up events for other neighbours",
        "account/composition/receipt.py",
        (("        return False\n", "        pass\n"),),
        RECEIPT + "test_events_for_other_neighbours_are_not_paid_for",
    ),
    Bug(
        "the continuous Gaussian's price for discrete noise",
        "account/curves/gaussian.py",
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
        "account/curves/threshold.py",
        (("return q**k / (1 + q) if k >= 1", "return q ** (k + 1) / (1 + q) if k >= 1"),),
        DELTA + "test_laplace_threshold",
    ),
    Bug(
        "Gaussian threshold one too low",
        "account/curves/threshold.py",
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
        "account/curves/threshold.py",
        (("many_small = 1 - alone**event.bound", "many_small = 1 - alone"),),
        CALIBRATION + "test_the_worst_spread_of_a_person_is_the_one_priced",
    ),
    Bug(
        "replacing a person costs as much as removing one",
        "account/curves/threshold.py",
        (('return 2 if neighbours == "replace" else 1', "return 1"),),
        PRICES + "test_native_prices",
    ),
    Bug(
        "the common items of a replaced person are forgotten",
        "account/curves/threshold.py",
        (("cells = changed_people(event.neighbours) * event.items - alone", "cells = event.items - alone"),),
        DELTA + "test_gaussian_threshold_on_popular_items",
    ),
    Bug(
        "zCDP conversion without its correction",
        "account/curves/zcdp.py",
        (("surplus = -ball(delta).log() + (a - 1) * (1 - 1 / a).log() - a.log()", "surplus = -ball(delta).log() / 2"),),
        PRICES + "test_zcdp_there_and_back_never_gains",
    ),
    Bug(
        "a selection is charged an eighth too little",
        "account/prices/selections.py",
        (("Concentrated(event.epsilon**2 / 8", "Concentrated(event.epsilon**2 / 9"),),
        PRICES + "test_zcdp_prices",
    ),
    Bug(
        "a filter that looks after it has spent",
        "account/composition/filter.py",
        (("return rho <= self.rho_left and delta <= self.delta_left", "return self.rho_left > 0"),),
        PRICES + "test_a_filter_never_admits_more_than_its_budget",
    ),
    Bug(
        "prices for two kinds of neighbours are added up",
        "account/events/event.py",
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
        "a delta too small for any threshold",
        "account/calibration/budget.py",
        (("    if 0 < typed[1] < MIN_DELTA:", "    if False:"),),
        SECOND + "test_a_delta_that_no_threshold_could_be_computed_for_is_refused",
    ),
    Bug(
        "weighted: a replaced person priced as a removed one",
        "account/curves/threshold.py",
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
        "account/curves/threshold.py",
        (("ball(most) * tail(", "tail("),),
        WEIGHTED + "test_every_split_of_new_and_common_items",
    ),
    Bug(
        "weighted: own items add nothing to the noise that shows them",
        "account/curves/threshold.py",
        (("(most, event.threshold - adds) for", "(most, event.threshold) for"),),
        WEIGHTED + "test_every_split_of_new_and_common_items",
    ),
    Bug(
        "weighted: only a person's smallest items are looked at",
        "account/curves/threshold.py",
        (("if size >= most]", "if size <= most]"),),
        "tests/mechanism/test_rounds.py::test_the_likeliest_number_of_own_items_is_looked_at",
    ),
    Bug(
        "weighted: the second measurement is not paid for",
        "account/calibration/calibrate.py",
        (("changed * items), *noise(variance)]", "changed * items)]"),),
        WEIGHTED + "test_everything_is_paid_for",
    ),
    Bug(
        "weighted: the second profile is not paid for",
        "account/calibration/calibrate.py",
        (
            ("changed * items), *noise(variance)]", "changed * items), *noise(variance)[1:]]"),
            (
                "gaussian_delta(epsilon, event(steps), beside) <= delta",
                "gaussian_delta(epsilon, event(steps), beside[1:]) <= delta",
            ),
        ),
        WEIGHTED + "test_everything_is_paid_for",
    ),
    Bug(
        "weighted: a replaced person priced as a removed one the second time",
        "account/calibration/calibrate.py",
        (("share), Fraction(SQUARED * min(changed, cells)), ", "share), Fraction(SQUARED), "),),
        WEIGHTED + "test_each_of_the_second_measurements_is_priced_for_what_one_person_changes",
    ),
    Bug(
        "rounds: a replaced person priced as a removed one",
        "account/calibration/calibrate.py",
        (("own = [(rest * weight, Fraction(SQUARED * changed),", "own = [(rest * weight, Fraction(SQUARED),"),),
        ROUNDS + "test_everything_is_paid_for",
    ),
    Bug(
        "rounds: delta of early rounds is not taken from the last one",
        "account/calibration/calibrate.py",
        (("left - early * (index - 1)", "left"),),
        ROUNDS + "test_everything_is_paid_for",
    ),
    Bug(
        "rounds: a mean judged by the noise of all rounds, as if they were equal",
        "account/calibration/calibrate.py",
        (("round_up(squares / sum(weights) ** 2)", "round_up(noise[-1].variance / len(weights))"),),
        ROUNDS + "test_the_mean_has_the_noise_that_is_stated",
    ),
    Bug(
        "rounds: discrete noise taken for continuous noise",
        "account/curves/threshold.py",
        (("arb(k - 1) / width", "arb(k) / width"),),
        ROUNDS + "test_discrete_noise_is_at_most_continuous_noise_and_one",
    ),
    Bug(
        "joint: two rounds for the price of one",
        "account/prices/rounds.py",
        (
            (
                "return weighted_noise(event, alone=Fraction(0))",
                "return [] if type(event) is not ThresholdRound else weighted_noise(event, alone=Fraction(0))",
            ),
        ),
        JOINT + "test_every_round_is_priced_for_what_one_person_changes",
    ),
    Bug(
        "a threshold's coin is not paid for",
        "account/curves/threshold.py",
        (("coin = ball(event.coin) if isinstance(event, RandomizedThreshold) else arb(0)", "coin = arb(0)"),),
        DELTA + "test_randomized_threshold",
    ),
    Bug(
        "adaptive steps without their delta",
        "account/prices/guarantees.py",
        (("zcdp.epsilon(event.rho, extra), event.delta + extra)", "zcdp.epsilon(event.rho, extra), extra)"),),
        PRICES + "test_adaptive_steps_pay_their_delta_and_that_of_the_conversion",
    ),
    Bug(
        "a filter admits one time more",
        "account/composition/filter.py",
        (("        return min(fits)\n", "        return min(fits) + 1\n"),),
        PRICES + "test_a_filter_tells_how_often_events_fit",
    ),
    Bug(
        "sample: a rate that is a tenth too large",
        "account/calibration/rates.py",
        (("found < MIN_RATE:", "(found := found * 11 / 10) < MIN_RATE:"),),
        SAMPLED + "test_what_a_budget_buys[theta-1-add-remove]",
    ),
    Bug(
        "sample: a replaced person priced as a removed one",
        "account/curves/sampled.py",
        (('"replace": (("up", "down"),),', '"replace": (("up",), ("down",)),'),),
        SAMPLED + "test_replaced_reports[few]",
    ),
    Bug(
        "sample: the price at one person less than the worst",
        "account/curves/sampling.py",
        (
            (
                "for people in range(low, high + 1)]",
                "for people in range(low - 1, high)]",
            ),
        ),
        SAMPLED + "test_the_worst_count[tenth]",
    ),
]
