"""Planted bugs in sample-and-threshold."""

from tests.privacy.bug import Bug

SAMPLED = "tests/privacy/test_sampled.py::"

BUGS = [
    Bug(
        "sample: shown one below the threshold",
        "mechanism/sampled/sample_threshold.py",
        (("shown = kept >= self.event.threshold", "shown = kept >= self.event.threshold - 1"),),
        SAMPLED + "test_one_report[few-found-add-remove]",
    ),
    Bug(
        "sample: shown above the threshold, not at it",
        "mechanism/sampled/sample_threshold.py",
        (("shown = kept >= self.event.threshold", "shown = kept > self.event.threshold"),),
        SAMPLED + "test_one_report[few-found-add-remove]",
    ),
    Bug(
        "sample: reports of one person priced as one",
        "mechanism/sampled/sample_threshold.py",
        (("    items = bounding.max_items if cells is None else min(bounding.max_items, cells)\n", "    items = 1\n"),),
        SAMPLED + "test_what_a_budget_buys[theta-2-add-remove]",
    ),
]
