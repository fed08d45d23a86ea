"""Planted bugs in federated rounds."""

from tests.privacy.bug import Bug

BUGS = [
    Bug(
        "federated: a simulation of data shows estimates that no ledger paid for",
        "federated/planning/simulation.py",
        (("table=found.table if made_up else None", "table=found.table"),),
        "tests/federated/test_planning.py::test_a_simulation_of_data_shows_no_value_and_keeps_none",
    ),
    Bug(
        "federated: a report is for any round of its id",
        "federated/schema/record.py",
        (("hashlib.blake2b(self.to_json().encode(), digest_size=16).hexdigest()", "self.id"),),
        "tests/federated/test_roles.py::test_nobody_is_counted_in_another_round_of_the_same_id",
    ),
    Bug(
        "federated: a client that starts again has answered nothing",
        "federated/person.py",
        (("dict.fromkeys(state.answered)", "dict.fromkeys(state.answered[:0])"),),
        "tests/federated/test_state.py::test_a_client_that_restarts_has_answered_and_paid",
    ),
    Bug(
        "federated: a client that starts again has paid nothing",
        "federated/person.py",
        (("self._spent = Cost(state.epsilon, state.delta)", "self._spent = Cost(Fraction(0), Fraction(0))"),),
        "tests/federated/test_state.py::test_a_client_that_restarts_has_answered_and_paid",
    ),
    Bug(
        "secure sum: a client that starts again goes back to the first step",
        "federated/secure/client.py",
        (("next(kind for kind in _STEPS if kind.kind == state.awaits)", "SumPartners"),),
        "tests/federated/test_state.py::test_a_sum_goes_on_from_a_state_between_any_two_steps",
    ),
    Bug(
        "secure sum: a client counts, and adds no noise",
        "federated/listed/client.py",
        ((" + round_.shares.draw(len(round_.keys), self._entropy)", ""),),
        "tests/federated/test_secure_privacy.py::test_laplace_shares_of_those_who_are_counted_on_are_discrete_laplace",
    ),
    Bug(
        "secure sum: shares are too small by what may drop out",
        "federated/listed/round.py",
        (("return ceil(self.honest * self.minimum)", "return self.people"),),
        "tests/federated/test_secure_privacy.py::test_laplace_shares_of_those_who_are_counted_on_are_discrete_laplace",
    ),
    Bug(
        "secure sum: whoever takes part subtracts their own noise from the release",
        "federated/listed/round.py",
        (("return self.needed - 1", "return self.needed"),),
        "tests/federated/test_secure_privacy.py::test_laplace_shares_of_those_who_are_counted_on_are_discrete_laplace",
    ),
    Bug(
        "secure sum: the modulus has no place for a sign",
        "federated/listed/shares.py",
        ((".bit_length() + 1", ".bit_length()"),),
        "tests/federated/test_secure_privacy.py::test_bits_hold_everybody_and_their_noise",
    ),
    Bug(
        "secure sum: any modulus holds",
        "federated/listed/round.py",
        (("return safe and fits and covers", "return safe and covers"),),
        "tests/federated/test_secure_privacy.py::test_a_round_whose_modulus_is_too_small_does_not_hold",
    ),
    Bug(
        "secure sum: shares add up to exactly a Gaussian",
        "federated/listed/gaussian.py",
        (("each = (shares - 1) * (", "each = 0 * ("),),
        "tests/federated/test_secure_privacy.py::test_gaussian_shares_add_up_to_nearly_a_discrete_gaussian",
    ),
    Bug(
        "secure sum: a person's own mask stays in the sum",
        "federated/secure/server.py",
        (("total = total + self._own_mask(", "self._own_mask("),),
        "tests/federated/test_secure_sum.py::test_dropouts_at_every_step",
    ),
    Bug(
        "secure sum: masks with people who dropped out stay in the sum",
        "federated/secure/server.py",
        (("total = total - self._pair_masks(", "self._pair_masks("),),
        "tests/federated/test_secure_sum.py::test_dropouts_at_every_step",
    ),
    Bug(
        "secure sum: no mask of one's own",
        "federated/secure/client.py",
        (("masked = self._vector + own_mask(self._seed, self._terms)", "masked = self._vector.copy()"),),
        "tests/federated/test_secure_privacy.py::test_a_vector_that_comes_late_stays_hidden_under_its_own_mask",
    ),
    Bug(
        "secure sum: a client opens the sum of a few",
        "federated/secure/client.py",
        (('_check_enough(count, self._terms.minimum, "vectors")', ""),),
        "tests/federated/test_secure_sum.py::test_what_a_client_refuses",
    ),
    Bug(
        "secure sum: a client believes how many answered, although it could count them",
        "federated/secure/client.py",
        (("len(answered) + 1 if self._terms.is_complete else message.answered", "message.answered"),),
        "tests/federated/test_secure_sum.py::test_a_client_counts_those_who_answered_itself_if_it_can",
    ),
    Bug(
        "secure sum: a client shares its secrets with as many as the server likes",
        "federated/secure/client.py",
        (("if len(partners) > (most := self._terms.most_partners):", "if (most := 0):"),),
        "tests/federated/test_secure_sum.py::test_what_a_client_refuses",
    ),
    Bug(
        "secure sum: one person's keys make all of their partners refuse",
        "federated/secure/client.py",
        (("if number in partners or not", "if len(keys) < 2 * len(partners) or number in partners or not"),),
        "tests/federated/test_secure_sum.py::test_keys_of_one_person_silence_nobody",
    ),
    Bug(
        "secure sum: one person has many tickets with the same keys",
        "federated/secure/server.py",
        (("self._used |= {message.box, message.mask}", "pass"),),
        "tests/federated/test_secure_sum.py::test_what_the_server_refuses",
    ),
    Bug(
        "secure sum: people are asked for vectors although some must refuse",
        "federated/secure/server.py",
        (
            (
                "if count < self._terms.threshold:\n            self._forget()",
                "if count < 0:\n            self._forget()",
            ),
        ),
        "tests/federated/test_secure_sum.py::test_nobody_is_asked_for_a_vector_if_a_person_has_too_few_partners_left",
    ),
    Bug(
        "secure sum: half of the partners restore a secret",
        "federated/listed/round.py",
        ((" and 2 * self.threshold > self.terms.most_partners", ""),),
        "tests/federated/test_secure_roles.py::test_no_two_groups_of_partners_restore_both_secrets",
    ),
    Bug(
        "secure sum: a wrong share of a seed makes garbage",
        "federated/secure/server.py",
        (("if commitment(seed, self._terms.round) != announced.seed:", "if False:"),),
        "tests/federated/test_secure_sum.py::test_a_wrong_share_opens_nothing",
    ),
    Bug(
        "secure sum: a wrong share of a key makes garbage",
        "federated/secure/server.py",
        (("if own.public != keys[number].mask:", "if False:"),),
        "tests/federated/test_secure_sum.py::test_a_wrong_share_opens_nothing",
    ),
    Bug(
        "secure sum: a client tells both secrets, one to each half of its partners",
        "federated/secure/client.py",
        (("seed if number in answered else key for", "seed if number % 2 else key for"),),
        "tests/federated/test_secure_sum.py::test_the_server_has_never_both_secrets_of_a_person",
    ),
    Bug(
        "federated: a restored aggregator forgets whose reports it counted",
        "federated/aggregator.py",
        (("Counter(dict(state.counts)), set(state.used)", "Counter(dict(state.counts)), set()"),),
        "tests/federated/test_survival.py::test_a_restored_aggregator_goes_on",
    ),
    Bug(
        "federated: a shard takes any ticket, so that a report counts in each",
        "federated/aggregator.py",
        (("% self._shards != self._shard:", "% self._shards < 0:"),),
        "tests/federated/test_survival.py::test_shards_end_in_the_result_of_one",
    ),
    Bug(
        "federated: the same shard is merged twice",
        "federated/aggregator.py",
        ((" or len({shard._shard for shard in shards}) != len(shards)", ""),),
        "tests/federated/test_survival.py::test_shards_that_are_not_complete_are_not_merged",
    ),
    Bug(
        "rounds: clients check the price of one round",
        "federated/messages.py",
        (("return self.items * (self.step.rounds if self.step else 1)", "return self.items"),),
        "tests/federated/test_rounds.py::test_a_client_refuses_the_price_of_one_round",
    ),
    Bug(
        "rounds: a plan is charged for one round",
        "federated/rounds/plan.py",
        (("return self.items * self.rounds", "return self.items"),),
        "tests/federated/test_rounds_privacy.py::test_the_price_of_one_round_is_not_enough_for_two",
    ),
    Bug(
        "rounds: a number of a series is answered again, with another level",
        "federated/messages.py",
        (('f"{self.promise} {self.step.number}".encode()', "self.to_json().encode()"),),
        "tests/federated/test_rounds_privacy.py::test_two_levels_with_one_number_are_answered_once",
    ),
    Bug(
        "rounds: terms that change are paid for already",
        "federated/messages.py",
        (
            (
                "terms = self.step.series, self.step.rounds, self.threshold, self.items, self.neighbours, *numbers",
                "terms = [self.step.series, *list(numbers)[:0]]",
            ),
        ),
        "tests/federated/test_rounds.py::test_terms_that_change_are_another_promise",
    ),
    Bug(
        "rounds: a person has more answers in a round than it allows",
        "federated/client.py",
        (("))[: round_.items]", "))"),),
        "tests/federated/test_rounds.py::test_a_person_counts_with_the_same_items_in_every_round",
    ),
    Bug(
        "rounds: whole items go out where prefixes are asked for",
        "federated/step.py",
        (("return [item[: self.length] for item", "return [item for item"),),
        "tests/federated/test_rounds.py::test_the_aggregator_sees_no_item_of_which_no_prefix_is_common",
    ),
]
