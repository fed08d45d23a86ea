"""Quantiles (section 4): by a tree of samples, by halving with samples, and by the same with noise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from experiments.parts import Part
from experiments.pictures import Panel, Series
from experiments.report import Setting, Table
from experiments.sampling.part import BUDGET, DELTA, EPSILON, SYSTEM, as_bounded
from headcount.account.calibration import rates
from headcount.account.events import SampleThreshold
from headcount.estimate.ordered.tree import Shape
from headcount.exact import Floats
from headcount.jobs.quantiles import DECILES
from headcount.mechanism import AnyMechanism
from headcount.mechanism.ordered.readout import Quantiles
from headcount.mechanism.ordered.strategy import SAMPLED_FAN_OUT, TREE_THETA, Method, OrderedStrategy
from headcount.mechanism.stages.sampling import Sampling
from headcount.source.scales.axis import Axis

CELLS = 4096
SIZES = (5_000, 20_000, 60_000, 200_000, 1_000_000)
QUESTIONS = {"deciles": (DECILES, 20), "the median alone": ((Fraction(1, 2),), 100)}
"""Which quantiles, and how many releases."""
TREE, PAPER, BASIC = (f"tree of samples, {how}" for how in ("exact", "the paper's rule", "exact, basic composition"))
SMALL, LARGER = (f"{TREE}, theta {theta}" for theta in (14, 20))
NOT_PLOTTED = (BASIC, LARGER)
"""Not in the picture."""
NOTES = (
    f"*Quantiles*: n values of Beta(2, 5), {CELLS:,} cells between 0 and 1, epsilon 1, delta 1e-6. In a cell: the "
    "mean and the largest error in rank, as a part of n, over all quantiles of 20 releases (deciles) or 100 "
    "(median). A tree of samples has 3 levels, with 16 nodes under each; a search has 12 rounds for each quantile. "
    "*Exact* composes the exact losses of all levels or rounds; with basic composition each has its part of epsilon "
    "and delta, as by the paper's rule.",
    "Our notes on the paper have for deciles, n = 20,000: theta 20 .0048 / .013, basic composition .0066 / .023, the "
    "paper's rule .048 / .134; n = 200,000: .0013 / .0044, .0017 / .0060, .0054 / .0207. There levels are made to "
    "agree in another way, and the number of runs is not given.",
    f"By default the product takes theta = {TREE_THETA} for quantiles. With 14 the smallest counts appear, but "
    "what counts here is how many people are in the sample.",
)


@dataclass(frozen=True)
class Way:
    """A mechanism for some quantiles."""

    readout: Quantiles
    mechanism: AnyMechanism

    @property
    def sample(self) -> str:
        """p and theta."""
        event = self.mechanism.event
        return f"{float(event.rate):.4f}, {event.threshold}" if isinstance(event, SampleThreshold) else "-"

    def errors(self, ranked: Floats, releases: int) -> Floats:
        """Rank errors as fractions of n: (release, quantile)."""
        bounded = as_bounded(np.bincount((ranked * CELLS).astype(np.int64), minlength=CELLS), self.mechanism.bounding)
        releases_ = [self.mechanism.estimate(self.mechanism.run(bounded, SYSTEM)).by_name for _ in range(releases)]
        found = np.searchsorted(ranked, np.array([each["value"] for each in releases_])) / len(ranked)
        return np.asarray(np.abs(found - self.readout.parts))


Results = Mapping[str, Sequence[Floats]]
"""By way: for each number of people, errors in rank."""


def part(setting: Setting) -> Part:
    """Deciles and the median."""
    sizes = SIZES[1:4:2] if setting.quick else SIZES
    people = [np.sort(np.random.default_rng([setting.seed, many]).beta(2, 5, many)) for many in sizes]
    tables, panels = [], []
    for name, (q, releases) in QUESTIONS.items():
        methods, times = ways(q), 2 if setting.quick else releases
        found = {way: [each.errors(ranked, times) for ranked in people] for way, each in methods.items()}
        cells = tuple((way, methods[way].sample, *(_cell(off) for off in some)) for way, some in found.items())
        tables.append(Table(f"Error in rank: {name}", ("way", "p, theta", *(f"n = {n:,}" for n in sizes)), cells))
        panels.append(_panel(name, sizes, found))
    return Part(tuple(tables), NOTES, tuple(panels))


def ways(q: tuple[Fraction, ...]) -> dict[str, Way]:
    """All mechanisms compared."""
    kinds: dict[str, tuple[Method, Sampling]] = {
        TREE: ("sample-threshold", Sampling()),
        SMALL: ("sample-threshold", Sampling(theta=14)),
        LARGER: ("sample-threshold", Sampling(theta=20)),
        BASIC: ("sample-threshold", _basic_composition()),
        PAPER: ("sample-threshold", Sampling(rule="paper")),
        "search by samples, exact": ("sample-search", Sampling()),
        "search by samples, the paper's rule": ("sample-search", Sampling(rule="paper")),
        "tree with noise": ("tree", Sampling()),
        "search with noise": ("search", Sampling()),
    }
    return {name: _way(how, q, sampling) for name, (how, sampling) in kinds.items()}


def _basic_composition() -> Sampling:
    """The sampling of a tree whose levels get equal parts of epsilon and delta (basic composition)."""
    levels = Shape(CELLS, SAMPLED_FAN_OUT).levels
    one = rates.best(EPSILON / levels, DELTA / levels)
    return Sampling(one.rate, one.threshold)


def _way(how: Method, q: tuple[Fraction, ...], sampling: Sampling) -> Way:
    readout = Quantiles(Axis((0.0, 1.0), CELLS), q)
    strategy = OrderedStrategy(
        budget=BUDGET, neighbours="add-remove", readout=readout, method=how, bound=1, sampling=sampling
    )
    return Way(readout, strategy.mechanism())


def _cell(off: Floats) -> str:
    return " / ".join(f"{each:.2g}".removeprefix("0") for each in (off.mean(), off.max()))


def _panel(name: str, sizes: Sequence[int], found: Results) -> Panel:
    lines = tuple(
        Series(way, sizes, [float(off.mean()) for off in some]) for way, some in found.items() if way not in NOT_PLOTTED
    )
    return Panel(f"Mean error in rank: {name}", "people", "part of all", lines, "xy")
