"""Figure 1: how far apart Bin(m, .01) and Bin(m, .011) are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.distribution.binomials import l1_distance
from experiments.parts import Part
from experiments.pictures import Panel, Series
from experiments.report import Setting, Table, number
from headcount.exact import Floats

P, Q = 0.01, 0.011
FEW = tuple(range(1, 21))
MANY = tuple(range(100, 5_001, 100))
SHOWN = (1, 2, 5, 10, 15, 20, 100, 200, 500, 1_000, 2_000, 5_000)
NOTES = (
    "*Figure 1*: exact, where the paper has samples and a picture without numbers. The lines are least squares, in m "
    "up to 20 and in the root of m from 100 to 5,000; how far the paper goes it does not say. At first the distance "
    "is 2m |p-q| (1-p)^(m-1), so its slope begins with .002 and is .0013 at m = 20. In the end it is that of two "
    "Gaussian laws: sqrt(2/pi) |p-q| / sqrt(p (1-p)) for each unit of the root of m, which is .0080 by p, .0077 by q.",
)


@dataclass(frozen=True)
class Line:
    """A line through points, by least squares."""

    slope: float
    intercept: float
    r_squared: float
    """Which part of the variance it explains."""

    def at(self, x: Floats) -> Floats:
        """Its height."""
        found: Floats = self.intercept + self.slope * x
        return found


def fit_line(x: Floats, y: Floats) -> Line:
    """The best line."""
    start, slope = np.polynomial.Polynomial.fit(x, y, 1).convert().coef
    left = y - start - slope * x
    return Line(float(slope), float(start), float(1 - left.var() / y.var()))


@dataclass(frozen=True)
class Half:
    """(a) or (b)."""

    title: str
    sizes: Sequence[int]
    scale: Callable[[Floats], Floats]
    """What the distance is to grow with."""

    @property
    def x(self) -> Floats:
        """Of each size."""
        return self.scale(np.array(self.sizes, dtype=np.float64))

    @property
    def exact(self) -> Floats:
        """The distances."""
        return distances(self.sizes)

    @property
    def line(self) -> Line:
        """The best one through them."""
        return fit_line(self.x, self.exact)

    def panel(self) -> Panel:
        """The picture."""
        exact = Series("exact", self.sizes, self.exact.tolist(), "-")
        best = Series("best line", self.sizes, self.line.at(self.x).tolist(), "--")
        return Panel(self.title, "m", "l1 distance", (exact, best))

    def summary(self) -> tuple[str, ...]:
        """The line."""
        line = self.line
        return self.title, number(line.slope, 5), number(line.intercept, 5), number(line.r_squared, 5)


HALVES = (
    Half("Figure 1 (a): m up to 20, a line in m", FEW, lambda m: m),
    Half("Figure 1 (b): larger m, a line in the root of m", MANY, np.sqrt),
)


def distances(sizes: Sequence[int]) -> Floats:
    """For each m."""
    return np.array([l1_distance(m, np.array(P), np.array(Q)) for m in sizes])


def part(setting: Setting) -> Part:
    """Both halves: in seconds, so the quick version has all of it."""
    rows = tuple(_row(m) for m in SHOWN)
    exact = Table("Figure 1: l1 distance of Bin(m, .01) and Bin(m, .011)", ("m", "exact", "best line"), rows)
    lines = Table(
        "The best lines", ("half", "slope", "start", "variance explained"), tuple(h.summary() for h in HALVES)
    )
    return Part((exact, lines), NOTES, tuple(half.panel() for half in HALVES))


def _row(m: int) -> tuple[str, ...]:
    half = HALVES[m > FEW[-1]]
    best = half.line.at(half.scale(np.array([m], dtype=np.float64)))
    return f"{m:,}", number(float(distances([m])[0])), number(float(best[0]))
