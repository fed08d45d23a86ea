"""Planted bugs in distributions over people's rows."""

from tests.privacy.bug import Bug

SELECTED = "tests/mechanism/test_selected.py::"
DISTRIBUTED = "tests/privacy/test_distributed.py::"

BUGS = [
    Bug(
        "recentred: a mean priced for a person who is removed, not replaced",
        "mechanism/distribution/recentred.py",
        (("Fraction((changed * UNIT) ** 2)", "Fraction(changed * UNIT**2)"),),
        DISTRIBUTED + "test_what_one_person_changes_is_what_the_noise_is_for[1]",
    ),
    Bug(
        "recentred: distances priced for one bin, where a replaced person changes two",
        "mechanism/distribution/recentred.py",
        (("Fraction(changed * PART**2), changed", "Fraction(PART**2), changed"),),
        DISTRIBUTED + "test_what_one_person_changes_is_what_the_noise_is_for[1]",
    ),
    Bug(
        "recentred: the mass priced for one draw of a person",
        "mechanism/distribution/recentred.py",
        (("(bounding.max_total * bounding.unit) ** 2", "bounding.unit**2"),),
        DISTRIBUTED + "test_what_one_person_changes_is_what_the_noise_is_for[2]",
    ),
    Bug(
        "recentred: people beyond the distance are not drawn in",
        "mechanism/distribution/recentred.py",
        (("np.maximum(self._distances, radius)", "radius"),),
        DISTRIBUTED + "test_what_one_person_changes_is_what_the_noise_is_for[1]",
    ),
    Bug(
        "recentred: who drew much is weighed down in distances alone",
        "mechanism/distribution/recentred.py",
        (("CENTRE * self._share / np.maximum", "CENTRE / np.maximum"),),
        DISTRIBUTED + "test_what_one_person_changes_is_what_the_noise_is_for[1]",
    ),
    Bug(
        "recentred: distances of who drew much count for all that they drew",
        "mechanism/distribution/recentred.py",
        (("np.floor(self._share * self._sizes", "np.floor(self._sizes"), ("np.minimum(parts, PART)", "parts")),
        DISTRIBUTED + "test_what_one_person_changes_is_what_the_noise_is_for[1]",
    ),
    Bug(
        "recentred: weights rounded up",
        "mechanism/distribution/recentred.py",
        (("np.floor(ROUNDING_GUARD * UNIT", "np.ceil(ROUNDING_GUARD * UNIT"),),
        DISTRIBUTED + "test_what_one_person_changes_is_what_the_noise_is_for[1]",
    ),
    Bug(
        "recentred: distances paid for in one round",
        "mechanism/distribution/recentred.py",
        (("*([(self.distances, of_bins(PART))] * len(ROUND_SHARES)),", "(self.distances, of_bins(PART)),"),),
        DISTRIBUTED + "test_every_draw_is_paid_for[recentred-3-add-remove]",
    ),
    Bug(
        "recentred: how much people differ, without noise",
        "mechanism/distribution/recentred.py",
        (("people.energy(radius) + _draw(self.energy, 1, entropy)[0]", "people.energy(radius)"),),
        DISTRIBUTED + "test_every_draw_is_paid_for[recentred-3-add-remove]",
    ),
    Bug(
        "distribution: private sizes taken as public ones",
        "mechanism/distribution/strategy.py",
        (("return PublicDrawn if self.public else MostDrawn", "return PublicDrawn"),),
        DISTRIBUTED + "test_public_sizes_cost_nothing_and_private_ones_do[add-remove]",
    ),
    Bug(
        "selected: a replaced person priced as a removed one",
        "mechanism/distribution/selected.py",
        (("min(cells, changed_people(neighbours) * bounding.max_total)", "min(cells, bounding.max_total)"),),
        DISTRIBUTED + "test_scores_change_by_one_and_of_few_items[ks-1-replace]",
    ),
    Bug(
        "selected: twice the rate",
        "mechanism/distribution/selected.py",
        (("        return self.event.epsilon / 2\n", "        return self.event.epsilon\n"),),
        SELECTED + "test_choices_are_pure_and_all_is_used[1-ks-add-remove]",
    ),
    Bug(
        "selected: people counted without noise",
        "mechanism/distribution/selected.py",
        (
            (
                "many + int(entropy.draw(noise_distribution(self.people), 1)[0])",
                "many + 0 * int(entropy.draw(noise_distribution(self.people), 1)[0])",
            ),
        ),
        SELECTED + "test_everything_that_is_counted[ks-add-remove]",
    ),
    Bug(
        "selected: presence is not paid for",
        "mechanism/distribution/selected.py",
        (("((self.people, of_number(1)), (self.presence, presence))", "((self.people, of_number(1)),)"),),
        DISTRIBUTED + "test_every_draw_is_paid_for[sparse-3-add-remove]",
    ),
    Bug(
        "selected: presence priced for one item of a person",
        "mechanism/distribution/selected.py",
        (("(PRESENCE_SHARE, Fraction(count), count)", "(PRESENCE_SHARE, Fraction(1), count)"),),
        DISTRIBUTED + "test_presence_changes_by_what_is_paid_for[2-add-remove]",
    ),
    Bug(
        "recentred: the mass has no noise",
        "mechanism/distribution/recentred.py",
        (
            (
                "int(bounded.totals.sum()) + _draw(self.mass, 1, entropy)[0]",
                "int(bounded.totals.sum()) + 0 * _draw(self.mass, 1, entropy)[0]",
            ),
        ),
        DISTRIBUTED + "test_nothing_but_noisy_numbers_decides_what_is_told[add-remove]",
    ),
    Bug(
        "recentred: means have no noise",
        "mechanism/distribution/recentred.py",
        (("people.mean(radius) + _draw(event", "people.mean(radius) + 0 * _draw(event"),),
        DISTRIBUTED + "test_nothing_but_noisy_numbers_decides_what_is_told[add-remove]",
    ),
    Bug(
        "recentred: one draw for all items",
        "mechanism/distribution/recentred.py",
        (("_draw(event, len(bounded.items), entropy)", "_draw(event, 1, entropy)"),),
        DISTRIBUTED + "test_nothing_but_noisy_numbers_decides_what_is_told[add-remove]",
    ),
    Bug(
        "recentred: one draw for all distances",
        "mechanism/distribution/recentred.py",
        (("_draw(self.distances, len(radii), entropy)", "_draw(self.distances, 1, entropy)"),),
        DISTRIBUTED + "test_nothing_but_noisy_numbers_decides_what_is_told[add-remove]",
    ),
    Bug(
        "recentred: how much people differ has no noise",
        "mechanism/distribution/recentred.py",
        (("people.energy(radius) + _draw(self.energy", "people.energy(radius) + 0 * _draw(self.energy"),),
        DISTRIBUTED + "test_nothing_but_noisy_numbers_decides_what_is_told[add-remove]",
    ),
]
