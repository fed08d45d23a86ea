"""Planted bugs in rounds over prefixes by secure sums."""

from tests.privacy.bug import Bug

ROLES = "tests/federated/test_secure_rounds.py::"
LAWS = "tests/federated/test_secure_rounds_privacy.py::"

BUGS = [
    Bug(
        "secure rounds: noise and price are those of one round",
        "federated/listed/counted_on.py",
        (("return each.times(self.rounds)", "return each"),),
        LAWS + "test_all_rounds_together_keep_the_promise_and_hardly_more",
    ),
    Bug(
        "secure rounds: noise is planned for one round",
        "federated/listed/plan.py",
        (("(scale := self.change.total / self.epsilon)", "(scale := self.change.total / self.rounds / self.epsilon)"),),
        ROLES + "test_the_price_is_that_of_all_rounds",
    ),
    Bug(
        "secure rounds: the rings of one round fail, and not those of all",
        "federated/listed/round.py",
        (("self.rounds * (self.shares.slack(", "1 * (self.shares.slack("),),
        ROLES + "test_delta_is_for_the_rings_of_all_rounds",
    ),
    Bug(
        "secure rounds: items that begin alike count each",
        "federated/listed/client.py",
        (
            (
                "vector[self._listed(round_) if round_.step is None else self._extended(round_)] = 1",
                "np.add.at(vector, self._listed(round_) if round_.step is None else self._extended(round_), 1)",
            ),
            ("list(dict.fromkeys(found))[", "found["),
        ),
        ROLES + "test_one_person_changes_no_more_than_is_priced",
    ),
    Bug(
        "secure rounds: a person has more prefixes than a round allows",
        "federated/listed/client.py",
        (("list(dict.fromkeys(found))[: round_.items]", "list(dict.fromkeys(found))"),),
        ROLES + "test_one_person_changes_no_more_than_is_priced",
    ),
    Bug(
        "secure rounds: a tree that changes is paid for already",
        "federated/listed/round.py",
        (('if name != "number"}', 'if name == "alphabet"}'),),
        ROLES + "test_terms_that_change_are_another_promise",
    ),
    Bug(
        "secure rounds: noise that changes is paid for already",
        "federated/listed/round.py",
        (('if name != "keys"}', 'if name not in ("keys", "spread")}'),),
        ROLES + "test_terms_that_change_are_another_promise",
    ),
    Bug(
        "secure rounds: a round has more counts than its noise and its modulus are for",
        "federated/listed/round.py",
        (("if self.places > step.candidates:", "if self.places < 0:"),),
        ROLES + "test_what_cannot_be_asked_is_refused",
    ),
    Bug(
        "secure rounds: noise of one count is taken for that of all candidates",
        "federated/rounds/secure.py",
        (("EXACT_MISS_RATE / (self.rounds * round_.places))", "EXACT_MISS_RATE)"),),
        ROLES + "test_noise_alone_is_hardly_ever_shown",
    ),
    Bug(
        "secure rounds: an item outside the alphabet is in the count of another one",
        "federated/listed/extension.py",
        ((" and self.spells(item)\n", "\n"), ("self._digits[character]", "self._digits.get(character, 0)")),
        ROLES + "test_candidates_and_places_are_two_ways_to_say_one_thing",
    ),
]
