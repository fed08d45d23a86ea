"""The ways of counting that are measured: ours, the plain query, and peers."""

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PEERS = HERE.parent / "peers"
SOURCE = HERE.parents[1] / "src" / "headcount"
CLUSTER = ", rows on the cluster"
"""Ends the name of a way on Spark in which the rows do not come to the driver, however small the table is."""


@dataclass(frozen=True)
class Way:
    """A script's way of counting."""

    key: str
    """What `--only` calls it."""
    name: str
    """What the tables call it; `{bound}` stands for the bound that was given."""
    script: Path
    how: str = ""
    """An argument of the script."""
    environment: str = ""
    """Whose Python runs it, of the peers; nothing for ours."""
    seeded: bool = False
    """Whether it releases the same in every run."""

    @property
    def ours(self) -> bool:
        """Whether it is headcount's."""
        return self.script.stem == "with_headcount"

    @property
    def code(self) -> list[Path]:
        """The files on which its figures depend."""
        return [self.script, HERE / "once.py", HERE / "events.py", *(sorted(SOURCE.rglob("*.py")) if self.ours else ())]


def _own(key: str, name: str, how: str = "", *, seeded: bool = False) -> Way:
    return Way(key, f"headcount, {name}", HERE / "with_headcount.py", how or key, seeded=seeded)


def _peer(key: str, name: str, how: str) -> Way:
    return Way(key, name, PEERS / f"with_{key}.py", how, environment=key)


PLAIN = Way("plain", "DuckDB, plain", HERE / "with_duckdb.py")
POLARS = Way("polars", "Polars, plain", HERE / "with_polars.py")
OURS = (
    _own("count-release", "count-release"),
    _own("weighted", "weighted"),
    _own("thresholded", "thresholded, bound {bound}"),
    _own("thresholded-auto", "thresholded, bound chosen", "thresholded auto"),
    _own("auto", "nothing said"),
    _own("known", "items known"),
)
MEMORY = (
    _own("seeded", "nothing said, all memory", seeded=True),
    _own("limited", "nothing said, 4 GB", seeded=True),
)
QUICK_PEERS = (
    _peer("opendp", "OpenDP 0.16, bound {bound}", "gaussian"),
    _peer("diffprivlib", "diffprivlib 0.6.6, bound {bound}, items known", "gaussian"),
)
SLOW_PEERS = (
    _peer("smartnoise", "SmartNoise-SQL 1.0.10, bound {bound}", "laplace"),
    _peer("pipelinedp", "PipelineDP 0.3.1, bound {bound}", "gaussian"),
    _peer("tumult", "Tumult Analytics 0.21, bound {bound}", "laplace"),
)
WAYS = {way.key: way for way in (PLAIN, POLARS, *OURS, *MEMORY, *QUICK_PEERS, *SLOW_PEERS)}
