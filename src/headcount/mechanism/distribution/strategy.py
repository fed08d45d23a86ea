"""Which mechanism learns a distribution, and how many draws of a person count: from public numbers, or from a private
profile of how many people have."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf, pi, sqrt
from typing import Literal, cast

from headcount.account import calibrate, zcdp
from headcount.account.cost import Cost
from headcount.account.events import Laplace, Neighbours
from headcount.account.threshold import people
from headcount.bound import Bounding, SampledEvents, ScaledToSum
from headcount.bound.draws import Draws, ExactDraws
from headcount.bound.selection.draws import MostDrawn, PublicDrawn, Way, alike, best
from headcount.errors import BadParameter
from headcount.mechanism.distribution import recentred, selected
from headcount.mechanism.known import clipped
from headcount.mechanism.known.clipped import Clipped
from headcount.mechanism.mechanism import Mechanism
from headcount.source.contributions import LARGEST_COUNT

Method = Literal["auto", "laplace", "gaussian", "sample-one", "hypothesis-selection", "sparse", "ks", "recentred"]
EXACT = ("hypothesis-selection", "sparse", "ks")
"""Those that need the same number of draws of everybody."""
PURE = ("laplace", "sample-one")
"""Those that need no delta."""
NEAR = 1.1
"""A distance that holds half of what was drawn is about so many roots of a person's draws."""
SLOPE, RIVALS = 0.4, 150.0
"""How fast upper counts change with a share, in roots of draws and items; and so many people, over the epsilon of a
choice, does a tournament need."""
A_FEW = 20.0
"""No fewer people than these are to decide how many draws count, if the mechanism was asked for by name."""
DEVIATIONS = 10.0
"""So many deviations of the noise on distances are as many people as rounds need to find their way (measured:
docs/reproduce/distribution.md)."""


@dataclass(frozen=True)
class Distributed:
    """How a distribution is to be learned."""

    method: Method
    people: int | None = None
    """How many people there are, each with as many draws as count, if that is public."""
    public: bool = False
    """Whether it is public how many draws each person has."""


def choice(
    asked: Distributed, price: Fraction, rest: Cost, neighbours: Neighbours, cells: int, bound: int | str
) -> MostDrawn:
    """How it is chosen, if not all that decides is public."""
    kind = PublicDrawn if asked.public else MostDrawn
    most = bound if isinstance(bound, int) else None
    return kind(price, neighbours, _ways(asked.method, rest, neighbours, cells), cells, most, largest(asked, cells))


