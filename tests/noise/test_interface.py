"""The functions as a user meets them: types, sizes, refusals, and where the chance comes from."""

import ast
import decimal
import multiprocessing
import os
import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

import headcount.noise
from headcount import noise
from headcount.errors import BadParameter
from headcount.exact import Integers
from headcount.noise.distribution import check_range
from headcount.noise.entropy import CHUNK
from headcount.noise.laplace import DiscreteLaplace
from headcount.system.threads import THREADS

BAD_WIDTHS = [
    (0, "it must be above 0."),
    (-1, "it must be above 0."),
    (float("nan"), "a finite number is needed."),
    (float("inf"), "a finite number is needed."),
    ("wide", "a finite number is needed."),
    (None, "a finite number is needed."),
    (True, "a finite number is needed."),
    (2**51, "noise of more than 2**50 does not fit into 64 bits."),
]


@pytest.mark.parametrize(("scale", "what"), BAD_WIDTHS)
@pytest.mark.parametrize("draw", [noise.discrete_laplace, noise.geometric])
def test_a_bad_scale_is_refused(draw: Callable[..., object], scale: object, what: str) -> None:
    with pytest.raises(BadParameter) as refusal:
        draw(scale, 3)
    assert str(refusal.value) == f"scale={scale!r}: {what} Fix: scale=20"


@pytest.mark.parametrize(("sigma", "what"), BAD_WIDTHS)
def test_a_bad_sigma_is_refused(sigma: object, what: str) -> None:
    with pytest.raises(BadParameter) as refusal:
        noise.discrete_gaussian(sigma, 3)  # type: ignore[arg-type]
    assert str(refusal.value) == f"sigma={sigma!r}: {what} Fix: sigma=20"


@pytest.mark.parametrize("size", [-1, 2.5, "3", None, True])
def test_a_size_that_is_not_a_count_is_refused(size: object) -> None:
    with pytest.raises(BadParameter) as refusal:
        noise.discrete_laplace(20, size)  # type: ignore[arg-type]
    assert str(refusal.value) == f"size={size!r}: a whole number of at least 0 is needed. Fix: size=1000"


def test_other_refusals_say_what_to_write() -> None:
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: noise.bernoulli(1.5, 1), 'p=1.5: a probability lies between 0 and 1. Fix: p="1/3"'),
        (lambda: noise.negative_binomial(0, 1, 1), 'shape=0: it must be above 0. Fix: shape="1/1000"'),
        (lambda: noise.uniform(0, 1), "count=0: a whole number of at least 1 is needed. Fix: count=6"),
        (lambda: noise.softmax([], 1), "scores=[]: there is nothing to choose from. Fix: scores=[3, 1, 4]"),
        (lambda: noise.softmax([1, float("nan")], 1), "scores: each must be a finite number. Fix: scores=[3, 1, 4]"),
        (lambda: noise.softmax([1], "x"), "rate='x': a finite number is needed. Fix: rate=0.5"),
    ]
    for call, message in cases:
        with pytest.raises(BadParameter) as refusal:
            call()
        assert str(refusal.value) == message


def test_results_are_int64_of_the_size_asked_for() -> None:
    for size in (0, 1, 1000, 300_000):
        for draws in (
            noise.discrete_laplace(20, size),
            noise.discrete_gaussian(500, size),
            noise.geometric(1000, size),
            noise.negative_binomial(0.5, 3, size),
            noise.bernoulli("1/3", size),
        ):
            assert draws.dtype == np.int64
            assert draws.shape == (size,)


def test_a_number_means_the_decimal_that_was_typed() -> None:
    class Recorder(noise.SystemEntropy):
        distributions: list[noise.NoiseDistribution] = []  # noqa: RUF012

        def draw(self, distribution: noise.NoiseDistribution, size: int) -> Integers:
            self.distributions.append(distribution)
            return super().draw(distribution, size)

    for typed in (0.1, "0.1", "1/10", Fraction(1, 10), decimal.Decimal("0.1"), np.float64(0.1)):
        noise.discrete_laplace(typed, 1, Recorder())
    assert set(Recorder.distributions) == {DiscreteLaplace(Fraction(1, 10))}


def test_a_draw_out_of_range_is_an_error_and_not_a_wrap() -> None:
    with pytest.raises(OverflowError):
        check_range(np.array([2**62 + 1], dtype=np.int64))
    with pytest.raises(OverflowError):
        check_range(np.array([-(2**62) - 1], dtype=np.int64))


def _stream(count: int) -> list[int]:
    return [int(draw) for draw in noise.uniform(1 << 62, count)]


