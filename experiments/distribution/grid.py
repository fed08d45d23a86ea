"""The error for fewer and more draws of each person, fewer and more people, fewer and more items."""

from collections.abc import Mapping
from itertools import product

from experiments.distribution.people import sample_people
from experiments.distribution.ways import WAYS, Errors, errors, summary
from experiments.parts import Part
from experiments.report import Setting, Table
from headcount.account.events import Neighbours

KINDS = ("uniform", "zipf")
CELLS, PEOPLE, DRAWS = (100, 1_000), (2_000, 20_000), (10, 100, 400)
RUNS = 6
Place = tuple[str, int, int, int]
"""The distribution, items, people, draws of each."""
_WAYS = ("not private", "laplace", "gaussian", "sample-one", "recentred", "hypothesis-selection", "sparse", "ks")
_DIGEST = {
    ("uniform", 100, 2_000, 10): ".059|.126|.238|.301|.157|.213|.305|.128",
    ("uniform", 100, 2_000, 100): ".018|.110|.230|.291|.052|.304|.394|.063",
    ("uniform", 100, 2_000, 400): ".0096|.102|.244|.285|.025|.088|.103|.033",
    ("zipf", 100, 2_000, 10): ".050|.105|.223|.233|.161|.822|.340|.135",
    ("zipf", 100, 2_000, 100): ".015|.098|.223|.252|.054|.456|.413|.047",
    ("zipf", 100, 2_000, 400): ".0079|.107|.236|.242|.027|.099|.100|.027",
    ("uniform", 100, 20_000, 10): ".018|.022|.032|.060|.024|.021|.026|.024",
    ("uniform", 100, 20_000, 100): ".006|.012|.024|.060|.0078|.0082|.011|.0096",
    ("uniform", 100, 20_000, 400): ".0028|.0099|.026|.060|.0035|.0079|.0079|.0077",
    ("zipf", 100, 20_000, 10): ".016|.020|.030|.052|.021|.178|.026|.020",
    ("zipf", 100, 20_000, 100): ".0045|.011|.026|.044|.0070|.0078|.0099|.0075",
    ("zipf", 100, 20_000, 400): ".0022|.010|.022|.058|.0033|.0048|.0048|.0044",
}
DIGEST: dict[Place, dict[str, str]] = {
    index: dict(zip(_WAYS, line.split("|"), strict=True)) for index, line in _DIGEST.items()
}
NOTES = (
    "*Error*: s people draw m items each, of k, from one distribution: uniform, or of weights 1/j (zipf). Epsilon 1, "
    "delta 1e-6. In a cell: how far the estimate is from the distribution, all differences added up (l1), the mean "
    f"over {RUNS} groups of people with a release of each; in brackets what our notes on the paper have measured (over "
    "2). Where a few releases are so far off that they decide the mean, the median stands beside it: a selection may "
    "give one item nearly everything. *Auto* is what the product does by default.",
    "*Laplace*, *gaussian*, *sample-one* are what the paper compares with. *Hypothesis-selection* is its Algorithm 3 "
    "(dense), *sparse* its Algorithm 5, both corrected and with the product's tighter price. *Ks* has another score in "
    "Algorithm 1, *recentred* is another way altogether: both are ours.",
)


def part(setting: Setting) -> Part:
    """With one person replaced, as in the paper; and a few lines with one added or removed."""
    indices: list[Place] = list(product(KINDS, CELLS, PEOPLE, DRAWS))
    added: list[Place] = [("zipf", 100, people, each) for people, each in product(PEOPLE, DRAWS)]
    runs = 1 if setting.quick else RUNS
    found = {index: measured(index, setting.seed, runs) for index in (indices[:2] if setting.quick else indices)}
    others = {index: measured(index, setting.seed, runs, "add-remove") for index in added[: len(found)]}
    return Part(
        (
            _table("Error (l1), one person replaced", found, DIGEST),
            _table("Error (l1), one person added or removed", others, {}),
        ),
        NOTES,
    )


def measured(index: Place, seed: int, runs: int, neighbours: Neighbours = "replace") -> Errors:
    """Of every way, on a few groups of people."""
    return errors([sample_people(*index, seed, run) for run in range(runs)], WAYS, neighbours)


def _table(title: str, found: Mapping[Place, Errors], digest: Mapping[Place, Mapping[str, str]]) -> Table:
    rows = tuple(_row(index, each, digest.get(index, {})) for index, each in found.items())
    return Table(title, ("distribution", "k", "s", "m", *WAYS), rows)


def _row(index: Place, found: Errors, digest: Mapping[str, str]) -> tuple[str, ...]:
    source, *numbers = index
    return (source, *(f"{each:,}" for each in numbers), *(summary(found[way], digest.get(way, "")) for way in WAYS))
