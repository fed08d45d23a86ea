"""Tables to make views of: what is declared about them, and what one person's rows may be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

PEOPLE = 5
Rows = dict[str, list[tuple[Any, ...]]]


@dataclass(frozen=True)
class World:
    """Tables, and what is declared about them."""

    schema: Mapping[str, str]
    """Columns of each table, as SQL."""
    users: Mapping[str, str]
    links: Mapping[str, str]
    public: tuple[str, ...]
    person: Callable[[Random, int | None], Rows]
    """Draws the rows of a person, or (None) of nobody."""
    public_rows: Callable[[Random], Rows]


def some(draw: Random, values: int) -> int | None:
    """A small number, now and then none."""
    return None if draw.random() < 0.15 else draw.randrange(values)


def keys(draw: Random, user: int | None) -> list[int]:
    """Keys that belong to one person; those of nobody, too, are there."""
    return [10 * (PEOPLE if user is None else user) + place for place in range(draw.randrange(3))]


def claimed(draw: Random, user: int | None) -> list[int]:
    """Keys that several people may claim at once; what is linked to them is the same in all neighbours."""
    return [10 * PEOPLE + draw.randrange(2)] if user is not None and draw.random() < 0.4 else []


def _letters_person(draw: Random, user: int | None) -> Rows:
    orders = keys(draw, user)
    times = [range(draw.choice([0, 0, 1, 2, 3])), range(draw.choice([0, 1, 2]))]
    floats = [0.0, -0.0, 1.5]
    return {
        "a": [(user, some(draw, 3), some(draw, 4), draw.choice("xyzXY"), draw.choice(floats)) for _ in times[0]],
        "b": [(user, some(draw, 3), some(draw, 4), draw.choice("xyzXY")) for _ in times[1]],
        "o": [(user, key, some(draw, 4)) for key in (*orders, *claimed(draw, user))],
        "l": [(key, some(draw, 4)) for key in orders for _ in range(draw.randrange(3))],
    }


def _letters_public(draw: Random) -> Rows:
    return {
        "p": [(key, draw.choice("mn")) for key in range(3) if draw.random() < 0.8],
        "q": [(draw.randrange(4), draw.randrange(3)) for _ in range(3)],
        "reg": [(person, person % 2) for person in range(PEOPLE)],
    }


LETTERS = World(
    {
        "a": "u BIGINT, k BIGINT, x BIGINT, s VARCHAR COLLATE NOCASE, f DOUBLE",
        "b": "u BIGINT, k BIGINT, y BIGINT, s VARCHAR",
        "o": "u BIGINT, ok BIGINT, w BIGINT",
        "l": "ok BIGINT, z BIGINT",
        "p": "k BIGINT, name VARCHAR",
        "q": "y BIGINT, v BIGINT",
        "reg": "u BIGINT, zone BIGINT",
    },
    {"a": "u", "b": "u", "o": "u"},
    {"l.ok": "o.ok"},
    ("p", "q", "reg"),
    _letters_person,
    _letters_public,
)
"""Three tables with a user, one linked, three public."""


def _day(draw: Random) -> str | None:
    return None if draw.random() < 0.1 else f"2024-0{draw.randrange(1, 4)}-0{draw.randrange(1, 5)}"


def _named_person(draw: Random, user: int | None) -> Rows:
    orders = keys(draw, user)
    return {
        "customer": [(user, some(draw, 3), draw.choice("ab"), some(draw, 50)) for _ in range(draw.randrange(2))],
        "orders": [(key, user, _day(draw), some(draw, 90)) for key in (*orders, *claimed(draw, user))],
        "lineitem": [
            (key, some(draw, 3), some(draw, 5), draw.random()) for key in orders for _ in range(draw.randrange(3))
        ],
        "person": [(user, some(draw, 3), draw.choice("fm"), some(draw, 2)) for _ in range(draw.randrange(2))],
        "drug_era": [(user, some(draw, 3), _day(draw), some(draw, 40)) for _ in range(draw.randrange(4))],
        "visit": [
            (user, some(draw, 9), _day(draw), some(draw, 4), draw.choice("12x")) for _ in range(draw.randrange(4))
        ],
    }


def _named_public(draw: Random) -> Rows:
    return {
        "nation": [(0, "FR"), (1, "DE")],
        "part": [(0, "tin"), (1, "oil")],
        "concept": [(0, "asa", "x"), (2, "ibu", "y"), (2, "ib2", "y")],
        "registry": [(person, "north") for person in range(PEOPLE)],
    }


NAMED = World(
    {
        "customer": "c_custkey BIGINT, c_nationkey INT, c_name VARCHAR, c_acctbal DECIMAL(12, 2)",
        "orders": "o_orderkey BIGINT, o_custkey BIGINT, o_orderdate DATE, o_totalprice DECIMAL(12, 2)",
        "lineitem": "l_orderkey BIGINT, l_partkey BIGINT, l_quantity INT, l_price DOUBLE",
        "nation": "n_nationkey INT, n_name VARCHAR",
        "part": "p_partkey BIGINT, p_type VARCHAR",
        "person": "person_id BIGINT, year_of_birth INT, gender VARCHAR, site INT",
        "drug_era": "person_id BIGINT, concept_id BIGINT, start DATE, days INT",
        "visit": "person_id BIGINT, visit_id BIGINT, start DATE, kind INT, cost VARCHAR",
        "concept": "concept_id BIGINT, name VARCHAR, class VARCHAR",
        "registry": "person_id BIGINT, region VARCHAR",
    },
    {"customer": "c_custkey", "orders": "o_custkey", **dict.fromkeys(("person", "drug_era", "visit"), "person_id")},
    {"lineitem.l_orderkey": "orders.o_orderkey"},
    ("nation", "part", "concept", "registry"),
    _named_person,
    _named_public,
)
"""A shop as in TPC-H, and a hospital as in OMOP."""