def largest(asked: Distributed, cells: int) -> int:
    """The largest number of draws that can be chosen."""
    return min(LARGEST_COUNT, max(selected.MOST_CELLS // cells, 1)) if asked.method in EXACT else LARGEST_COUNT


def examples(asked: Distributed, rest: Cost, neighbours: Neighbours, cells: int, bound: int | str) -> list[Bounding]:
    """What may be chosen, at its ends."""
    numbers = (bound,) if isinstance(bound, int) else (1, largest(asked, cells))
    ways = _ways(asked.method, rest, neighbours, cells)
    return [way.held(most, 1 if asked.public else None) for way in ways for most in numbers]


def is_chosen(asked: Distributed, bound: int | str) -> bool:
    """Whether anything is left to be chosen."""
    if asked.method == "sample-one":
        return False
    unsure = asked.method == "auto" and asked.people is None
    return isinstance(bound, str) or unsure or (asked.public and asked.method in EXACT)


def mechanism(
    asked: Distributed, budget: Cost, held: Bounding | None, neighbours: Neighbours, cells: int, bound: int | str
) -> Mechanism:
    """The mechanism; `held` is how people are held to so many draws, if that had to be chosen."""
    held = held or _held(asked, budget, neighbours, cells, bound)
    if isinstance(held, Draws):
        return recentred.calibrated(budget, held, neighbours, cells)
    if isinstance(held, ExactDraws):
        method = cast(selected.Method, asked.method)
        return selected.calibrated(budget, held, neighbours, cells, method, _public(held.people, asked.people))
    laplace = _noise(asked.method, budget, neighbours) == "laplace"
    return (clipped.laplace if laplace else clipped.gaussian)(budget, held, cells, neighbours)


def _public(*numbers: int | None) -> int | None:
    """The first number that is public."""
    return next((each for each in numbers if each is not None), None)


def off(
    asked: Distributed, budget: Cost, neighbours: Neighbours, cells: int, most: int, people: float
) -> tuple[str, float]:
    """By which mechanism, and how far off, all shares are together, if so many people drew so much."""
    ways = _ways(asked.method, budget, neighbours, cells)
    most = 1 if asked.method == "sample-one" else most
    there = alike(people, most)
    way, _ = best(ways, [most], there, cells)
    named = asked.method if asked.method != "auto" else _named(way, budget, neighbours)
    return named, way.off(most, there, cells)


def name_of(asked: Distributed, made: Mechanism) -> str:
    """The name of the mechanism, as it would be asked for."""
    noise = "laplace" if isinstance(made.event, Laplace) else "gaussian"
    return asked.method if asked.method != "auto" else noise if isinstance(made, Clipped) else made.name


def _named(way: Way, budget: Cost, neighbours: Neighbours) -> str:
    return "recentred" if way.kind is Draws else _noise("auto", budget, neighbours)


def _held(asked: Distributed, budget: Cost, neighbours: Neighbours, cells: int, bound: int | str) -> Bounding:
    """From public numbers alone."""
    if asked.method == "sample-one":
        return SampledEvents(1)
    assert isinstance(bound, int)
    ways = _ways(asked.method, budget, neighbours, cells)
    way, _ = best(ways, [bound], alike(asked.people or 0, bound), cells)
    return way.held(bound, asked.people)


def _ways(method: Method, budget: Cost, neighbours: Neighbours, cells: int) -> tuple[Way, ...]:
    """The ways that a method allows, by how far off noise makes all shares of one draw."""
    if method in EXACT:
        return (_selecting(method, budget, neighbours, cells),)
    twice, absolute = people(neighbours), sqrt(2 / pi)
    quieter = _noise(method, budget, neighbours)
    laplace = twice / float(budget.epsilon)
    deviation = float(calibrate.analytic_sigma(budget.epsilon, budget.delta)) if budget.delta else inf
    counted = cells * (laplace if quieter == "laplace" else absolute * sqrt(twice) * deviation)
    added = Way(ScaledToSum, lambda most: counted * most)
    if method in (*PURE, "gaussian") or not budget.delta:
        return (added,)
    moved = cells * absolute * twice * NEAR * deviation / sqrt(sum(recentred.ROUNDS))
    fewest = DEVIATIONS * sqrt(twice) * deviation / sqrt(recentred.DISTANCES)
    needed = A_FEW if method == "recentred" else fewest
    centred = Way(Draws, lambda most: moved * sqrt(most), lambda most: needed)
    return (centred,) if method == "recentred" else (added, centred)


def _selecting(method: Method, budget: Cost, neighbours: Neighbours, cells: int) -> Way:
    """A law is chosen for each item: off by about as many people as weights fall by, where shares tell most; and a
    tournament needs rivals that differ by less than they can."""
    rho = float(zcdp.rho(budget.epsilon, budget.delta)) if budget.delta else None

    def each(most: int) -> float:
        """The epsilon of a choice, about."""
        count = min(cells, people(neighbours) * most)
        return float(budget.epsilon) / count if rho is None else sqrt(8 * rho / count)

    def noise(most: int) -> float:
        return 2 / each(most) * cells * most / min(most, SLOPE * sqrt(most * cells))

    def fewest(most: int) -> float:
        return 1 / each(most) if method == "ks" else RIVALS / each(most)

    return Way(ExactDraws, noise, fewest)


def _noise(method: Method, budget: Cost, neighbours: Neighbours) -> Literal["laplace", "gaussian"]:
    """Which noise counts get: by name, or the quieter one."""
    if method in PURE or not budget.delta:
        return "laplace"
    if method == "gaussian":
        return "gaussian"
    deviation = sqrt(2 / pi / people(neighbours)) * float(calibrate.analytic_sigma(budget.epsilon, budget.delta))
    return "laplace" if 1 / float(budget.epsilon) <= deviation else "gaussian"


def check_delta(method: str) -> None:
    """Refuse a method that needs a delta, if there is none."""
    if method in ("gaussian", "recentred", "sparse"):
        raise BadParameter(f'delta=0: "{method}" needs a delta above 0.', fix='delta=1e-6, or mechanism="laplace"')
