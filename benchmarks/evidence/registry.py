"""All experiments: those of README.md and the front page, and the rest."""

from benchmarks.evidence.experiment import COUNTS, LEDGER, MECHANISMS, SCALE, SRC, Experiment, module, with_own
from benchmarks.evidence.night import NIGHT

QUICK = (
    Experiment(
        "good",
        "Good items on five real tables, by default",
        module("coverage", "--real", "--runs", "10"),
        with_own("coverage", *COUNTS, "benchmarks/panel.py::REAL,half_of"),
        4,
        ("default",),
        quick=True,
        real=True,
    ),
    Experiment(
        "speed",
        "Time and memory beside DuckDB's own query, 10 million events",
        module("scale", "--sizes", "10000000", "--only", "auto", "--rounds", "3", "--again"),
        (*COUNTS, *SCALE),
        3,
        quick=True,
        packages=("duckdb", "pyarrow", "numpy"),
        alone=True,
    ),
    Experiment(
        "few-people",
        "How many people a table needs",
        module("few_people"),
        with_own("few_people", *COUNTS),
        1,
        ("shown",),
        quick=True,
    ),
    Experiment(
        "enumeration",
        "Exact deltas on tiny tables",
        module("audit", "exact"),
        with_own("audit", *MECHANISMS),
        3,
        ("exact", "summary"),
        quick=True,
        packages=("numpy",),
    ),
    Experiment(
        "audit-quick",
        "The black-box audit of every mechanism, few runs",
        module("audit", "mechanisms", "--runs", "10000"),
        with_own("audit", *MECHANISMS),
        12,
        ("mechanisms", "summary"),
        quick=True,
        packages=("numpy",),
    ),
    Experiment(
        "kills",
        "A ledger whose writers are killed",
        module("audit", "ledger", "--kills", "1300"),
        with_own("audit", *LEDGER, f"{SRC}/audit/chaos.py"),
        5,
        ("kills", "contention"),
        quick=True,
        packages=(),
    ),
    Experiment(
        "retries",
        "A release that is stopped and repeated",
        module("audit", "retries", "--lines", "60"),
        with_own("audit", *LEDGER, f"{SRC}/audit/retries.py", f"{SRC}/planner/*.py", f"{SRC}/run.py"),
        2,
        ("retries",),
        quick=True,
        packages=(),
    ),
    Experiment(
        "comparison",
        "Good items beside other systems",
        module("comparison"),
        with_own("comparison", *(f"docs/evidence/{each}.json" for each in ("good", "peers", "hindsight"))),
        0.1,
        ("best", "hindsight"),
        quick=True,
        packages=(),
        alone=True,
    ),
)
"""What README.md and the front page show, in the order in which it is measured."""

EXPERIMENTS = {each.name: each for each in (*QUICK, *NIGHT)}
