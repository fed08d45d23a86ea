"""Tables of amounts, heavy-tailed and light, in two halves: constants are set on "fit" and reported on "report".

Both halves have every kind of table, with other parameters and other draws; no table of one half is part of one of the
other. The shop's revenue is in "report" alone, so nothing is fitted to it; "fit" has another real table with a tail.
A synthetic table is drawn anew from each of several seeds: constants cannot follow one draw of a heavy tail.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from headcount.exact import Floats, Integers

Random = np.random.Generator
GROUPS = 10
DRAWS = 4
"""Tables that are drawn of each synthetic kind."""


@dataclass(frozen=True)
class Rows:
    """A table: a person, a group and an amount in each row."""

    people: Integers
    groups: Integers
    amounts: Floats

    @property
    def table(self) -> pa.Table:
        return pa.table({"user": self.people, "group": self.groups, "x": self.amounts})

    @cached_property
    def vectors(self) -> Floats:
        """What each person has in each group."""
        return self._added(self.amounts)

    @cached_property
    def events(self) -> Floats:
        """How many rows each person has in each group."""
        return self._added(np.ones(len(self.amounts)))

    def _added(self, values: Floats) -> Floats:
        person, groups = np.unique(self.people, return_inverse=True)[1], int(self.groups.max()) + 1
        added = np.bincount(person * groups + self.groups, values, (int(person.max()) + 1) * groups)
        return np.asarray(added.reshape(-1, groups))


@dataclass(frozen=True)
class Kind:
    """One line of the panel: tables of one kind."""

    half: str
    """"fit" or "report"."""
    heavy: bool
    """True if few people have much of the amount."""
    make: Callable[[Random], Rows]
    real: bool = False
    """True if it is a table as it is, of which there is one."""

    def tables(self, seed: int, draws: int = DRAWS) -> list[Rows]:
        """The tables: the same each time."""
        return [self.make(np.random.default_rng([seed, draw])) for draw in range(1 if self.real else draws)]


def one_each(amounts: Floats) -> Rows:
    """One row of each person."""
    return Rows(np.arange(len(amounts)), np.zeros(len(amounts), dtype=np.int64), amounts)


def pareto(random: Random, people: int, index: float) -> Floats:
    """Pareto amounts from 10 on."""
    return np.asarray(10 * (1 + random.pareto(index, people)))


def lognormal(random: Random, people: int, sigma: float) -> Floats:
    """Log-normal amounts of median 20."""
    return np.asarray(random.lognormal(3, sigma, people))


def whales(random: Random, people: int, share: float, times: float) -> Floats:
    """Log-normal .7, and a small share of people with many times the amount."""
    return lognormal(random, people, 0.7) * np.where(random.random(people) < share, times, 1.0)


def signed(random: Random, amounts: Floats, share: float) -> Floats:
    """Amounts of which a share are refunds."""
    return np.where(random.random(len(amounts)) < share, -amounts, amounts)


def visits(random: Random, people: int, mean: float = 3.0) -> tuple[Integers, Integers]:
    """People and groups of their events; the groups have unequal sizes."""
    user = np.repeat(np.arange(people), 1 + random.poisson(mean, people))
    return _grouped(random, user)


def pareto_visits(random: Random, people: int, index: float) -> tuple[Integers, Integers]:
    """People with Pareto many events."""
    many = np.minimum(np.ceil(random.pareto(index, people) + 0.5), 1000).astype(np.int64)
    return _grouped(random, np.repeat(np.arange(people), many))


def _grouped(random: Random, user: Integers) -> tuple[Integers, Integers]:
    weights = 1 / np.arange(1, GROUPS + 1) ** 0.5
    return user, random.choice(GROUPS, len(user), p=weights / weights.sum())


def of_events(random: Random, people: int, amounts: Callable[[int], Floats]) -> Rows:
    """Each event has an amount of its own."""
    user, group = visits(random, people)
    return Rows(user, group, amounts(len(user)))


def of_people(random: Random, people: int, factors: Floats, sigma: float) -> Rows:
    """Each person has a factor, each event a log-normal amount."""
    user, group = visits(random, people)
    return Rows(user, group, factors[user] * lognormal(random, len(user), sigma))


def own_group(random: Random, people: int, share: float, times: float) -> Rows:
    """A small share of people have many times the amount, all in the first two groups."""
    user, group = visits(random, people)
    rich = (random.random(people) < share)[user]
    return Rows(user, np.where(rich, group % 2, group), random.gamma(2, 15, len(user)) * np.where(rich, times, 1.0))


def many_orders(random: Random, people: int, index: float) -> Rows:
    """Pareto many orders of light amounts."""
    user, group = pareto_visits(random, people, index)
    return Rows(user, group, random.gamma(2, 15, len(user)))


def retail(path: Path) -> Rows:
    """Orders of a real shop: customers, months, revenue."""
    return _read(
        "SELECT user_id, dense_rank() OVER (ORDER BY date_trunc('month', \"at\")) - 1, sum(amount) "
        f"FROM '{path}' GROUP BY user_id, \"at\""
    )


def talk(path: Path) -> Rows:
    """Words that every fourth person of a real chat said, by first letter: letters are joined to ten groups."""
    return _read(
        f"SELECT user_id, (ascii(item) % {GROUPS})::BIGINT AS letter, count(*)::DOUBLE FROM '{path}' "
        "WHERE item IS NOT NULL AND user_id % 4 = 0 GROUP BY user_id, letter"
    )


def _read(query: str) -> Rows:
    found = duckdb.sql(f"{query} ORDER BY 1, 2").fetchnumpy()
    people, groups, amounts = (np.asarray(column) for column in found.values())
    return Rows(people.astype(np.int64), groups.astype(np.int64), amounts.astype(np.float64))


def totals(where: Path) -> dict[str, Kind]:
    """Tables of which one total is released."""
    return {
        "chat, words": Kind("fit", True, lambda _: talk(where / "ubuntu_irc_words.parquet"), real=True),
        "Pareto 1.4": Kind("fit", True, lambda r: one_each(pareto(r, 4_000, 1.4))),
        "Pareto 1.7": Kind("fit", True, lambda r: one_each(pareto(r, 2_000, 1.7))),
        "log-normal 1.25": Kind("fit", True, lambda r: one_each(lognormal(r, 4_000, 1.25))),
        "log-normal 1.75": Kind("fit", True, lambda r: one_each(lognormal(r, 3_000, 1.75))),
        "log-normal 2.25": Kind("fit", True, lambda r: one_each(lognormal(r, 6_000, 2.25))),
        "2% with 50 times": Kind("fit", True, lambda r: one_each(whales(r, 5_000, 0.02, 50))),
        "1% with 60 times": Kind("fit", True, lambda r: one_each(whales(r, 8_000, 0.01, 60))),
        "signed Pareto 1.6": Kind("fit", True, lambda r: one_each(signed(r, pareto(r, 4_000, 1.6), 0.15))),
        "uniform, 3,000": Kind("fit", False, lambda r: one_each(r.uniform(0, 100, 3_000))),
        "gamma 4": Kind("fit", False, lambda r: one_each(r.gamma(4, 10, 4_000))),
        "signed gamma": Kind("fit", False, lambda r: one_each(signed(r, r.gamma(3, 10, 4_000), 0.2))),
        "exponential, 2,000": Kind("fit", False, lambda r: one_each(r.exponential(50, 2_000))),
        "retail": Kind("report", True, lambda _: retail(where / "online_retail_orders.parquet"), real=True),
        "Pareto 1.3": Kind("report", True, lambda r: one_each(pareto(r, 5_000, 1.3))),
        "Pareto 1.5": Kind("report", True, lambda r: one_each(pareto(r, 3_000, 1.5))),
        "Pareto 1.8": Kind("report", True, lambda r: one_each(pareto(r, 2_000, 1.8))),
        "log-normal 1": Kind("report", True, lambda r: one_each(lognormal(r, 4_000, 1.0))),
        "log-normal 1.5": Kind("report", True, lambda r: one_each(lognormal(r, 3_000, 1.5))),
        "log-normal 2": Kind("report", True, lambda r: one_each(lognormal(r, 5_000, 2.0))),
        "log-normal 2.5": Kind("report", True, lambda r: one_each(lognormal(r, 8_000, 2.5))),
        "1% with 100 times": Kind("report", True, lambda r: one_each(whales(r, 8_000, 0.01, 100))),
        "2% with 100 times": Kind("report", True, lambda r: one_each(whales(r, 6_000, 0.02, 100))),
        "3% with 30 times": Kind("report", True, lambda r: one_each(whales(r, 4_000, 0.03, 30))),
        "signed log-normal 1.5": Kind("report", True, lambda r: one_each(signed(r, lognormal(r, 4_000, 1.5), 0.1))),
        "uniform, 5,000": Kind("report", False, lambda r: one_each(r.uniform(0, 100, 5_000))),
        "exponential": Kind("report", False, lambda r: one_each(r.exponential(50, 4_000))),
        "log-normal .5": Kind("report", False, lambda r: one_each(lognormal(r, 4_000, 0.5))),
        "gamma 2": Kind("report", False, lambda r: one_each(r.gamma(2, 15, 3_000))),
        "signed normal": Kind("report", False, lambda r: one_each(r.normal(20, 30, 4_000))),
    }


def grouped(where: Path) -> dict[str, Kind]:
    """Tables of which ten groups are released; the shop has thirteen months."""
    return {
        "chat by letter": Kind("fit", True, lambda _: talk(where / "ubuntu_irc_words.parquet"), real=True),
        "events Pareto 1.6": Kind("fit", True, lambda r: of_events(r, 4_000, lambda n: pareto(r, n, 1.6))),
        "events log-normal 1.75": Kind("fit", True, lambda r: of_events(r, 4_000, lambda n: lognormal(r, n, 1.75))),
        "people log-normal 1.25": Kind("fit", True, lambda r: of_people(r, 4_000, r.lognormal(0, 1.25, 4_000), 1)),
        "people 2% with 50 times": Kind("fit", True, lambda r: of_people(r, 5_000, whales(r, 5_000, 0.02, 50), 0.5)),
        "own groups, 2% with 30": Kind("fit", True, lambda r: own_group(r, 4_000, 0.02, 30)),
        "gamma 4 in groups": Kind("fit", False, lambda r: of_events(r, 4_000, lambda n: r.gamma(4, 10, n))),
        "uniform in groups": Kind("fit", False, lambda r: of_events(r, 3_000, lambda n: r.uniform(0, 100, n))),
        "retail by month": Kind("report", True, lambda _: retail(where / "online_retail_orders.parquet"), real=True),
        "events Pareto 1.4": Kind("report", True, lambda r: of_events(r, 4_000, lambda n: pareto(r, n, 1.4))),
        "events log-normal 2": Kind("report", True, lambda r: of_events(r, 4_000, lambda n: lognormal(r, n, 2))),
        "people log-normal 1.5": Kind("report", True, lambda r: of_people(r, 4_000, r.lognormal(0, 1.5, 4_000), 1)),
        "people 1% with 100 times": Kind("report", True, lambda r: of_people(r, 6_000, whales(r, 6_000, 0.01, 100), 1)),
        "own groups, 3% with 20": Kind("report", True, lambda r: own_group(r, 4_000, 0.03, 20)),
        "orders Pareto 1.5": Kind("report", True, lambda r: many_orders(r, 5_000, 1.5)),
        "signed events log-normal 1.5": Kind(
            "report", True, lambda r: of_events(r, 4_000, lambda n: signed(r, lognormal(r, n, 1.5), 0.1))
        ),
        "log-normal .5 in groups": Kind("report", False, lambda r: of_events(r, 4_000, lambda n: lognormal(r, n, 0.5))),
        "exponential in groups": Kind("report", False, lambda r: of_events(r, 4_000, lambda n: r.exponential(50, n))),
        "gamma 2 in groups": Kind("report", False, lambda r: of_events(r, 3_000, lambda n: r.gamma(2, 15, n))),
    }
