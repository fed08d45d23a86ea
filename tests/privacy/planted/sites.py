"""Planted bugs in sites of federated rounds."""

from tests.privacy.bug import Bug

ROLES = "tests/federated/test_sites.py::"
LAWS = "tests/federated/test_sites_privacy.py::"

BUGS = [
    Bug(
        "sites: no bound is enforced",
        "federated/sites/table.py",
        (("SampledItems(items)", "SampledItems(len(keys))"),),
        LAWS + "test_one_person_changes_no_more_than_is_priced_for_any_secret",
    ),
    Bug(
        "sites: rows count, and not people",
        "federated/sites/table.py",
        (
            ("[None], events=False", "[None], events=True"),
            ("ReadPlan(encoded=bounding.by_number", "ReadPlan(encoded=False"),
        ),
        ROLES + "test_a_person_with_a_thousand_rows_counts_for_no_more_than_the_bound",
    ),
    Bug(
        "sites: one row that is too long makes a site refuse",
        "federated/sites/table.py",
        (("item is not None and ITEM.allows(item)", "item is not None"),),
        ROLES + "test_items_that_are_too_long_for_a_message_are_dropped",
    ),
    Bug(
        "sites: half of the noise",
        "federated/listed/client.py",
        (
            (
                " + round_.shares.draw(round_.places, self._entropy)",
                " + round_.shares.draw(round_.places, self._entropy) // 2",
            ),
        ),
        LAWS + "test_sums_of_sites_have_the_law_of_the_central_mechanism",
    ),
    Bug(
        "sites: a count is not cut, so that a sum may wrap",
        "federated/sites/secure.py",
        (("return np.minimum(counts, round_.most)", "return counts"),),
        ROLES + "test_a_count_is_cut_at_the_number_of_people",
    ),
    Bug(
        "sites: the modulus is for one person of each site",
        "federated/listed/round.py",
        (
            (
                "self.shares.bits(self.parties, self.most_places, self.most)",
                "self.shares.bits(self.parties, self.most_places)",
            ),
        ),
        LAWS + "test_bits_hold_all_people_of_all_sites_and_their_noise",
    ),
    Bug(
        "sites: a site takes part in a round of people",
        "federated/sites/secure.py",
        (("if round_.sites is None:", "if False:"),),
        ROLES + "test_rounds_that_a_site_refuses",
    ),
    Bug(
        "sites: a person at several sites is priced as at one",
        "federated/listed/counted_on.py",
        (("added = items * memberships", "added = items"),),
        LAWS + "test_a_person_at_several_sites_changes_no_more_than_is_priced",
    ),
    Bug(
        "sites: a person at several sites has different items at each",
        "federated/listed/counted_on.py",
        (("added, added * memberships)", "added, added)"),),
        LAWS + "test_a_person_at_several_sites_changes_no_more_than_is_priced",
    ),
    Bug(
        "sites: people of a site share a ticket",
        "federated/sites/reports.py",
        (("return Client(items, key=key,", "return Client(items, key=self._key,"),),
        ROLES + "test_everybody_has_a_report_and_a_ticket_of_their_own",
    ),
    Bug(
        "sites: a site that forgot has other tickets, and counts again",
        "federated/sites/reports.py",
        (("return Client(items, key=key,", "return Client(items,"),),
        ROLES + "test_a_person_at_one_site_counts_once_and_at_two_twice",
    ),
    Bug(
        "sites: a round is answered twice",
        "federated/sites/reports.py",
        (("        self._admit(round_)\n", ""), ("        self._inspect(round_)\n", "")),
        ROLES + "test_everybody_has_a_report_and_a_ticket_of_their_own",
    ),
    Bug(
        "sites: reports of one person at several sites are priced as those of one site",
        "account/prices/samples.py",
        ((" * group_factor(event.epsilon, event.sites)", ""),),
        LAWS + "test_the_price_of_several_sites_is_that_of_as_many_steps",
    ),
    Bug(
        "sites: each of several sites spends the whole epsilon",
        "account/prices/samples.py",
        (("event.epsilon / event.sites)", "event.epsilon)"),),
        LAWS + "test_the_price_of_several_sites_is_that_of_as_many_steps",
    ),
]
