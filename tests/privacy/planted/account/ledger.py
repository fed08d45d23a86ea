"""Planted bugs in the ledger: its chain, its files, its key and the charges that wait."""

from tests.privacy.bug import Bug

LEDGER = "tests/account/test_ledger.py::"
PENDING = "tests/account/test_pending.py::"
FILE = "tests/account/test_file.py::"
SAME = "tests/account/test_same_data.py::"
SERVES = "tests/account/test_serves.py::"
NEWER = "tests/formats/test_newer.py::"
RELATION = "tests/account/test_relation.py::"
ATTRIBUTION = "tests/account/test_attribution.py::"
CHAOS = "tests/audit/test_chaos.py::"

BUGS = [
    Bug(
        "release before charge",
        "account/ledger/ledger.py",
        (
            (
                "self._seal(reserved, request.content(reserved.head, ready))",
                "self._seal(reserved, content)",
            ),
            (
                "        reserved, ready = self._reserve(request, known, again)\n",
                "        content = request.content(self.head, bytes(range(32)))\n"
                "        reserved, ready = self._reserve(request, known, again)\n",
            ),
        ),
        LEDGER + "test_the_charge_is_on_disk_before_the_work_begins",
    ),
    Bug(
        "what is handed out is not what is sealed",
        "account/ledger/ledger.py",
        (
            (
                "                if faster := sealed_by(transaction, reserved, history, self._store):\n                    return faster",
                "                if sealed_by(transaction, reserved, history, self._store):\n                    return Sealed(content, reserved.head, fresh=True)",
            ),
        ),
        LEDGER + "test_a_second_process_that_works_at_the_same_time_gets_the_first_seal",
    ),
    Bug(
        "the cache is off: every request is drawn anew",
        "account/ledger/ledger.py",
        (
            (
                "        return find(history, request.earlier(history), data)",
                "        return None",
            ),
        ),
        LEDGER + "test_the_same_request_returns_the_sealed_bytes",
    ),
    Bug(
        "another secret is taken for the one of a charge",
        "account/ledger/pending.py",
        ((" and commitment(secret) == charge.secret else None", " else None"),),
        PENDING + "test_another_secret_is_not_taken_for_it",
    ),
    Bug(
        "a new draw that was stopped is paid for again",
        "account/ledger/ledger.py",
        (("earlier.unfinished if again else earlier.newest", "(lambda *_: None) if again else earlier.newest"),),
        PENDING + "test_a_new_draw_that_was_stopped_is_not_paid_for_twice",
    ),
    Bug(
        "a retry has a fresh secret",
        "account/ledger/ledger.py",
        (
            (
                "sealed or pending.read(self._store, history.charge_of(found))",
                "sealed or bytes(__import__('os').urandom(32))",
            ),
        ),
        PENDING + "test_every_retry_has_the_same_secret",
    ),
    Bug(
        "a secret that is missing is made anew",
        "account/ledger/pending.py",
        (
            (
                "    return secret if secret is not None and commitment(secret) == charge.secret else None\n",
                "    return secret or Secret(bytes(32))\n",
            ),
        ),
        PENDING + "test_a_pending_charge_without_its_secret_is_refused",
    ),
    Bug(
        "the secret is written after the charge",
        "account/ledger/requests.py",
        (
            (
                "    store.keep_secret(row, secret)\n    transaction.append(row)\n",
                "    transaction.append(row)\n    store.keep_secret(row, secret)\n",
            ),
        ),
        PENDING + "test_it_is_on_disk_before_the_charge_is",
    ),
    Bug(
        "the secret is not synced to the disk",
        "account/ledger/stores/beside.py",
        (("    os.fsync(file)\n", ""),),
        PENDING + "test_it_is_on_disk_before_the_charge_is",
    ),
    Bug(
        "everybody may read the secret",
        "account/ledger/stores/beside.py",
        (("            system.make_private(file, path)", "            os.fchmod(file, 0o644)"),),
        PENDING + "test_only_the_owner_may_read_it",
    ),
    Bug(
        "everybody may read the secret at first",
        "account/ledger/stores/beside.py",
        (
            (
                "            system.make_private(file, path)\n            _write(file, secret)\n",
                "            os.fchmod(file, 0o644)\n            _write(file, secret)\n"
                "            system.make_private(file, path)\n",
            ),
        ),
        PENDING + "test_it_is_for_the_owner_alone_from_its_first_moment_on",
    ),
    Bug(
        "a link in the secret's place is followed",
        "system/posix.py",
        (("flags | os.O_NOFOLLOW | os.O_NONBLOCK", "flags | os.O_NONBLOCK"),),
        PENDING + "test_a_link_in_its_place_is_not_followed",
    ),
    Bug(
        "the secret outlives the seal",
        "account/ledger/ledger.py",
        (("            if is_complete:\n                self._store.wipe_secret(charge)\n", ""),),
        PENDING + "test_it_is_gone_with_the_seal",
    ),
    Bug(
        "the secret is removed, not overwritten",
        "account/ledger/stores/beside.py",
        (("            _write(file, bytes(SECRET_SIZE))\n", "            pass\n"),),
        PENDING + "test_it_is_overwritten_before_it_is_removed",
    ),
    Bug(
        "what a crash left is never swept",
        "account/ledger/book.py",
        (("        self._store.sweep(is_pending)\n", ""),),
        PENDING + "test_it_is_on_disk_before_the_charge_is",
    ),
    Bug(
        "a pending charge's secret is swept",
        "account/ledger/book.py",
        (("row.hash.startswith(start) and history.is_pending(row)", "not row"),),
        PENDING + "test_every_retry_has_the_same_secret",
    ),
    Bug(
        "a sealed answer for other data",
        "account/ledger/earlier.py",
        (("    if charges and not same:", "    if False:"), ("same[-1] if same", "charges[-1] if charges")),
        SAME + "test_files_of_one_name_in_two_folders_are_two",
    ),
    Bug(
        "an unfinished charge is finished for a file that was written again",
        "account/ledger/earlier.py",
        (("(data.has_rows_of(each) and not history.is_pending(each))", "data.has_rows_of(each)"),),
        SAME + "test_a_charge_that_was_not_finished_is_for_the_same_bytes_alone",
    ),
    Bug(
        "a file whose rows have a digest is always the same",
        "account/ledger/key.py",
        (("return charge.rows == self._digest(self.key, self.rows, charge.nonce, _ROWS)", "return True"),),
        SAME + "test_one_changed_cell_of_a_file_is_seen",
    ),
    Bug(
        "the digest of rows may be one of bytes",
        "account/ledger/key.py",
        (('_ROWS = b"rows of "', '_ROWS = b""'),),
        SAME + "test_what_is_kept_of_rows_tells_nothing_without_the_key",
    ),
    Bug(
        "a new draw finishes a charge of other data",
        "account/ledger/earlier.py",
        ((" if history.is_pending(each) and data.is_of(each))", " if history.is_pending(each))"),),
        SAME + "test_a_new_draw_does_not_finish_a_charge_for_other_data",
    ),
    Bug(
        "equal data have equal digests",
        "account/ledger/key.py",
        (("self.request.encode() + nonce.encode() + data", "self.request.encode() + data"),),
        SAME + "test_what_is_kept_tells_nothing_of_a_second_charge_for_the_same_request",
    ),
    Bug(
        "whoever is served learns that data changed",
        "account/ledger/ledger.py",
        (("earlier.served if self.serves else earlier.unfinished", "earlier.unfinished"),),
        SERVES + "test_a_charge_that_was_not_finished_is_refused_whatever_the_data_are",
    ),
    Bug(
        "a charge that is not finished is paid again by whoever is served",
        "account/ledger/earlier.py",
        (("    if charges and not sealed:", "    if False:"),),
        SERVES + "test_a_charge_that_was_not_finished_is_refused_whatever_the_data_are",
    ),
    Bug(
        "whoever is served draws again",
        "account/ledger/earlier.py",
        (("    if serves and again:", "    if False:"),),
        SERVES + "test_only_the_holder_draws_again",
    ),
    Bug(
        "data are read for a sealed answer",
        "account/ledger/earlier.py",
        (("    if data is None or not LOG.isEnabledFor(logging.INFO):", "    if data is None:"),),
        SERVES + "test_the_data_are_not_read_for_a_sealed_answer",
    ),
    Bug(
        "changed data are shown on stderr",
        "account/ledger/earlier.py",
        (('            LOG.info("%s: row %d is served, and', '            LOG.warning("%s: row %d is served, and'),),
        SERVES + "test_an_operator_who_listens_is_told",
    ),
    Bug(
        "a ledger that was made to serve forgets it",
        "account/ledger/ledger.py",
        (("self.serves = self.made_to_serve if stated is None else stated", "self.serves = stated is True"),),
        SERVES + "test_a_ledger_that_was_made_to_serve_serves_however_it_is_opened",
    ),
    Bug(
        "a sealed answer needs the write lock",
        "account/ledger/ledger.py",
        (("        before = self._sealed_before(request, known, again)\n", "        before = None\n"),),
        LEDGER + "test_a_sealed_answer_waits_for_no_writer",
    ),
    Bug(
        "others may read a new ledger",
        "account/ledger/stores/private.py",
        (("        system.make_private(file, path)\n", "        os.fchmod(file, 0o644)\n"),),
        LEDGER + "test_a_new_ledger_is_for_its_owner_alone",
    ),
    Bug(
        "a later kind of row is tampering",
        "account/ledger/record/formats.py",
        (("    if row.kind not in _KNOWN_FIELDS:", "    if False:"),),
        NEWER + "test_a_later_ledger_is_not_opened_and_left_as_it_is",
    ),
    Bug(
        "a later format is tampering",
        "account/ledger/record/formats.py",
        (('    if fields.get("format", FORMAT) not in FORMATS:', "    if False:"),),
        NEWER + "test_a_later_ledger_is_not_opened_and_left_as_it_is",
    ),
    Bug(
        "a ledger of a later version is written to",
        "account/ledger/book.py",
        (("        if history.unknown:", "        if False:"),),
        NEWER + "test_a_ledger_with_an_unknown_field_is_not_written_to",
    ),
    Bug(
        "a charge of an earlier format in a later ledger",
        "account/ledger/record/history.py",
        (('max(implied, fields.get("format", implied), key=FORMATS.index)', 'fields.get("format", implied)'),),
        NEWER + "test_no_charge_is_of_an_earlier_format_than_its_ledger",
    ),
    Bug(
        "a charge of version 0.9.0 needs the digest of a secret",
        "account/ledger/record/formats.py",
        (('{*_CHARGE_FIELDS_2, "neighbours", "data"}', '{*_CHARGE_FIELDS_2, "neighbours", "data", "secret"}'),),
        "tests/formats/test_every_version.py::test_ledgers_are_sound_and_can_be_charged",
    ),
    Bug(
        "a ledger that a power cut may undo",
        "account/ledger/stores/sqlite.py",
        (('"PRAGMA synchronous = EXTRA"', '"PRAGMA synchronous = OFF"'),),
        LEDGER + "test_every_connection_syncs_file_journal_and_folder",
    ),
    Bug(
        "a key that a power cut may undo",
        "account/ledger/stores/beside.py",
        (("        system.sync_folder(path.parent)\n", ""),),
        SAME + "test_the_key_is_on_disk_before_it_is_used",
    ),
    Bug(
        "data are the same if they begin alike",
        "account/ledger/key.py",
        (("nonce.encode() + data)", "nonce.encode() + data[:8])"),),
        SAME + "test_every_byte_of_what_stands_for_the_data_matters",
    ),
    Bug(
        "nonces that may be equal",
        "account/ledger/key.py",
        (("NONCE_SIZE = 16", "NONCE_SIZE = 1"),),
        SAME + "test_what_is_kept_tells_nothing_of_a_second_charge_for_the_same_request",
    ),
    Bug(
        "another delta is the same request",
        "account/ledger/record/chain.py",
        (('body["epsilon"], body["delta"], body["events"]]', 'body["epsilon"], body["events"]]'),),
        LEDGER + "test_a_charge_that_differs_in_anything_is_another",
    ),
    Bug(
        "a release that was changed after its seal",
        "account/ledger/record/rows.py",
        (('    if content is None or sha256(content) != seal.fields()["sha256"]:', "    if content is None:"),),
        LEDGER + "test_a_release_that_was_changed_after_its_seal_is_not_returned",
    ),
    Bug(
        "a forged charge for more delta than there is",
        "account/ledger/record/history.py",
        ((" or spent[1] > self._budget[1]:", ":"),),
        LEDGER + "test_forged_rows_with_right_hashes_are_found",
    ),
    Bug(
        "secrets are swept by number alone",
        "account/ledger/book.py",
        (("row.hash.startswith(start) and history.is_pending(row)", "history.is_pending(row)"),),
        PENDING + "test_a_secret_with_the_number_of_a_pending_charge_but_another_hash_is_wiped",
    ),
    Bug(
        "a charge of other data is worked again",
        "account/ledger/earlier.py",
        (
            (
                "    return same[-1] if same else None",
                "    return charges[-1] if charges else None",
            ),
        ),
        SAME + "test_a_file_that_grew_is_refused_and_paid_for_with_again",
    ),
    Bug(
        "the digest of data has no key",
        "account/ledger/key.py",
        (
            (
                "self.key or self.store.create_key()",
                "self.key or (self.store.create_key() and bytes(32))",
            ),
            ("    return hmac.digest(key, message", "    return hmac.digest(bytes(32), message"),
        ),
        SAME + "test_what_is_kept_tells_nothing_without_the_key",
    ),
    Bug(
        "anybody may read the key",
        "account/ledger/stores/private.py",
        (
            ("    file = system.open_file(path, flags)\n", "    file = system.open_file(path, flags, 0o644)\n"),
            ("    system.keep_private(file, path)\n", ""),
        ),
        SAME + "test_the_key_is_for_its_owner_alone_whatever_the_umask",
    ),
    Bug(
        "another purpose is another charge",
        "account/ledger/record/chain.py",
        (('body["events"]]', 'body["events"], body.get("purpose", "")]'),),
        ATTRIBUTION + "test_the_same_request_for_another_purpose_is_the_same_charge",
    ),
    Bug(
        "a ledger adds up all neighbours",
        "account/ledger/requests.py",
        (("    check_relation(charge.neighbours, history.neighbours, store.name)\n", ""),),
        RELATION + "test_public_sizes_are_a_relation_of_their_own",
    ),
    Bug(
        "the budget is checked outside the transaction",
        "account/ledger/ledger.py",
        (
            (
                "        reserved, ready = self._reserve(request, known, again)\n",
                "        self._stale = self.left\n        reserved, ready = self._reserve(request, known, again)\n",
            ),
            (
                "                request.check_new(history, self._store)\n                stated",
                "                __import__('headcount').account.ledger.charge.check_enough(request.charge.cost, self._stale)\n"
                "                stated",
            ),
        ),
        CHAOS + "test_32_writers_charge_exactly_the_budget",
    ),
    Bug(
        "amounts as floats",
        "account/ledger/record/chain.py",
        (
            (
                '    return int(whole + decimals.ljust(PLACES, "0"))',
                '    return round(float(f"{whole}.{decimals}0") * 10**PLACES)',
            ),
        ),
        LEDGER + "test_typed_epsilons_add_up_exactly",
    ),
    Bug(
        "the chain forgets the row before",
        "account/ledger/record/chain.py",
        (('    before = last.hash if last else ""', '    before = ""'),),
        LEDGER + "test_the_chain_covers_every_row_before",
    ),
    Bug(
        "the schema is not looked at",
        "account/ledger/stores/sqlite.py",
        (("    if found - {OLD_INDEX} != set(SCHEMA):", "    if not found:"),),
        LEDGER + "test_every_edit_is_found",
    ),
    Bug(
        "a hard link to a ledger is accepted",
        "account/ledger/stores/one_path.py",
        (("    if path.stat().st_nlink > 1:", "    if False:"),),
        FILE + "test_a_second_name_is_refused",
    ),
    Bug(
        "a ledger that is mounted alone is accepted",
        "account/ledger/stores/one_path.py",
        (("os.path.ismount(path) or str(path) in mount_points()", "os.path.ismount(path)"),),
        FILE + "test_a_file_that_is_mounted_is_refused",
    ),
    Bug(
        "a lock that others may hold",
        "account/ledger/stores/turn.py",
        (
            ("os.O_RDWR | os.O_CREAT)", "os.O_RDWR | os.O_CREAT, 0o666)"),
            ("    system.keep_private(lock, path)\n", ""),
        ),
        FILE + "test_only_the_owner_may_open_the_lock",
    ),
    Bug(
        "an index decides what was charged before",
        "account/ledger/ledger.py",
        (
            (
                "                if found := self._find(history, request, data, again):",
                "                wanted = (data.request,)\n"
                "                there = transaction.connection.execute('SELECT number FROM entry WHERE request = ?', wanted).fetchall()\n"
                "                if there and (found := self._find(history, request, data, again)):",
            ),
            (
                "        before = self._sealed_before(request, known, again)\n",
                "        before = None\n",
            ),
        ),
        FILE + "test_no_byte_of_an_index_makes_a_second_draw",
    ),
]
