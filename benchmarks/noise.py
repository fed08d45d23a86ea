"""Exact noise beside OpenDP's: CPU time a draw and a table, and whether the time of a draw tells its size.

make evidence       (installs OpenDP, then runs this and others)
python -m benchmarks.noise
"""

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from time import perf_counter_ns, process_time

from scipy import stats

from headcount import noise
from headcount.noise import table
from headcount.noise.gaussian import Bucket, DiscreteGaussian
from headcount.noise.laplace import Digit, DiscreteLaplace, Geometric, NegativeBinomial

DRAWS = 1_000_000
SINGLE = 100_000
TABLES = {
    "Gaussian, variance 100": DiscreteGaussian(Fraction(100)),
    "Gaussian, variance 2,900": DiscreteGaussian(Fraction(2900)),
    "Gaussian, variance 1e14": Bucket(Fraction(10**14), 2**18),
    "geometric, scale 20": Geometric(Fraction(20)),
    "digit of a geometric": Digit(Fraction(1000)),
    "negative binomial, shape 1/1000": NegativeBinomial(Fraction(1, 1000), Fraction(20)),
}
"""Laws that are drawn from one table each."""


def microseconds(draw: Callable[[], object], count: int, repeats: int = 5) -> float:
    """CPU time a draw, the best of several runs."""
    draw()
    times = []
    for _ in range(repeats):
        start = process_time()
        draw()
        times.append(process_time() - start)
    return min(times) / count * 1e6


def opendp(make: str, scale: float, count: int) -> Callable[[], object]:
    """OpenDP's exact sampler over a vector of integers."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    metric = dp.l1_distance(T=int) if "laplace" in make else dp.l2_distance(T=float)
    space = dp.vector_domain(dp.atom_domain(T=int)), metric
    measurement = getattr(dp.m, make)(*space, scale=scale)
    zeros = [0] * count
    return lambda: measurement(zeros)


def making(distribution: noise.NoiseDistribution) -> tuple[int, float]:
    """How many edges the law's table has, and the CPU milliseconds of making it."""
    make = partial(table._cuts.__wrapped__, distribution, noise.SystemEntropy.bits)
    return len(make()), microseconds(make, 1) / 1000


def correlation(distribution: noise.NoiseDistribution) -> float:
    """Spearman's correlation of |noise| and the time of a single draw."""
    entropy, sizes, times = noise.SystemEntropy(), [], []
    entropy.draw(distribution, 100)
    for _ in range(SINGLE):
        start = perf_counter_ns()
        draw = entropy.draw(distribution, 1)
        times.append(perf_counter_ns() - start)
        sizes.append(abs(int(draw[0])))
    return float(stats.spearmanr(sizes, times).statistic)


def import_time() -> float:
    """CPU seconds of `import headcount` beyond those of Python itself, the best of several."""
    return min(_cpu("import headcount") for _ in range(5)) - min(_cpu("pass") for _ in range(5))


def _cpu(code: str) -> float:
    script = f"{code}\nimport time; print(time.process_time())"
    return float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)


def keyed() -> None:
    """Print the table of the stream that a ledger's charge has, beside the system's generator."""
    entropy = noise.KeyedEntropy(bytes(range(32)))
    print("\n| CPU, microseconds a draw | the system's generator | with a ledger (SHAKE-256) |\n|---|---|---|")
    for name, draw in (("Laplace", noise.discrete_laplace), ("Gaussian", noise.discrete_gaussian)):
        for scale in (1, 20, 1000, 10**6):
            system = microseconds(partial(draw, scale, DRAWS), DRAWS)
            stream = microseconds(partial(draw, scale, DRAWS, entropy), DRAWS)
            print(f"| discrete {name}, scale {scale:,} | {system:.3f} | {stream:.3f} |")


def main() -> None:
    """Print the tables."""
    print(f"| CPU, microseconds a draw | headcount ({DRAWS:,} draws) | OpenDP ({DRAWS // 20:,} draws) |\n|---|---|---|")
    for name, ours, theirs in (
        ("discrete Laplace", noise.discrete_laplace, "make_laplace"),
        ("discrete Gaussian", noise.discrete_gaussian, "make_gaussian"),
    ):
        for scale in (1, 20, 1000, 10**6):
            mine = microseconds(lambda draw=ours, scale=scale: draw(scale, DRAWS), DRAWS)  # type: ignore[misc]
            peer = microseconds(opendp(theirs, float(scale), DRAWS // 20), DRAWS // 20, repeats=2)
            print(f"| {name}, scale {scale:,} | {mine:.3f} | {peer:.1f} |")
    keyed()
    print("\n| table | edges | CPU, ms to make it |\n|---|---|---|")
    for name, distribution in TABLES.items():
        edges, milliseconds = making(distribution)
        print(f"| {name} | {edges:,} | {milliseconds:.2f} |")
    for distribution in (DiscreteLaplace(Fraction(20)), DiscreteGaussian(Fraction(400))):
        print(
            f"\nSpearman(|noise|, time) over {SINGLE:,} single draws of {distribution}: "
            f"{correlation(distribution):+.4f}"
        )
    print(f"\nimport headcount: {import_time():.3f} s of CPU")


if __name__ == "__main__":
    main()
