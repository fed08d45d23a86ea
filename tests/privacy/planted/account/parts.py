"""Planted bugs of charges in parts."""

from tests.privacy.bug import Bug

PARTS = "tests/account/test_parts.py::"
STORES = "tests/account/test_stores.py::"

BUGS = [
    Bug(
        "the secret of a charge is wiped with its first part",
        "account/ledger/ledger.py",
        (("            if is_complete:\n", "            if True:\n"),),
        PARTS + "test_the_secret_lives_until_the_last_part_is_sealed",
    ),
    Bug(
        "a charge is complete with its first part",
        "account/ledger/record/history.py",
        (("        if not self._left[charge.number]:\n", "        if charge.number in self._unsealed:\n"),),
        STORES + "test_wherever_a_process_ends_parts_are_paid_once_and_each_has_one_output",
    ),
    Bug(
        "the secret of a charge outlives its last part",
        "account/ledger/record/history.py",
        (("            del self._unsealed[charge.number]\n", "            pass\n"),),
        STORES + "test_wherever_a_process_ends_parts_are_paid_once_and_each_has_one_output",
    ),
    Bug(
        "every part is charged the whole price",
        "account/ledger/ledger.py",
        (
            ("        if self.has(charge):\n            return\n", ""),
            (
                "                if history.charges(digest(charge.body()), charge.neighbours):\n"
                "                    return\n",
                "",
            ),
        ),
        PARTS + "test_the_whole_price_is_charged_before_the_first_part_and_nothing_after_it",
    ),
    Bug(
        "two processes charge the same parts twice",
        "account/ledger/ledger.py",
        (
            (
                "                if history.charges(digest(charge.body()), charge.neighbours):\n"
                "                    return\n",
                "",
            ),
        ),
        PARTS + "test_two_that_reserve_at_once_charge_once",
    ),
    Bug(
        "a part draws anew",
        "account/ledger/parts.py",
        (('_derived(secret, b"part " + name.encode())', "Secret(__import__('os').urandom(32))"),),
        PARTS + "test_a_part_that_was_stopped_repeats",
    ),
    Bug(
        "all parts draw the same",
        "account/ledger/parts.py",
        (('b"part " + name.encode()', 'b"part "'),),
        PARTS + "test_every_part_has_a_key_of_its_own_and_all_share_one",
    ),
    Bug(
        "what parts share is drawn anew in each",
        "account/ledger/parts.py",
        (('_derived(secret, b"shared")', '_derived(secret, b"shared" + name.encode())'),),
        PARTS + "test_every_part_has_a_key_of_its_own_and_all_share_one",
    ),
    Bug(
        "parts are not in the price",
        "account/ledger/charge.py",
        (("merged(charge.all_events) if charge.parts else charge.events", "charge.events"),),
        PARTS + "test_parts_that_cost_more_than_the_price_are_refused",
    ),
    Bug(
        "what happened in a part is not compared with what was paid",
        "account/ledger/requests.py",
        (("        check_promised(self.part, result)\n", ""),),
        PARTS + "test_a_part_in_which_more_happens_than_was_paid_for_has_no_output",
    ),
    Bug(
        "an event may happen twice in a part",
        "account/ledger/parts.py",
        (("Counter(result.events) - Counter(part.events)", "{*result.events} - {*part.events}"),),
        PARTS + "test_a_part_in_which_more_happens_than_was_paid_for_has_no_output",
    ),
    Bug(
        "all noise is added up as if it were equal",
        "account/ledger/parts.py",
        (("alike.setdefault(event.variance, [])", "alike.setdefault(Fraction(1), [])"),),
        PARTS + "test_only_equal_noise_is_added_up",
    ),
    Bug(
        "a part that was begun meets other data",
        "account/ledger/requests.py",
        (
            (
                "row = part_row(history, digest(self.charge.body()), charge, self.part.name, data)",
                "row = part_row(history, digest(self.charge.body()), charge, self.part.name, "
                "{'nonce': '', 'data': ''})",
            ),
        ),
        PARTS + "test_a_part_that_was_stopped_repeats",
    ),
    Bug(
        "a part that was begun is begun again",
        "account/ledger/record/history.py",
        (("        return [found] if found and found.neighbours == neighbours else []", "        return []"),),
        PARTS + "test_a_part_that_was_sealed_is_returned",
    ),
    Bug(
        "a part may be begun under a part",
        "account/ledger/record/history.py",
        ((' or fields["charge"] != str(charge.number)', ""),),
        PARTS + "test_forged_rows_with_right_hashes_are_found",
    ),
    Bug(
        "one seal for all parts",
        "account/ledger/record/history.py",
        (("number is None or self._left.get(number) or", "number is None or"),),
        PARTS + "test_forged_rows_with_right_hashes_are_found",
    ),
    Bug(
        "other parts are the same charge",
        "account/ledger/record/chain.py",
        (('[body["parts"]] if "parts" in body else []', "list[str]()"),),
        PARTS + "test_parts_are_part_of_what_a_charge_is",
    ),
    Bug(
        "a charge in parts is written as one of format 4",
        "account/ledger/record/append.py",
        (("PARTS_FORMAT if charge.parts else FORMAT", "FORMAT"),),
        "tests/formats/test_newer.py::test_a_version_that_knows_no_parts_refuses_a_charge_in_parts",
    ),
]
