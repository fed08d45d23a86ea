"""What the paper says of its data, looked up in our numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from experiments.count_release.methods import LEVEL, PRINTED, Trial, plume_name
from experiments.report import Table

FEW = 0.1


@dataclass(frozen=True)
class Measured:
    """Some releases of one method with one rho."""

    trials: tuple[Trial, ...]

    @property
    def results(self) -> float:
        """How many results there are on average."""
        return sum(each.results for each in self.trials) / len(self.trials)

    @property
    def beyond(self) -> float:
        """The part of all results that is off by more than the target; not a number if there are none."""
        results = sum(each.results for each in self.trials)
        return sum(each.beyond for each in self.trials) / results if results else float("nan")


Found = Mapping[str, Mapping[str, Measured]]
"""By rho, then by method."""
ByMethod = Mapping[str, Measured]

PLAIN, ABOVE = plume_name("true 99th", threshold=False), plume_name("true 99th", threshold=True)
LOW = plume_name("true 95th", threshold=True)
CLAIMS: tuple[tuple[str, str, Callable[[ByMethod], bool]], ...] = (
    (
        "Plume without a threshold shows more than PCR",
        "all",
        lambda at: at[PLAIN].results > at[PRINTED].results,
    ),
    ("... and few of its counts are beyond 10%", "Figure 1", lambda at: at[PLAIN].beyond <= FEW),
    ("PCR: at most 10% of the counts are beyond 10%", "all", lambda at: at[PRINTED].beyond <= FEW),
    (
        "Plume + threshold, 95th percentile: more than 10% are beyond 10%",
        "Figures 3, 4",
        lambda at: at[LOW].beyond > FEW,
    ),
    (
        "Plume + threshold, 99th percentile: nearly none (2% or less)",
        "Figures 2, 3",
        lambda at: at[ABOVE].beyond <= FEW / 5,
    ),
    (
        "PCR shows more than Plume + threshold, 99th percentile",
        "Figures 2, 5",
        lambda at: at[PRINTED].results > at[ABOVE].results,
    ),
    (
        "... and fewer of its counts are beyond 10%",
        "Figure 5",
        lambda at: at[PRINTED].results > at[ABOVE].results and at[PRINTED].beyond < at[ABOVE].beyond,
    ),
    (
        "*ours:* `level` shows more than PCR as printed, at most 10% beyond 10%",
        "-",
        lambda at: at[LEVEL].results > at[PRINTED].results and at[LEVEL].beyond <= FEW,
    ),
    (
        "*ours:* `level` shows more than Plume + threshold, 99th percentile",
        "-",
        lambda at: at[LEVEL].results > at[ABOVE].results,
    ),
)


def claims_table(found: Mapping[str, Found]) -> Table:
    """For each claim where it holds."""
    rows = [
        (claim, where, *(_where({rho: holds(at) for rho, at in each.items()}) for each in found.values()))
        for claim, where, holds in CLAIMS
    ]
    return Table("What the paper says, and where it holds here", ("claim", "paper", *found), tuple(rows))


def _where(holds: Mapping[str, bool]) -> str:
    there: Sequence[str] = [rho for rho, each in holds.items() if each]
    return "yes" if len(there) == len(holds) else f"at rho {', '.join(there)}" if there else "no"
