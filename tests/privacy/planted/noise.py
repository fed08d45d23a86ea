"""Planted bugs in entropy, exact noise and exact arithmetic."""

from tests.privacy.bug import Bug

EXACT = "tests/noise/test_exact_law.py::"
STATISTICS = "tests/noise/test_statistics.py::"
INTERFACE = "tests/noise/test_interface.py::"
PRICES = "tests/account/test_prices.py::"
THIN = "tests/noise/test_thin.py::"
TABLE = "tests/noise/test_table.py::"

BUGS = [
    Bug(
        "Laplace noise / 1.1",
        "noise/laplace.py",
        (("sign * (1 + Geometric(self.scale).sample", "sign * (1 + Geometric(self.scale * 10 / 11).sample"),),
        STATISTICS + "test_law_is_accepted_and_three_percent_off_is_rejected",
    ),
    Bug(
        "sign without the zero: -0 and +0 both become 0",
        "noise/laplace.py",
        (("        yield -ball(-1 / self.scale).expm1()\n        yield q\n", "        yield q\n        yield q\n"),),
        EXACT + "test_laplace_composed_of_sign_and_size",
    ),
    Bug(
        "table truncated: what lies beyond is its last outcome",
        "noise/table.py",
        (
            (
                "        outcomes[doubt] = refine(distribution, int(first[doubt]), words)",
                "        outcomes[doubt] = len(cuts) - 1",
            ),
        ),
        EXACT + "test_one_table_law_equals_its_decision_tree",
    ),
    Bug(
        "doubtful words are not refined",
        "noise/table.py",
        (("(first - cuts[outcomes - 1] <= 1).nonzero()", "(first - cuts[outcomes - 1] < 0).nonzero()"),),
        EXACT + "test_one_table_law_equals_its_decision_tree",
    ),
    Bug(
        "a guide decides words that are in doubt",
        "noise/table.py",
        (("cuts.searchsorted(starts - np.uint64(2), ", "cuts.searchsorted(starts, "),),
        TABLE + "test_a_guide_gives_what_a_search_gives",
    ),
    Bug(
        "falling weights round up, and drift above the true ones",
        "noise/falling.py",
        (("        quotient = quotient * shrink >> unit\n", "        quotient = -(-quotient * shrink >> unit)\n"),),
        TABLE + "test_falling_weights_lack_less_than_stated",
    ),
    Bug(
        "a Gaussian table whose ratio stays: its weights are geometric",
        "noise/falling.py",
        (("        quotient = quotient * shrink >> unit\n", ""),),
        TABLE + "test_every_cut_is_the_word_of_its_edge_or_one_less[narrow-gaussian-64]",
    ),
    Bug(
        "Gaussian buckets: the lighter integers are never rejected",
        "noise/gaussian.py",
        (("        return check_range(values[kept])", "        return check_range(values)"),),
        STATISTICS + "test_gaussian_from_coarse_buckets",
    ),
    Bug(
        "0 is in two buckets",
        "noise/gaussian.py",
        (("(bucket >> 1) * width + (bucket & 1)", "(bucket >> 1) * width"),),
        EXACT + "test_bucket_and_acceptance_make_the_gaussian",
    ),
    Bug(
        "digits of different weight",
        "noise/laplace.py",
        (("Geometric(self.scale / BASE).sample", "Geometric(self.scale / (BASE + 40)).sample"),),
        STATISTICS + "test_law_is_accepted_and_three_percent_off_is_rejected",
    ),
    Bug(
        "a seeded generator",
        "noise/entropy.py",
        (
            ("import numpy as np\n", "import numpy as np\n\n_RNG = np.random.default_rng(0)\n"),
            ("        return os.urandom(count)", "        return _RNG.bytes(count)"),
        ),
        INTERFACE + "test_forks_and_threads_never_share_a_stream",
    ),
    Bug(
        "a keyed stream that does not move on",
        "noise/entropy.py",
        (("        self._requests += 1\n", ""),),
        INTERFACE + "test_a_keyed_stream_never_repeats_itself",
    ),
    Bug(
        "a keyed stream without its key",
        "noise/entropy.py",
        (("        self._prefix = key + DOMAIN", "        self._prefix = DOMAIN"),),
        INTERFACE + "test_a_keyed_stream_never_repeats_itself",
    ),
    Bug(
        "a keyed stream for all threads",
        "noise/entropy.py",
        (("        if get_ident() != self._thread:", "        if False:"),),
        INTERFACE + "test_a_keyed_stream_belongs_to_one_thread",
    ),
    Bug(
        "a float means its binary value",
        "exact.py",
        (("return _decimal(Decimal(repr(float(value))))", "return Fraction(float(value))"),),
        INTERFACE + "test_a_number_means_the_decimal_that_was_typed",
    ),
    Bug(
        "costs round down",
        "exact.py",
        (("    return -(-value // step) * step", "    return value // step * step"),),
        PRICES + "test_zcdp_there_and_back_never_gains",
    ),
    Bug(
        "a keyed stream wraps after 256 requests",
        "noise/entropy.py",
        (("self._requests.to_bytes(8", "(self._requests % 256).to_bytes(8"),),
        INTERFACE + "test_a_keyed_stream_never_wraps",
    ),
    Bug(
        "noise of one chunk is used for the next",
        "noise/entropy.py",
        (
            (
                "            part[:] = distribution.sample(len(part), self)",
                "            first = part.ctypes.data == draws.ctypes.data\n"
                "            part[:] = distribution.sample(len(part), self) if first else draws[: len(part)]",
            ),
        ),
        INTERFACE + "test_draws_of_several_chunks_are_all_drawn_and_never_repeated",
    ),
    Bug(
        "thinning: the undecided are kept, the others go on",
        "noise/thin.py",
        (("kept += undecided - same", "kept += same"),),
        THIN + "test_halves_make_any_rate[totals0-40-rate0]",
    ),
    Bug(
        "thinning: the spare bits of the last word count",
        "noise/thin.py",
        (("        block[ends[first:ended] - 1 - start] >>= spare[first:ended]\n", ""),),
        THIN + "test_half_of_the_coins_are_counted_in_words",
    ),
]
