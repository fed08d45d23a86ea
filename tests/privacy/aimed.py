"""The command line with noise that is given: so that two datasets have the same private result, and everything else
that can be seen must be the same, too.

    NOISE='[5, -7]' python tests/privacy/aimed.py histogram FILE ...
"""

import json
import os

import numpy as np

from headcount.cli import main
from headcount.noise.entropy import SystemEntropy
from headcount.noise.law import Integers, Law

GIVEN = json.loads(os.environ["NOISE"])


def draw(self: SystemEntropy, law: Law, size: int) -> Integers:
    """What was given, once."""
    return np.array([GIVEN.pop(0) for _ in range(size)], dtype=np.int64)


if __name__ == "__main__":
    SystemEntropy.draw = draw  # type: ignore[method-assign]
    main()
    assert not GIVEN
