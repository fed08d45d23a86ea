"""Theorem 5: between which constants the distance of two binomials lies."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np

from experiments.distribution.binomials import l1_distance, poisson_l1_distance, poisson_theorem5_rate, theorem5_rate
from experiments.parts import Part
from experiments.report import Setting, Table
from headcount.exact import Floats

SIZES = (1, 2, 3, 4, 5, 7, 10, 20, 30, 50, 100, 200, 300, 500, 1_000)
REFINEMENTS, SIDES = 5, 5
"""Number of grid refinements around the minimum, and of grid points on each side."""
MIN_DISTANCE = 1e-7
"""Chances that are nearer to one another are not compared: their distance would be that of rounding."""
NOTES = (
    "*Theorem 5*: the l1 distance of Bin(m, p) and Bin(m, q) over min(m |p-q|, sqrt(m) |p-q| / sqrt(p (1-p)), 1). It "
    "is at most 2, which it is everywhere for m = 1. Its least falls with m to .634, that of two Poisson laws of "
    "means 1.457 and 2.664. So Theorem 5 holds, and the constant c that Algorithm 2 needs and the paper does not tell "
    "is .634 for l1 distances and .317 for total variation. Our notes have [0.677, 2.0] from a coarser grid, and 2/3 "
    "and 1/3 as safe constants: they are not, though by little.",
)
Ratio = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True)
class Extremes:
    """Between what the ratio lies."""

    minimum: float
    p: float
    """Where it is least, times m."""
    q: float
    greatest: float


def part(setting: Setting) -> Part:
    """Sizes up to 1,000, and what they go to."""
    sizes, points = (SIZES[::2], 60) if setting.quick else (SIZES, 400)
    found = {float(m): extremes(m, points) for m in sizes} | {inf: in_the_limit(points)}
    rows = tuple(_row(m, each) for m, each in found.items())
    columns = ("m", "least ratio", "there m p", "there m q", "greatest ratio")
    return Part((Table("Theorem 5: the constants", columns, rows),), NOTES)


def _row(m: float, found: Extremes) -> tuple[str, ...]:
    where = (f"{m * each:.3f}" if m < inf else f"{each:.3f}" for each in (found.p, found.q))
    return (f"{m:,.0f}" if m < inf else "endless", f"{found.minimum:.4f}", *where, f"{found.greatest:.4f}")


def extremes(m: int, points: int) -> Extremes:
    """Over a grid that is as fine near 0 and 1 as in the middle, and finer where m p is about 1; then closer to where
    it is least. Nothing changes if p and q become 1 - p and 1 - q, so p goes up to a half."""
    angles = np.linspace(0, np.pi / 2, points + 2)[1:-1]
    rare = np.geomspace(1e-3, 10, points) / m
    grid = np.unique([*np.sin(angles) ** 2, *rare[rare < 1]])
    return _search(lambda p, q: l1_distance(m, p, q) / theorem5_rate(m, p, q), grid[grid <= 0.5], grid)


def in_the_limit(points: int) -> Extremes:
    """The same for m p and m q, if m is endless."""
    grid = np.geomspace(1e-3, 100, points)
    return _search(lambda a, b: poisson_l1_distance(a, b) / poisson_theorem5_rate(a, b), grid, grid)


def _search(ratio: Ratio, p: Floats, q: Floats) -> Extremes:
    """By closer and closer grids around the least."""
    greatest = -inf
    for _ in range(1 + REFINEMENTS):
        one, other = _different(p, q)
        found = ratio(one, other)
        at, greatest = int(found.argmin()), max(greatest, float(found.max()))
        p, q = _around(p, one[at]), _around(q, other[at])
    return Extremes(float(found[at]), float(one[at]), float(other[at]), greatest)


def _different(p: Floats, q: Floats) -> tuple[Floats, Floats]:
    """All pairs of chances that differ by enough for a float."""
    one, other = (each.ravel() for each in np.meshgrid(p, q, indexing="ij"))
    apart = np.abs(one - other) > MIN_DISTANCE
    return one[apart], other[apart]


def _around(grid: Floats, point: float) -> Floats:
    """A finer grid over a few points on both sides of one."""
    index = int(np.searchsorted(grid, point))
    return np.linspace(grid[max(index - SIDES, 0)], grid[min(index + SIDES, len(grid) - 1)], 20 * SIDES)
