"""Tables that try to break intervals: families of synthetic ones, and the shared real ones, in two halves.

Constants are set on the half "fit" and reported on the half "report". Every family gives the same table each time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Random = np.random.Generator


@dataclass(frozen=True)
class Family:
    """One table of the panel."""

    half: str
    """"fit" or "report"."""
    make: Callable[[Random], tuple[Integers, Integers]]
    """People and items of all rows."""


def zipf(random: Random, rows: int, items: int, power: float = 1.0) -> Integers:
    """Items drawn with chances like 1 / rank^power."""
    chances = 1 / np.arange(1, items + 1) ** power
    return random.choice(items, rows, p=chances / chances.sum()).astype(np.int64)


def rows_of(sizes: Integers) -> Integers:
    """The person of each row, if people have these many rows."""
    return np.repeat(np.arange(len(sizes)), sizes)


def drawn(random: Random, sizes: Integers, items: int, power: float = 1.0) -> tuple[Integers, Integers]:
    """People with these many rows each, whose items are Zipf."""
    people = rows_of(sizes)
    return people, zipf(random, len(people), items, power)


def joined(*groups: tuple[Integers, Integers]) -> tuple[Integers, Integers]:
    """Several groups of different people as one table."""
    people, first = [], 0
    for each, _ in groups:
        people.append(each + first)
        first += int(each.max()) + 1
    return np.concatenate(people), np.concatenate([items for _, items in groups])


def few_with_much(random: Random, people: int, share: float, much: int) -> tuple[Integers, Integers]:
    """A small share of people have much, all others one or two items."""
    heavy = int(share * people)
    sizes = np.concatenate([random.integers(1, 3, people - heavy), np.full(heavy, much)])
    return drawn(random, sizes, 300)


def of_heavy_people(random: Random, people: int, share: float, much: int) -> tuple[Integers, Integers]:
    """A third of the items are had by the heavy people alone."""
    heavy = int(share * people)
    light = drawn(random, random.integers(1, 6, people - heavy), 400)
    own = drawn(random, np.full(heavy, much), 200, 0.7)
    return joined(light, (own[0], own[1] + 400))


def ties(random: Random, people: int, items: int, each: int) -> tuple[Integers, Integers]:
    """All items have about as many people."""
    return rows_of(np.full(people, each)), random.integers(0, items, people * each)


def two_groups(random: Random, people: int, few: int, many: int) -> tuple[Integers, Integers]:
    """Half of the people have few items, the others many other ones; a quarter of the items is common to both."""
    light = drawn(random, np.full(people // 2, few), 400)
    heavy = drawn(random, np.full(people // 2, many), 400, 0.8)
    return joined(light, (heavy[0], heavy[1] + 300))


def countries(random: Random, people: int, several: float) -> tuple[Integers, Integers]:
    """Most people have one of 180 countries, some two to four."""
    sizes = np.where(random.random(people) < several, random.integers(2, 5, people), 1)
    return drawn(random, sizes, 180, 1.2)


def pareto(random: Random, people: int, index: float, max_items: int) -> tuple[Integers, Integers]:
    """Pareto many rows a person."""
    sizes = np.minimum((random.pareto(index, people) + 1) * 3, max_items).astype(np.int64)
    return drawn(random, sizes, 3000)


def at_edges(random: Random, people: int) -> tuple[Integers, Integers]:
    """Numbers of items that are powers of two, up to 16,384; each half as frequent as the one before."""
    sizes = 2 ** np.minimum(random.geometric(0.55, people) - 1, 14)
    return drawn(random, sizes, 20_000, 0.9)


def by_taste(random: Random, people: int, items: int, spread: float) -> tuple[Integers, Integers]:
    """Lognormal sizes; the more somebody has, the rarer the items that they have."""
    sizes = np.maximum(np.exp(random.normal(1.5, spread, people)), 1).astype(np.int64)
    who = rows_of(np.minimum(sizes, 2000))
    power = np.clip(1.4 - 0.12 * np.log(sizes[who]), 0.4, 1.4)
    uniform = random.random(len(who))
    exponent = np.where(np.abs(1 - power) < 1e-3, 1e-3, 1 - power)
    return who, np.minimum((1 + uniform * (items**exponent - 1)) ** (1 / exponent) - 1, items - 1).astype(np.int64)


def one_with_all(random: Random, people: int) -> tuple[Integers, Integers]:
    """One person has 30,000 rows, ten have 3,000."""
    sizes = np.concatenate([[30_000], np.full(10, 3_000), random.geometric(0.3, people)])
    return drawn(random, sizes, 1500)


def log_uniform(random: Random, people: int, minimum: int, max_items: int) -> Integers:
    """Numbers of rows whose logarithm is uniform."""
    return np.exp(random.uniform(np.log(minimum), np.log(max_items), people)).astype(np.int64)


def spread_heavy(random: Random, people: int, heavy: int, minimum: int, max_items: int) -> tuple[Integers, Integers]:
    """A few people have much, each another amount: no bin of a profile has many of them."""
    light = drawn(random, random.integers(1, 3, people - heavy), 500)
    return joined(light, drawn(random, log_uniform(random, heavy, minimum, max_items), 2000, 0.8))


def most_items(random: Random, people: int, heavy: int, much: int, items: int) -> tuple[Integers, Integers]:
    """A few people have most of all items, the others one or two."""
    light = drawn(random, random.integers(1, 3, people - heavy), items)
    common = random.gumbel(size=(heavy, items)) - 0.5 * np.log(np.arange(1, items + 1))
    own = np.argsort(-common, axis=1)[:, :much]
    return joined(light, (rows_of(np.full(heavy, much)), own.ravel()))


def communities(random: Random, groups: int, people: int, heavy: int, much: int) -> tuple[Integers, Integers]:
    """Groups with items of their own, each with a few people who have much of them."""
    each = []
    for first in range(0, 150 * groups, 150):
        light = drawn(random, random.integers(1, 4, people), 150)
        own = drawn(random, np.full(heavy, much), 150, 0.5)
        each += [(light[0], light[1] + first), (own[0], own[1] + first)]
    return joined(*each)


def bots(
    random: Random, people: int, heavy: int, much: int, items: int, usual: tuple[int, int] = (1, 3)
) -> tuple[Integers, Integers]:
    """A few people have nearly everything, all others a usual number of items."""
    light = drawn(random, random.integers(usual[0], usual[1] + 1, people - heavy), items)
    return joined(light, drawn(random, np.full(heavy, much), items, 0.3))


def pareto_from_one(random: Random, people: int, index: float, items: int) -> tuple[Integers, Integers]:
    """Pareto many rows a person, of most people one."""
    return drawn(random, np.minimum(random.pareto(index, people) + 1, 3000).astype(np.int64), items)


FAMILIES = {
    "few with much, 3%": Family("fit", lambda r: few_with_much(r, 10_000, 0.03, 40)),
    "few with much, 1%": Family("report", lambda r: few_with_much(r, 30_000, 0.01, 150)),
    "items of heavy people, 5%": Family("fit", lambda r: of_heavy_people(r, 20_000, 0.05, 60)),
    "items of heavy people, 2%": Family("report", lambda r: of_heavy_people(r, 30_000, 0.02, 100)),
    "ties, 300 items": Family("fit", lambda r: ties(r, 20_000, 300, 10)),
    "ties, 2,000 items": Family("report", lambda r: ties(r, 30_000, 2000, 20)),
    "two groups, 3 and 30": Family("fit", lambda r: two_groups(r, 20_000, 3, 30)),
    "two groups, 2 and 100": Family("report", lambda r: two_groups(r, 20_000, 2, 100)),
    "countries, 20%": Family("fit", lambda r: countries(r, 50_000, 0.20)),
    "countries, 9%": Family("report", lambda r: countries(r, 60_000, 0.09)),
    "countries, 1%": Family("report", lambda r: countries(r, 60_000, 0.01)),
    "everybody 5": Family("fit", lambda r: drawn(r, np.full(30_000, 5), 1000)),
    "everybody 30": Family("report", lambda r: drawn(r, np.full(20_000, 30), 2000)),
    "everybody 1": Family("report", lambda r: drawn(r, np.full(50_000, 1), 1000)),
    "Pareto 1.1": Family("fit", lambda r: pareto(r, 20_000, 1.1, 5000)),
    "Pareto 0.8": Family("report", lambda r: pareto(r, 20_000, 0.8, 5000)),
    "Pareto 1.5": Family("report", lambda r: pareto(r, 40_000, 1.5, 5000)),
    "edges": Family("fit", lambda r: at_edges(r, 30_000)),
    "taste, 0.8": Family("fit", lambda r: by_taste(r, 30_000, 3000, 0.8)),
    "taste, 1.2": Family("report", lambda r: by_taste(r, 30_000, 3000, 1.2)),
    "one with all": Family("report", lambda r: one_with_all(r, 20_000)),
    "500 people": Family("fit", lambda r: drawn(r, r.geometric(0.2, 500), 100)),
    "500 people with much": Family("report", lambda r: pareto(r, 500, 1.2, 500)),
    "2,000 people": Family("report", lambda r: drawn(r, r.geometric(0.2, 2000), 200)),
    "2,000 people with much": Family("fit", lambda r: pareto(r, 2000, 1.2, 500)),
    "10,000 people": Family("fit", lambda r: drawn(r, r.geometric(0.2, 10_000), 500)),
    "1,000,000 people": Family("report", lambda r: drawn(r, r.geometric(0.4, 1_000_000), 5000)),
    "400 with 12 to 400": Family("fit", lambda r: spread_heavy(r, 40_000, 400, 12, 400)),
    "250 with 20 to 600": Family("report", lambda r: spread_heavy(r, 25_000, 250, 20, 600)),
    "3% with 40 of 60": Family("fit", lambda r: most_items(r, 5_000, 150, 40, 60)),
    "2% with 60 of 120": Family("report", lambda r: most_items(r, 12_000, 240, 60, 120)),
    "communities, 8": Family("fit", lambda r: communities(r, 8, 4_000, 50, 60)),
    "communities, 15": Family("report", lambda r: communities(r, 15, 2_000, 30, 80)),
    "100 bots": Family("fit", lambda r: bots(r, 20_000, 100, 300, 500)),
    "200 bots": Family("report", lambda r: bots(r, 30_000, 200, 500, 800)),
    "20 bots, others 5": Family("fit", lambda r: bots(r, 20_000, 20, 2_000, 1000, (5, 5))),
    "40 bots, others 3 to 9": Family("report", lambda r: bots(r, 30_000, 40, 3_000, 2000, (3, 9))),
    "Pareto 1.5 from 1": Family("fit", lambda r: pareto_from_one(r, 40_000, 1.5, 1000)),
    "Pareto 1.1 from 1": Family("report", lambda r: pareto_from_one(r, 30_000, 1.1, 1500)),
    "log-uniform, 1 to 80": Family("report", lambda r: drawn(r, log_uniform(r, 20_000, 1, 80), 1500)),
}
REAL = {
    "npm_deps2016_all": "fit",
    "online_retail": "fit",
    "ubuntu_irc_words": "report",
    "reddit_titles500k_words": "report",
    "reddit_domain": "report",
}
"""The shared tables, and the half of each."""


def table(name: str) -> pa.Table:
    """A synthetic table of the panel: user_id, item."""
    seed = list(FAMILIES).index(name)
    people, items = FAMILIES[name].make(np.random.default_rng(seed))
    return pa.table({"user_id": people, "item": pa.array(items).cast(pa.string())})


def paths(where: Path, to: Path) -> dict[str, Path]:
    """All tables of the panel as files; the synthetic ones are written to a folder."""
    for number, name in enumerate(FAMILIES):
        pq.write_table(table(name), to / f"{number}.parquet")
    made = {name: to / f"{number}.parquet" for number, name in enumerate(FAMILIES)}
    return made | real_paths(where)


def real_paths(where: Path) -> dict[str, Path]:
    """The shared tables."""
    return {name: where / f"{name}.parquet" for name in REAL}


def half_of(name: str) -> str:
    """The half that a table belongs to."""
    return REAL[name] if name in REAL else FAMILIES[name].half
