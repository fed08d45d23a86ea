"""Planted bugs in the attack tools: an audit that cannot find anything."""

from tests.privacy.bug import Bug

CHAOS = "tests/audit/test_chaos.py::"
DELTA = "tests/privacy/test_exact_delta.py::"

BUGS = [
    Bug(
        "enumeration in one direction only",
        "audit/enumerate.py",
        (("for a, b in ((one, other), (other, one))", "for a, b in ((other, one),)"),),
        DELTA + "test_laplace_threshold",
    ),
    Bug(
        "what is undecided is forgotten",
        "audit/enumerate.py",
        (("maximum + one.undecided)", "maximum)"),),
        "tests/audit/test_enumeration.py::test_undecided_mass_counts_against_the_mechanism",
    ),
    Bug(
        "the audit forgets half of what a bet may win by chance",
        "audit/evidence.py",
        (("- runs * (self.expectation(a, b) + 2.0**-50)", "- runs * self.expectation(a, b) / 2"),),
        "tests/audit/test_statistical.py::test_the_evidence_is_an_e_value",
    ),
    Bug(
        "what an exception says is not an output",
        "audit/outputs.py",
        (
            (
                'return Seen("raised", (type(error).__name__, _text(error)))',
                'return Seen("raised", (type(error).__name__, ""))',
            ),
        ),
        "tests/audit/test_enumeration.py::test_exceptions_and_the_order_of_keys_are_outputs",
    ),
    Bug(
        "True and 1 look the same",
        "audit/outputs.py",
        (("if isinstance(output, bool) or not isinstance", "if not isinstance"),),
        "tests/audit/test_statistical.py::test_nothing_is_forgotten_of_an_output",
    ),
    Bug(
        "a killed writer's failure is a success",
        "audit/chaos.py",
        (("    if code > 0:\n", "    if code > 1:\n"),),
        CHAOS + "test_a_writer_that_fails_by_itself_is_no_success",
    ),
]
