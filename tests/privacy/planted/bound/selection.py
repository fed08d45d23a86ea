"""Planted bugs in the private selection of a bound."""

from tests.privacy.bug import Bug

EXACTLY = "tests/privacy/test_mechanisms.py::"
PAYS = "tests/mechanism/test_pays.py::"
WEIGHTED = "tests/mechanism/test_weighted.py::"
PROFILE = "tests/bound/test_profile.py::"
LOSS = "tests/bound/test_loss.py::"
HEAVY = "tests/bound/test_heavy.py::"
CHOICES = "tests/bound/test_choices.py::"
PLUME = "tests/mechanism/test_plume.py::"
SAMPLED = "tests/privacy/test_sampled.py::"
DISTRIBUTED = "tests/privacy/test_distributed.py::"

BUGS = [
    Bug(
        "plume: items are discovered with noise for another sample",
        "bound/selection/plume.py",
        (("    if not allows(how, of_contributions(kept.sensitivity), how.neighbours):\n", "    if False:\n"),),
        PAYS + "test_items_are_discovered_with_noise_for_the_sample",
    ),
    Bug(
        "rare items are forgotten",
        "bound/selection/by_load.py",
        (("start=rare - kept", "start=-kept"),),
        CHOICES + "test_rare_items_cost_what_is_left_of_them",
    ),
    Bug(
        "what sampling took away is not told to the ledger",
        "bound/selection/one_number.py",
        (("return (Laplace(self.scale, Fraction(self.sensitivity)),)", "return ()"),),
        WEIGHTED + "test_what_sampling_takes_away_is_paid_for",
    ),
    Bug(
        "what sampling took away is not cut",
        "bound/selection/loss.py",
        (
            (
                "np.clip(statistics.sizes - self.sampled.max_items, 0, self.sampled.cut)",
                "np.maximum(statistics.sizes - self.sampled.max_items, 0)",
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
        (("max_beside_few(float(noisy)", "max_beside_few(float(people)"),),
        HEAVY + "test_intervals_allow_for_people_who_may_have_far_more",
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
        (("return [self.max_items * int(length) for", "return [self.max_items * int(length) // 2 for"),),
        CHOICES + "test_two_costs_differ_by_what_is_stated_at_most",
    ),
    Bug(
        "the slope above the threshold is forgotten",
        "bound/selection/by_load.py",
        (("return [(1 + SLOPE) * UNIT * candidate for", "return [UNIT * candidate // 2 for"),),
        CHOICES + "test_generalized_scores_change_by_1_at_most",
    ),
    Bug(
        "plume: a replaced person priced as a removed one",
        "bound/selection/plume.py",
        (
            (
                "round_up(changed_people(self.neighbours) * max_items / (2 * self.rho))",
                "round_up(max_items / (2 * self.rho))",
            ),
        ),
        PLUME + "test_every_bound_that_may_be_chosen_has_a_mechanism",
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
        (("self.delta, items=max_items, largest=1)", "self.delta, items=1, largest=1)"),),
        PLUME + "test_where_the_budget_goes",
    ),
    Bug(
        "plume: nothing is cut to m' before counting",
        "bound/selection/plume.py",
        (("return self.sampled.bound(", "return SampledItems(10**6).bound("),),
        PLUME + "test_what_was_found_is_counted_among_all_that_people_have",
    ),
    Bug(
        "the number of people with noise / 1.1",
        "bound/selection/people.py",
        (("self.noisy(count, entropy)", "PeopleCount(self.epsilon * 11 / 10).noisy(count, entropy)"),),
        SAMPLED + "test_how_many_people_there_are",
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
]
