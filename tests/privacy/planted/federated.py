"""Planted bugs in federated rounds."""

from tests.privacy.bug import Bug

BUGS = [
    Bug(
        "federated: a report is for any round of its id",
        "federated/schema/record.py",
        (("hashlib.blake2b(self.to_json().encode(), digest_size=16).hexdigest()", "self.id"),),
        "tests/federated/test_roles.py::test_nobody_is_counted_in_another_round_of_the_same_id",
    ),
]
