"""Planted bugs in the largest items and their counts."""

from tests.privacy.bug import Bug

ESTIMAND = "tests/usability/test_what_intervals_are_for.py::test_wherever_somebody_looks"
FOUND = "tests/mechanism/test_count_release.py::"
FOUND_EXACTLY = "tests/privacy/test_count_release.py::"

BUGS = [
    Bug(
        "sums that were cut, called true",
        "mechanism/topk/count_release.py",
        (('return "bounded" if isinstance(self.bounding, TopSums) else "true"', 'return "true"'),),
        ESTIMAND + "[events, one after another]",
    ),
    Bug(
        "count release: a replaced person moves ranks and counts apart by one only",
        "mechanism/topk/levels.py",
        (("        return changed_people(self.neighbours)\n", "        return 1\n"),),
        FOUND_EXACTLY + "test_the_lemmas_by_formula",
    ),
    Bug(
        "count release: the bottom does not weigh for all that are listed",
        "mechanism/topk/levels.py",
        (("return self.max_items / self.chance", "return 1 / self.chance"),),
        FOUND_EXACTLY + "test_items_alone[2-0.8-add-remove]",
    ),
    Bug(
        "count release: the bottom forgets the next item",
        "mechanism/topk/search.py",
        (("stop = level.margin + self._next", "stop = level.margin"),),
        FOUND_EXACTLY + "test_items_alone[1-0.8-add-remove]",
    ),
    Bug(
        "count release: the heavier bottom is not paid for",
        "mechanism/topk/levels.py",
        (("round_up(self.margin * self.rate + more)", "round_up(self.margin * self.rate)"),),
        FOUND_EXACTLY + "test_the_range_needs_what_is_added_to_the_rate",
    ),
    Bug(
        "count release: the selection of the bottom is free",
        "mechanism/topk/search.py",
        (("times=min(len(order) + 1, max_items)", "times=len(order)"),),
        FOUND + "test_whatever_is_found_is_paid_for_before",
    ),
    Bug(
        "count release: levels do not pay for their chance",
        "mechanism/topk/levels.py",
        (("return () if self.each_pays else (Guarantee(Fraction(0), self.chance),)", "return ()"),),
        FOUND + "test_whatever_is_found_is_paid_for_before",
    ),
    Bug(
        "count release: counts are paid once per level",
        "mechanism/topk/count_release.py",
        (("budget.charge(*level.counted, times=len(values))", "budget.charge(*level.counted)"),),
        FOUND + "test_whatever_is_found_is_paid_for_before",
    ),
    Bug(
        "count release: the last measurement is free",
        "mechanism/topk/count_release.py",
        (
            (
                "budget.charge(level.noise(variance), times=len(rough))",
                "budget.charge(level.noise(variance), times=len(rough) * (times > 2))",
            ),
        ),
        FOUND + "test_whatever_is_found_is_paid_for_before",
    ),
    Bug(
        "count release: more is looked for than can be counted",
        "mechanism/topk/search.py",
        (("self.budget.times(*level.selected, *level.counted)", "self.budget.times(*level.selected)"),),
        FOUND + "test_a_race_ends_where_the_budget_does",
    ),
    Bug(
        "count release: what is found stays in the race",
        "mechanism/topk/search.py",
        (
            ("        self._left = np.delete(self._left, order)\n", ""),
            ("        np.subtract.at(self._members, self._group[found], 1)\n", ""),
        ),
        FOUND + "test_whatever_is_found_is_paid_for_before",
    ),
    Bug(
        "count release: measured again by the true count",
        "mechanism/topk/count_release.py",
        (
            (
                "self._too_rough(weighed[rough] / precision[rough], precision[rough])",
                "self._too_rough(values[rough] * 1.0, precision[rough])",
            ),
        ),
        FOUND + "test_decisions_depend_on_what_was_released_alone",
    ),
    Bug(
        "count release: all of delta is spent twice",
        "mechanism/topk/count_release.py",
        (("delta = budget.delta / 2", "delta = budget.delta"),),
        FOUND + "test_half_of_delta_is_for_what_the_steps_have_together",
    ),
    Bug(
        "count release: sums get the noise of counts",
        "mechanism/topk/count_release.py",
        (("return DiscreteGaussian(variance * self.bounding.parts**2)", "return DiscreteGaussian(variance)"),),
        FOUND + "test_sums_are_paid_for_before",
    ),
]
