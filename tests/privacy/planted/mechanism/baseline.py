"""Planted bugs in competitors' mechanisms."""

from tests.privacy.bug import Bug

PLUME = "tests/mechanism/test_plume.py::"

BUGS = [
    Bug(
        "plume: counts with noise for one item",
        "mechanism/baseline/plume.py",
        (("changed_people(neighbours) * bounding.sensitivity.squared", "changed_people(neighbours)"),),
        PLUME + "test_noise_for_less_than_a_person_has_would_be_seen",
    ),
    Bug(
        "plume: counts with the noise that finds items",
        "mechanism/baseline/plume.py",
        (("noise_distribution(self.event)", "noise_distribution(self.bounding.discovery)"),),
        PLUME + "test_counts_have_their_own_noise",
    ),
]
