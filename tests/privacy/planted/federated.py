"""Planted bugs in federated rounds."""

from tests.privacy.bug import Bug

BUGS = [
    Bug(
        "federated: a report is for any round of its id",
        "federated/schema/record.py",
        (("hashlib.blake2b(self.to_json().encode(), digest_size=16).hexdigest()", "self.id"),),
        "tests/federated/test_roles.py::test_nobody_is_counted_in_another_round_of_the_same_id",
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
        (("total = total + mask(self._restore(shares), self._terms)", "self._restore(shares)"),),
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
        (("masked = self._vector + mask(self._seed, self._terms)", "masked = self._vector.copy()"),),
        "tests/federated/test_secure_privacy.py::test_a_vector_that_comes_late_stays_hidden_under_its_own_mask",
    ),
    Bug(
        "secure sum: a client opens the sum of a few",
        "federated/secure/client.py",
        (('_check_enough(message.answered, self._terms.minimum, "vectors")', ""),),
        "tests/federated/test_secure_sum.py::test_what_a_client_refuses",
    ),
]
