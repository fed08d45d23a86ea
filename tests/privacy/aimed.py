"""The command line with noise that is given: so that two datasets have the same private result, and everything else
that can be seen must be the same, too.

    NOISE='[5, -7]' FOUND='[0, 1]' python tests/privacy/aimed.py histogram FILE ...

FOUND are the places of the items that the first race finds; the others find none. With COINS=true coins are given as
well, a 0 or a 1 for each.
"""

import json
import os

import numpy as np

from headcount.cli import main
from headcount.exact import Integers
from headcount.noise.distribution import NoiseDistribution
from headcount.noise.entropy import Entropy, Uniform64
from headcount.noise.race import Race

GIVEN = json.loads(os.environ["NOISE"])
FOUND = [json.loads(os.environ.get("FOUND", "[]"))]


def draw(self: Uniform64, distribution: NoiseDistribution, size: int) -> Integers:
    """What was given, once."""
    return np.array([GIVEN.pop(0) for _ in range(size)], dtype=np.int64)


def race(self: Uniform64, race: Race, maximum: int) -> Integers:
    """What is to be found, the first time."""
    return np.array(FOUND.pop() if FOUND else [], dtype=np.int64)


if __name__ == "__main__":
    Uniform64.draw = draw  # type: ignore[method-assign]
    Uniform64.race = race  # type: ignore[method-assign]
    if json.loads(os.environ.get("COINS", "false")):
        Uniform64.thin = Entropy.thin  # type: ignore[method-assign]
    try:
        main()
    finally:
        assert not GIVEN, "noise is left over"
