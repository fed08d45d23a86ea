"""An experiment: what is measured by which command, and on which source files its figures depend.

Sources are as few as is true: what another system does depends on its version and on the code that calls it, so it does
not age with ours. A file of Python may be followed by names, `file.py::one,other`: these definitions alone.
"""

from dataclasses import dataclass

SRC = "src/headcount"
NOISE = (f"{SRC}/exact.py", f"{SRC}/noise/*.py")
PRICES = tuple(
    f"{SRC}/account/{names}.py"
    for names in ("guarantee", "relation", "events/*", "prices/*", "curves/*", "composition/*", "calibration/*")
)
LEDGER = (f"{SRC}/account/**/*.py", f"{SRC}/noise/entropy.py")
KERNELS = (f"{SRC}/source/kernels/*.py", f"{SRC}/source/kernels/kernels.c")
ROOMS_OF_SOURCE = ("files", "frames", "scales", "conditions", "contributions", "engines")
READ = (f"{SRC}/source/*.py", *(f"{SRC}/source/{folder}/*.py" for folder in ROOMS_OF_SOURCE), *KERNELS)
ROWS = (*READ, f"{SRC}/bound/**/*.py")
SHARED = (
    *NOISE,
    *PRICES,
    *ROWS,
    f"{SRC}/mechanism/*.py",
    f"{SRC}/mechanism/stages/*.py",
    f"{SRC}/estimate/*.py",
    f"{SRC}/planner/*.py",
)
ITEMS = (f"{SRC}/mechanism/unknown/*.py", f"{SRC}/estimate/counts/*.py", f"{SRC}/jobs/histogram*.py")
COUNTS = (*SHARED, *ITEMS, "benchmarks/truth.py")
"""People or events per item, items not known in advance."""
KNOWN = (*COUNTS, f"{SRC}/mechanism/known/*.py")
TOP = (*SHARED, f"{SRC}/mechanism/topk/*.py", f"{SRC}/jobs/histogram*.py", "benchmarks/truth.py")
GROUPS = (
    *(*SHARED, f"{SRC}/mechanism/groups/*.py", f"{SRC}/estimate/groups/*.py"),
    *(f"{SRC}/mechanism/unknown/*.py", f"{SRC}/estimate/counts/*.py"),
    *(f"{SRC}/estimate/tail/*.py", f"{SRC}/jobs/aggregate.py"),
)
ORDERED = (*SHARED, f"{SRC}/mechanism/ordered/*.py", f"{SRC}/estimate/ordered/*.py", f"{SRC}/jobs/quantiles.py")
SHAPE = (*SHARED, f"{SRC}/mechanism/shape/*.py", f"{SRC}/estimate/shape/*.py", f"{SRC}/jobs/shape.py")
SHARES = (
    *(*SHARED, f"{SRC}/mechanism/distribution/*.py", f"{SRC}/estimate/distribution/*.py"),
    f"{SRC}/jobs/distribution.py",
)
SAMPLED = (*SHARED, f"{SRC}/mechanism/sampled/*.py", f"{SRC}/estimate/counts/sampled.py")
AUDITS = (f"{SRC}/audit/*.py", "audits/**/*.py")
MECHANISMS = (*NOISE, *PRICES, f"{SRC}/bound/**/*.py", f"{SRC}/mechanism/**/*.py", *AUDITS)
SCALE = ("benchmarks/scale/*.py",)
OPENDP = "benchmarks/peers/with_opendp.py::epsilon_at,loss,within,release,EPSILON,FOR_THRESHOLD,USER"
SMARTNOISE = "benchmarks/peers/with_smartnoise.py::loaded,described,budget,release,QUERY"
PEERS = ("benchmarks/peers/__main__.py::prepared,percentile,off,cell", "benchmarks/truth.py::true_counts")


@dataclass(frozen=True)
class Experiment:
    """One command, and what it is about."""

    name: str
    title: str
    command: tuple[str, ...]
    """What follows `python`."""
    sources: tuple[str, ...]
    """Patterns of the files on which the figures depend, besides the command's own."""
    minutes: float
    """About, on two cores that do nothing else."""
    tables: tuple[str, ...] = ()
    """Names of the tables in the order in which they are printed, if what is printed does not name them."""
    quick: bool = False
    """True if README.md or the front page shows it."""
    alone: bool = False
    """True if it measures time, or reads what others wrote: it runs by itself, after the others."""
    real: bool = False
    """True if it needs the shared tables."""
    environments: tuple[str, ...] = ()
    """Peers that have environments of their own (`make .venv-NAME/ready`)."""
    packages: tuple[str, ...] = ("duckdb",)
    """Packages whose versions matter."""

    @property
    def typed(self) -> str:
        """The command as one types it."""
        return " ".join(("python", *self.command))


def module(name: str, *options: str) -> tuple[str, ...]:
    return ("-m", f"benchmarks.{name}", *options)


def with_own(name: str, *sources: str) -> tuple[str, ...]:
    """The sources, and the file of the command."""
    return (*sources, f"benchmarks/{name.replace('.', '/')}.py")