def test_forks_and_threads_never_share_a_stream() -> None:
    """8 children and 8 threads, 2,000 draws of 62 bits each: a single collision means a shared stream."""
    with multiprocessing.get_context("fork").Pool(8) as pool:
        streams = pool.map(_stream, [2000] * 8)
    threads = [threading.Thread(target=lambda: streams.append(_stream(2000))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    values = [value for stream in streams for value in stream]
    assert len(values) == 16 * 2000 == len(set(values))


def test_seeds_do_not_reach_the_noise() -> None:
    np.random.seed(0)
    first = noise.discrete_laplace(10**9, 10).tolist()
    np.random.seed(0)
    assert noise.discrete_laplace(10**9, 10).tolist() != first


@pytest.mark.parametrize("package", ["noise", "account"])
def test_nothing_imports_a_generator_or_the_flow(package: str) -> None:
    """No numpy.random, no random, and nothing of ours but the package itself and what is below all."""
    folder = Path(headcount.noise.__file__).parents[1] / package
    allowed = (f"headcount.{package}", *(f"headcount.{each}" for each in ("errors", "exact", "system", "wording")))
    for file in folder.glob("*.py"):
        tree = ast.parse(file.read_text())
        names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        names += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
        for name in names:
            assert not name.startswith(("random", "numpy.random")), (file.name, name)
            assert not name.startswith("headcount") or name.startswith(allowed), (file.name, name)
        attributes = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert not {name for name in attributes if name.startswith("np.random")}


def test_floats_decide_nothing_in_the_noise() -> None:
    """The one float in the samplers is the guess of an acceptance chance, which Arb settles within its margin."""
    for file in Path(headcount.noise.__file__).parent.glob("*.py"):
        tree = ast.parse(file.read_text())
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            calls = [ast.unparse(node) for node in ast.walk(function) if isinstance(node, ast.Call)]
            floats = [call for call in calls if "float" in call]
            assert not floats or (file.name, function.name) == ("gaussian.py", "_accept"), (file.name, floats)


def test_a_keyed_stream_is_a_function_of_its_key_and_its_requests() -> None:
    """Fixed for ever: a charge that is retried by a later version must repeat."""
    first = noise.KeyedEntropy(bytes(range(32)))
    assert first.secret().hex() == "4d5dd69b26c9617250c9c8dbf890cc7e5f98bfdb967c5b72ee471da3e3cb7262"
    assert first.words(2).tolist() == [2709611079561355167, 4508596807924906444]
    assert noise.discrete_gaussian(10**6, 3, first).tolist() == [-860816, -899646, 914694]


def test_a_keyed_stream_never_repeats_itself() -> None:
    entropy = noise.KeyedEntropy(bytes(range(32)))
    words = np.concatenate([entropy.words(size) for size in [1, 4, 1000, 1] * 50])
    assert len(np.unique(words)) == len(words)
    assert entropy.secret() != entropy.secret()
    other = noise.KeyedEntropy(bytes(range(1, 33))).words(1000)
    assert not len(np.intersect1d(words, other))


def test_a_keyed_stream_never_wraps() -> None:
    """More requests than two bytes can number, of one word each."""
    entropy = noise.KeyedEntropy(bytes(range(32)))
    words = np.concatenate([entropy.words(1) for _ in range(70_000)])
    assert len(np.unique(words)) == len(words)


@pytest.mark.every_case
@pytest.mark.parametrize(
    "entropy", [noise.KeyedEntropy(bytes(range(32))), noise.SystemEntropy()], ids=["keyed", "system"]
)
def test_draws_of_several_chunks_are_all_drawn_and_never_repeated(entropy: noise.Entropy) -> None:
    """Equal noise on two items would show their difference."""
    size = 2 * CHUNK + 5
    draws = noise.uniform(1 << 62, size, entropy)
    assert len(draws) == len(np.unique(draws)) == size


@pytest.mark.skipif(THREADS < 2, reason="one processor draws everything")
def test_only_the_words_of_the_system_are_drawn_by_several_threads() -> None:
    """Those of a subclass may depend on each other."""
    threads = set[int]()

    class Own(noise.SystemEntropy):
        def random_bytes(self, count: int) -> bytes:
            threads.add(threading.get_ident())
            return super().random_bytes(count)

    def recorded(count: int, of_system: Callable[[int], bytes] = os.urandom) -> bytes:
        threads.add(threading.get_ident())
        return of_system(count)

    noise.uniform(1 << 62, CHUNK + 5, Own())
    assert threads == {threading.get_ident()}
    with patch.object(os, "urandom", recorded):
        noise.uniform(1 << 62, CHUNK + 5, noise.SystemEntropy())
    assert len(threads) > 1


@pytest.mark.parametrize("key", [b"", bytes(32), b"x" * 31, b"x" * 33])
def test_a_key_is_32_secret_bytes(key: bytes) -> None:
    with pytest.raises(ValueError, match="a key is 32 secret bytes"):
        noise.KeyedEntropy(key)


def test_a_keyed_stream_belongs_to_one_thread() -> None:
    """Two threads would share its numbers by chance, and a retry could not repeat them."""
    entropy, failures = noise.KeyedEntropy(bytes(range(32))), list[str]()

    def draw() -> None:
        try:
            noise.uniform(6, 1, entropy)
        except RuntimeError as error:
            failures.append(str(error))

    thread = threading.Thread(target=draw)
    thread.start()
    thread.join()
    assert failures == ["a keyed stream belongs to the thread that made it"]
