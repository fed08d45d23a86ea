"""Planted bugs in the stages that families share: clipped and weighted counts, rounds, second measurements."""

from tests.privacy.bug import Bug

EXACTLY = "tests/privacy/test_mechanisms.py::"
WEIGHTED = "tests/mechanism/test_weighted.py::"
ROUNDS = "tests/mechanism/test_rounds.py::"
JOINT = "tests/mechanism/test_joint.py::"
GROUPS = "tests/mechanism/test_groups.py::"

BUGS = [
    Bug(
        "clipped noise / 1.1",
        "mechanism/stages/clipped.py",
        (
            (
                "entropy.draw(self.distribution, len(bounded.totals))",
                "entropy.draw(self.distribution, len(bounded.totals)) * 10 // 11",
            ),
        ),
        EXACTLY + "test_clipped_laplace[people-replace]",
    ),
    Bug(
        "the same noise for every item",
        "mechanism/stages/clipped.py",
        (("entropy.draw(self.distribution, len(bounded.totals))", "entropy.draw(self.distribution, 1)"),),
        EXACTLY + "test_clipped_laplace[people-replace]",
    ),
    Bug(
        "of a sample of public items, noise is for one item less",
        "mechanism/stages/clipped.py",
        (("laplace_scale(budget.epsilon, total)", "laplace_scale(budget.epsilon, max(total - 1, 1))"),),
        EXACTLY + "test_a_sample_of_public_items[replace]",
    ),
    Bug(
        "weighted: the second totals are not told to the ledger",
        "mechanism/stages/weighted.py",
        (
            (
                "*(self.second.payments(self.max_totals) if self.second else ()))",
                "*(self.second.payments(self.max_totals)[:2] if self.second else ()))",
            ),
        ),
        WEIGHTED + "test_everything_is_paid_for",
    ),
    Bug(
        "weighted: the second totals without noise",
        "mechanism/stages/second.py",
        (("shown.totals(bound) + _noise(self.totals, len(first.values), entropy)", "shown.totals(bound)"),),
        EXACTLY + "test_each_part_of_the_second_measurement[totals-replace-unknown]",
    ),
    Bug(
        "weighted: the clipped amount without noise",
        "mechanism/stages/second.py",
        ((" + int(_noise(self.clipped, 1, entropy)[0])", ""),),
        WEIGHTED + "test_everything_that_is_released_has_noise",
    ),
    Bug(
        "weighted: noise only in bins of the second profile where people are",
        "mechanism/stages/second.py",
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
        "mechanism/stages/second.py",
        (("shown.sizes.by_bin(starts) * self.norm", "shown.sizes.by_bin(starts) * 2 * self.norm"),),
        EXACTLY + "test_each_part_of_the_second_measurement[profile-add-remove-unknown]",
    ),
    Bug(
        "weighted: a second look in finer units than the noise is for",
        "mechanism/stages/second.py",
        (("if shown.norm > self.norm:", "if shown.norm < 0:"),),
        WEIGHTED + "test_a_second_look_in_finer_units_is_refused",
    ),
    Bug(
        "weighted: items shown by the second measurement",
        "mechanism/stages/weighted.py",
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
        "mechanism/stages/weighted.py",
        (("bounded.look_again(shown), float(", "bounded.look_again(noisy >= 0), float("),),
        WEIGHTED + "test_everything_that_is_released_has_noise",
    ),
    Bug(
        "rounds: early rounds are not told to the ledger",
        "mechanism/stages/rounds.py",
        (("for each in self.rounds), *second)", "for each in self.rounds[-1:]), *second)"),),
        ROUNDS + "test_everything_is_paid_for",
    ),
    Bug(
        "rounds: the last measurement is not told to the ledger",
        "mechanism/stages/rounds.py",
        (("for each in self.rounds), *second)", "for each in self.rounds), *second[:2])"),),
        ROUNDS + "test_everything_is_paid_for",
    ),
    Bug(
        "rounds: a threshold for the weight of one round",
        "mechanism/stages/rounds.py",
        (("sums >= weights * event.threshold", "sums >= weight * event.threshold"),),
        ROUNDS + "test_an_item_at_the_threshold_is_shown_and_one_below_is_not",
    ),
    Bug(
        "rounds: noise in the first round only",
        "mechanism/stages/rounds.py",
        (
            (
                "means.add(totals[left] + entropy.draw(noise_distribution(event), int(left.sum())), event",
                "means.add(totals[left] + (0 if index else entropy.draw(noise_distribution(event), int(left.sum()))), event",
            ),
        ),
        ROUNDS + "test_every_round_and_every_part_of_the_last_measurement_has_noise",
    ),
    Bug(
        "rounds: sums that wrap",
        "mechanism/stages/rounds.py",
        (("weight * np.clip(noisy, MIN_VALUE, LARGEST_VALUE)", "weight * noisy"),),
        ROUNDS + "test_noise_of_any_size_fits",
    ),
    Bug(
        "rounds: a last look at items that are not shown",
        "mechanism/stages/rounds.py",
        (("bounded.look_again(means.shown), first", "bounded.look_again(means.shown | True), first"),),
        ROUNDS + "test_an_item_at_the_threshold_is_shown_and_one_below_is_not",
    ),
    Bug(
        "joint: counts of shown items are not told to the ledger",
        "mechanism/stages/rounds.py",
        (("for each in self.rounds), *second)", "for each in self.rounds[:2]), *second)"),),
        JOINT + "test_everything_is_paid_for",
    ),
    Bug(
        "joint: the last measurement is not told to the ledger",
        "mechanism/stages/rounds.py",
        (("for each in self.rounds), *second)", "for each in self.rounds), *second[:2])"),),
        JOINT + "test_everything_is_paid_for",
    ),
    Bug(
        "joint: a person's shown items are priced as if they were few",
        "mechanism/stages/joint.py",
        (("        cells=MAX_SHOWN,\n", "        cells=max_items,\n"),),
        JOINT + "test_every_round_is_priced_for_what_one_person_changes",
    ),
    Bug(
        "joint: shown items without noise in later rounds",
        "mechanism/stages/joint.py",
        (
            (
                "noisy = totals + self.entropy.draw(noise_distribution(event), len(totals))",
                "noisy = totals + self.entropy.draw(noise_distribution(event), len(totals)) * ~before",
            ),
        ),
        JOINT + "test_every_measurement_has_noise",
    ),
    Bug(
        "joint: a look at items that are not shown",
        "mechanism/stages/joint.py",
        (("self.bounded.look_again(self.means.shown)", "self.bounded.look_again(self.means.shown | True)"),),
        JOINT + "test_shown_items_are_counted_after_two_rounds",
    ),
    Bug(
        "joint: weights divided by what is found without noise",
        "mechanism/stages/joint.py",
        (("self.first = self.first if index else noisy", "self.first = self.first if index else totals"),),
        JOINT + "test_the_split_follows_from_noisy_weights",
    ),
    Bug(
        "joint: more for shown items than a person has",
        "mechanism/stages/joint.py",
        (("return min(weight / self.bounding.expected, 1.0)", "return (weight / self.bounding.expected)"),),
        JOINT + "test_weights_that_do_not_fit_into_64_bits",
    ),
    Bug(
        "joint: the weight of what is not shown decides",
        "mechanism/stages/joint.py",
        (("np.maximum(self.first[self.means.shown], 0)", "np.maximum(self.first, 0)"),),
        JOINT + "test_the_weight_of_what_is_not_shown_decides_nothing",
    ),
    Bug(
        "groups: shown one below the threshold of a round",
        "mechanism/stages/rounds.py",
        (("(self._sums >= weights * event.threshold)", "(self._sums >= weights * (event.threshold - 1))"),),
        GROUPS + "test_only_shown_groups_are_looked_at",
    ),
    Bug(
        "groups: what is measured of groups that are found is not composed with finding them",
        "mechanism/stages/joint.py",
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
        "known items: the second measurement is not paid for",
        "mechanism/stages/weighted.py",
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
        "mechanism/stages/weighted.py",
        (
            (
                "(first, cells, min(bounding.max_items, cells))",
                "(first, bounding.max_items, min(bounding.max_items, cells))",
            ),
        ),
        WEIGHTED + "test_known_items_are_paid_for",
    ),
    Bug(
        "people who are not in the profile are not looked for",
        "mechanism/stages/second.py",
        (("return self.above.maximum() if self.above else", "return 0.0 if self.above else"),),
        WEIGHTED + "test_people_in_whatever_bins_are_noticed",
    ),
    Bug(
        "second look: the number of people who have far more has no noise",
        "mechanism/stages/second.py",
        (
            (
                "shown.sizes.above(far) * self.norm + int(_noise(self.far, 1, entropy)[0])",
                "shown.sizes.above(far) * self.norm",
            ),
        ),
        WEIGHTED + "test_everything_that_is_released_has_noise",
    ),
    Bug(
        "second look: the number of people who have far more is not paid for",
        "mechanism/stages/rounds.py",
        (("for each in self.rounds), *second)", "for each in self.rounds), *second[:3])"),),
        JOINT + "test_everything_is_paid_for",
    ),
]
