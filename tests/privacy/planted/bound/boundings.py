"""Planted bugs in boundings: what one person may change at most."""

from tests.privacy.bug import Bug

BOUND = "tests/bound/test_bounding.py::"
NUMBERS = "tests/bound/test_by_number.py::"
EXACTLY = "tests/privacy/test_mechanisms.py::"
PAYS = "tests/mechanism/test_pays.py::"
WEIGH = "tests/bound/test_weigh.py::"
ROUNDS = "tests/mechanism/test_rounds.py::"
JOINT = "tests/mechanism/test_joint.py::"
MEASURE = "tests/bound/test_measure.py::"
FOUND = "tests/mechanism/test_count_release.py::"
DRAWS = "tests/bound/test_draws.py::"
DISTRIBUTED = "tests/privacy/test_distributed.py::"
VECTORS = "tests/bound/test_vectors.py::"
FEW = "tests/mechanism/test_few_totals.py::"

BUGS = [
    Bug(
        "stability: a replaced person changes as much as a removed one",
        "bound/stability.py",
        (('added.change("replace").within(cells)', "added"),),
        PAYS + "test_sums_of_as_many_copies",
    ),
    Bug(
        "stability: a threshold pays for any number of items",
        "bound/stability.py",
        (("own.total <= event.bound and ", ""),),
        PAYS + "test_a_sample_of_a_hundred_with_noise_for_one",
    ),
    Bug(
        "stability: vectors of any direction differ by the root of two",
        "bound/stability.py",
        (("for each in (norm, 2 * norm))", "for each in (norm, norm))"),),
        PAYS + "test_vectors_of_any_direction_differ_by_twice_their_norm",
    ),
    Bug(
        "a replaced person is bounded like a removed one: C instead of 2C",
        "bound/bounded.py",
        (("return Sensitivity(2 * self.items, self.largest, 2 * self.total, 2 * self.squared)", "return self"),),
        EXACTLY + "test_clipped_laplace[people-replace]",
    ),
    Bug(
        "a short list where only events are counted in full",
        "bound/boundings/listed.py",
        (("        assert contributions.once", "        assert True or contributions.once"),),
        "tests/bound/test_listed.py::test_events_are_refused",
    ),
    Bug(
        "support before bounding",
        "bound/pairs/engine_pairs.py",
        (("kept.filter(kept[TOTAL] > 0).mutate(", "kept.mutate("),),
        BOUND + "test_nothing_is_left_of_an_item_that_nobody_keeps",
    ),
    Bug(
        "the first k instead of a hashed choice",
        "bound/pairs/engine_pairs.py",
        (('start=people["hash"] %', 'start=0 * people["hash"] %'),),
        BOUND + "test_every_choice_is_equally_likely",
    ),
    Bug(
        "everybody starts alike: the person is not hashed",
        "bound/pairs/keyed_hash.py",
        (("ibis.literal(secret.hex()) + spelled(people[USER])", "ibis.literal(secret.hex())"),),
        BOUND + "test_people_and_secrets_choose_differently",
    ),
    Bug(
        "the secret is not hashed",
        "bound/pairs/keyed_hash.py",
        (("ibis.literal(secret.hex())", 'ibis.literal("")'),),
        BOUND + "test_people_and_secrets_choose_differently",
    ),
    Bug(
        "one item too many is kept",
        "bound/boundings/sample.py",
        (("where(left_over >= self.max_items", "where(left_over > self.max_items"),),
        BOUND + "test_the_bound_holds_on_the_table",
    ),
    Bug(
        "sorted here: support before bounding",
        "bound/pairs/encoded_pairs.py",
        ((".filter(arrow(totals > 0))", ""),),
        BOUND + "test_nothing_is_left_of_an_item_that_nobody_keeps",
    ),
    Bug(
        "sorted here: who is just above the bound is not cut",
        "bound/pairs/encoded_pairs.py",
        (("many = sizes > excess.max_items", "many = sizes > excess.max_items + 1"),),
        NUMBERS + "test_people_come_a_few_at_a_time",
    ),
    Bug(
        "sorted here: scaled people may have any number of items",
        "bound/pairs/encoded_pairs.py",
        (("] = _cut(chunk, excess, hashed)[1] > 0", "] = False"),),
        NUMBERS + "test_people_come_a_few_at_a_time",
    ),
    Bug(
        "one event too many is kept",
        "bound/boundings/sample.py",
        (("quotient(upto * self.max_items + start, size)", "quotient(upto * (self.max_items + 1) + start, size)"),),
        BOUND + "test_the_bound_holds_on_the_table",
    ),
    Bug(
        "bounding counts everybody's rows, not the person's",
        "bound/pairs/engine_pairs.py",
        (
            (
                "return ibis.row_number().over(group_by=USER, order_by=items) + 1",
                "return ibis.row_number().over(order_by=items) + 1",
            ),
        ),
        BOUND + "test_what_is_kept_of_a_person_is_their_own_affair",
    ),
    Bug(
        "shares rounded to the nearest",
        "bound/boundings/scale.py",
        (("floor(share)", "floor(share + 0.5)"),),
        BOUND + "test_the_bound_holds_on_the_table",
    ),
    Bug(
        "shrunk to the sum where the size was meant",
        "bound/boundings/scale.py",
        (('Excess("squares", self', 'Excess("total", self'),),
        BOUND + "test_the_bound_holds_on_the_table",
    ),
    Bug(
        "weights by the fourth root",
        "bound/boundings/weighted.py",
        (
            (
                "* ROUNDING_GUARD) / root(size))",
                "* ROUNDING_GUARD) / root(root(size)))",
            ),
        ),
        WEIGH + "test_the_norm_is_attained_both_times",
    ),
    Bug(
        "weights rounded up",
        "bound/boundings/weighted.py",
        (
            (
                "* ROUNDING_GUARD) / root(size))",
                "* ROUNDING_GUARD) / root(size) + 1)",
            ),
        ),
        WEIGH + "test_nobody_adds_more_than_is_said",
    ),
    Bug(
        "scaled people may have any number of items",
        "bound/boundings/weighted.py",
        (
            (
                "return pairs if self.largest > 1 else pairs.without(SampledItems(self.max_items).formula(secret))",
                "return pairs",
            ),
        ),
        WEIGH + "test_of_too_many_items_so_many_are_kept_and_count_as_if_there_were_no_more",
    ),
    Bug(
        "events of rare items are kept",
        "bound/boundings/weighted.py",
        (("return where(self._few(count, size), scaled, 0)", "return scaled"),),
        WEIGH + "test_a_person_with_a_billion_events_adds_no_more_than_anybody",
    ),
    Bug(
        "second look: what is clipped from one person is not cut",
        "bound/boundings/shown.py",
        (("floor(cut_at(sums - kept, cut) *", "floor((sums - kept) *"),),
        WEIGH + "test_what_is_clipped_from_one_person_is_cut",
    ),
    Bug(
        "rounds: all of a person's items are kept",
        "bound/boundings/rounds.py",
        (("kept = pairs.without(SampledItems(self.max_items).formula(secret))", "kept = pairs"),),
        ROUNDS + "test_nobody_adds_more_than_is_said_in_any_round",
    ),
    Bug(
        "rounds: weight of the shown items goes to the others",
        "bound/boundings/rounds.py",
        (
            (
                "return Split(self.squared, self.unit, part, bound)",
                "return Split(4 * self.squared, self.unit, part, bound)",
            ),
        ),
        ROUNDS + "test_weight_goes_to_what_is_not_shown",
    ),
    Bug(
        "joint: shown items come on top of a person's weight",
        "bound/boundings/rounds.py",
        (("_each(self.squared - shown * each * each, where", "_each(self.squared - 0 * each, where"),),
        JOINT + "test_one_person_side_by_side",
    ),
    Bug(
        "joint: the same on the engine",
        "bound/pairs/engine_pairs.py",
        (('division.of_others(people["many"],', 'division.of_others(0 * people["many"],'),),
        JOINT + "test_one_person_side_by_side",
    ),
    Bug(
        "joint: nobody's shown items are scaled",
        "bound/boundings/rounds.py",
        (("many = shown > self.bound\n", "many = shown > 10**6 * self.bound\n"),),
        JOINT + "test_one_person_side_by_side",
    ),
    Bug(
        "joint: units that are rounded up",
        "bound/boundings/rounds.py",
        (("root_of_each - 1, root_of_each)", "root_of_each + 1, root_of_each + 1)"),),
        JOINT + "test_one_person_side_by_side",
    ),
    Bug(
        "joint: any split is taken",
        "bound/boundings/rounds.py",
        (("if not (0 <= self.part <= self.squared and", "if not (True and"),),
        JOINT + "test_more_than_a_person_has_is_refused",
    ),
    Bug(
        "groups: how far norms exceed a bound, with no limit for one person",
        "bound/pairs/vectors.py",
        (
            (
                "lambda norm, _: clipped_part(norm, norm, bound, limit, units)",
                "lambda norm, _: truncated(where(norm > bound, norm - bound, 0.0) / limit * units)",
            ),
        ),
        VECTORS + "test_the_units_are_attained[by number]",
    ),
    Bug(
        "groups: how far norms exceed a bound is measured from the totals' limit on an engine",
        "bound/pairs/vectors.py",
        (
            (
                "lambda norm, _: clipped_part(norm, norm, bound, limit, units)",
                "lambda norm, _: clipped_part(norm, norm, bound, limit, 2 * units)",
            ),
        ),
        VECTORS + "test_the_units_are_attained[on the engine]",
    ),
    Bug(
        "few totals: people scaled to the root of squares on an engine, and Laplace noise",
        "bound/pairs/vectors_on_engine.py",
        (("values.abs().sum() if order == 1 else", "values.abs().sum() if order == 0 else"),),
        FEW + "test_one_person_adds_what_the_noise_is_for[sum-on the engine-huge-add-remove]",
    ),
    Bug(
        "groups: nobody is scaled",
        "bound/pairs/vectors.py",
        (
            (
                "return truncated(values * (float(units) * NORM_GUARD) / divisor)",
                "return truncated(values * (float(units) * NORM_GUARD) / float(bound))",
            ),
        ),
        VECTORS + "test_the_units_are_attained[by number]",
    ),
    Bug(
        "groups: a norm without its guard",
        "bound/pairs/vectors.py",
        (("NORM_GUARD = 1 - 2.0**-20", "NORM_GUARD = 1.0"),),
        VECTORS + "test_the_guard_makes_up_for_sums_of_very_many_squares",
    ),
    Bug(
        "groups: negative amounts rounded away from zero",
        "bound/pairs/arithmetic.py",
        (("        return numbers.astype(np.int64)\n", "        return floor(numbers)\n"),),
        VECTORS + "test_vectors_against_plain_arithmetic[by number]",
    ),
    Bug(
        "groups: what is clipped is cut on one side only",
        "bound/pairs/vectors.py",
        (("where(lost > limit, limit, where(lost < -limit, -limit, lost))", "where(lost > limit, limit, lost)"),),
        VECTORS + "test_the_units_are_attained[by number]",
    ),
    Bug(
        "groups: people scaled by the largest norm of their chunk",
        "bound/pairs/vectors.py",
        (
            (
                "norms = np.ceil(powers if order == 1 else np.sqrt(powers))",
                "norms = np.full_like(powers, np.ceil(np.sqrt(powers.max(initial=0))))",
            ),
        ),
        VECTORS + "test_other_people_change_nothing",
    ),
    Bug(
        "groups: a norm that an engine puts into an integer",
        "bound/pairs/vectors_on_engine.py",
        (("ibis.least(norm, ALL_WHOLE).ceil()", "norm.ceil()"),),
        VECTORS + "test_a_norm_that_no_integer_holds[on the engine]",
    ),
    Bug(
        "groups: each group scaled alone on an engine",
        "bound/pairs/vectors_on_engine.py",
        (
            (
                "pairs = entries.join(_norms(entries, vector.order).select(USER, NORM), USER)",
                "pairs = entries.mutate(**{NORM: entries[VALUE].abs()})",
            ),
        ),
        VECTORS + "test_the_units_are_attained[on the engine]",
    ),
    Bug(
        "groups: a row without an amount has one",
        "bound/pairs/vectors.py",
        (("chunk = chunk.with_number(vector.column) if vector.of_column else chunk", "pass"),),
        VECTORS + "test_rows_without_an_amount_count_for_people_and_events_alone[by number]",
    ),
    Bug(
        "groups: a row without an amount has one, on an engine",
        "bound/pairs/vectors_on_engine.py",
        (("rows = rows.filter(rows[amount].notnull()) if vector.of_column else rows", "pass"),),
        VECTORS + "test_rows_without_an_amount_count_for_people_and_events_alone[on the engine]",
    ),
    Bug(
        "second look: nobody is scaled",
        "bound/boundings/shown.py",
        (
            (
                "return where(floating(size) <= float(bound_squared), count * self.unit(bound_squared), shrunk)",
                "return where(floating(size) < 0, shrunk, count * self.unit(bound_squared))",
            ),
        ),
        WEIGH + "test_nobody_adds_more_the_second_time",
    ),
    Bug(
        "second look: everybody is scaled as the person who has least",
        "bound/pairs/encoded_pairs.py",
        (("each = share(squares, np.ones", "each = share(np.full_like(squares, squares.min(initial=2**62)), np.ones"),),
        WEIGH + "test_a_second_look_against_plain_arithmetic",
    ),
    Bug(
        "second look: shares rounded up",
        "bound/boundings/shown.py",
        (("/ root(floating(size)))", "/ root(floating(size)) + 1)"),),
        WEIGH + "test_many_large_counts_of_one_person_stay_within_the_norm",
    ),
    Bug(
        "second look: other items count as well",
        "bound/pairs/encoded_pairs.py",
        (("flags = np.zeros(len(self.pairs.items) + 1", "flags = np.ones(len(self.pairs.items) + 1"),),
        WEIGH + "test_a_second_look_against_plain_arithmetic",
    ),
    Bug(
        "second look on an engine: sizes are those over all items",
        "bound/pairs/engine_pairs.py",
        (
            (
                "people = each_once(only.persons)\n            counted",
                "people = each_once(self.contributions.persons)\n            counted",
            ),
        ),
        WEIGH + "test_a_second_look_against_plain_arithmetic",
    ),
    Bug(
        "second look: people without anything shown are in the profile",
        "bound/pairs/encoded_pairs.py",
        (("            people[:1] = 0\n", ""),),
        WEIGH + "test_a_second_look_against_plain_arithmetic",
    ),
    Bug(
        "second look: a person counts twice among those who have far more",
        "bound/boundings/shown.py",
        (
            (
                "return int(self.people[self.squares > size].sum())",
                "return 2 * int(self.people[self.squares > size].sum())",
            ),
        ),
        EXACTLY + "test_each_part_of_the_second_measurement",
    ),
    Bug(
        "a number beside the counts is not cut",
        "bound/pairs/engine_pairs.py",
        (('cut_at(people[TOTAL].cast("float64"), cut).cast("int64")', 'people[TOTAL].cast("int64")'),),
        MEASURE + "test_nobody_adds_more_than_the_cut",
    ),
    Bug(
        "amounts are not cut at the limit",
        "bound/boundings/top.py",
        (
            (
                "cut = ibis.least(pairs[AMOUNT if self.of == AMOUNT else COUNT], self.each * self._grid)",
                "cut = pairs[AMOUNT if self.of == AMOUNT else COUNT]",
            ),
        ),
        FOUND + "test_nobody_adds_more_than_the_limit",
    ),
    Bug(
        "exact draws: who has fewer is kept",
        "bound/boundings/draws.py",
        (
            ("np.repeat(sizes == self.max_total", "np.repeat(sizes <= self.max_total"),
            ("[sizes >= self.max_total])", "[sizes > 0])"),
        ),
        DRAWS + "test_exactly_so_many_draws_of_everybody",
    ),
    Bug(
        "exact draws: the first ones in the place of hashed ones",
        "bound/boundings/draws.py",
        (("np.argsort(numbers + (person", "np.argsort(0 * numbers + (person"),),
        DISTRIBUTED + "test_every_part_of_a_persons_draws_is_equally_likely[1]",
    ),
    Bug(
        "exact draws: equal numbers in the engine's order",
        "bound/boundings/draws.py",
        (
            (
                "        indices, counts, sizes = indices[ordered], counts[ordered], of_each(counts, starts)",
                "        sizes = of_each(counts, starts) + 0 * ordered.sum()",
            ),
        ),
        DISTRIBUTED + "test_draws_of_equal_numbers_are_told_apart_by_what_they_are",
    ),
]
