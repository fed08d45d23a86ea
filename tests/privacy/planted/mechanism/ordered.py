"""Planted bugs in quantiles and ranges."""

from tests.privacy.bug import Bug

SAMPLED = "tests/privacy/test_sampled.py::"
ORDERED = "tests/privacy/test_ordered.py::"

BUGS = [
    Bug(
        "tree: counts of samples shown one below the threshold",
        "mechanism/ordered/hierarchy.py",
        (("np.where(kept >= self.event.threshold, kept, 0)", "np.where(kept >= self.event.threshold - 1, kept, 0)"),),
        ORDERED + "test_a_tree_of_samples[3-add-remove]",
    ),
    Bug(
        "tree: one sample for all levels",
        "mechanism/ordered/hierarchy.py",
        (
            (
                "for totals in self.shape.totals(bounded.totals))",
                "for totals in self.shape.totals(entropy.thin(bounded.totals, self.event.rate)))",
            ),
            ("kept = entropy.thin(totals, self.event.rate)", "kept = totals"),
        ),
        SAMPLED + "test_one_sample_for_two_levels",
    ),
    Bug(
        "tree: samples for one level only",
        "mechanism/ordered/strategy.py",
        (("if self.searching else shape.levels", "if self.searching else 1"),),
        ORDERED + "test_a_tree_of_samples[17-add-remove]",
    ),
    Bug(
        "tree: noise for one level only",
        "mechanism/ordered/hierarchy.py",
        (("changed_people(neighbours) * shape.levels", "changed_people(neighbours)"),),
        ORDERED + "test_a_tree_with_laplace_noise[add-remove]",
    ),
    Bug(
        "tree: noise for a removed person where one is replaced",
        "mechanism/ordered/hierarchy.py",
        (("changed_people(neighbours) * shape.levels", "shape.levels"),),
        ORDERED + "test_the_sensitivity_of_a_tree_is_attained[16-7-replace]",
    ),
    Bug(
        "tree: noise / 1.1",
        "mechanism/ordered/hierarchy.py",
        (
            (
                "totals + entropy.draw(self.distribution, len(totals))",
                "totals + entropy.draw(self.distribution, len(totals)) * 10 // 11",
            ),
        ),
        ORDERED + "test_a_tree_with_laplace_noise[add-remove]",
    ),
    Bug(
        "search: noise for one round only",
        "mechanism/ordered/binary_search.py",
        (("len(q) * rounds(cells)\n    return", "len(q)\n    return"),),
        ORDERED + "test_a_search_with_laplace_noise[odd-add-remove]",
    ),
    Bug(
        "search: a replaced person's noise is that of a removed one",
        "mechanism/ordered/binary_search.py",
        ((' if neighbours == "add-remove" else Fraction(1)', ""),),
        ORDERED + "test_the_sensitivity_of_a_search_is_attained[q0-replace]",
    ),
    Bug(
        "search: the next cut follows from what was not released",
        "mechanism/ordered/binary_search.py",
        (("else left > 0", "else upto[cuts[-1]] > q * upto[-1]"),),
        ORDERED + "test_a_search_with_laplace_noise[odd-add-remove]",
    ),
]
