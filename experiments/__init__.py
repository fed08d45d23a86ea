"""Experiments of papers, run again with headcount's own parts: our numbers beside the printed ones.

These are experiments, not releases: data are generated from a seed, and losses are measured on data that are known.
Private selections are sampled by the product's classes, with the operating system's entropy. They stand beside the
package, not in it: no module of src/ imports them, and the wheel does not contain them.

__main__.py      the command line
report.py        the result of an experiment: tables, notes, a picture
pictures.py      panels of lines or points
parts.py         an experiment of several parts
best.py          optimal contribution bounds in hindsight
bounding/        Liu et al. 2023: contribution bounds
count_release/   Rogers 2024: items found one after another
sampling/        Bharadwaj and Cormode 2022: a sample and a threshold instead of noise
shape/           Ghazi et al. 2022: the shape of a histogram without its labels
distribution/    Liu et al. 2020: the distribution behind the counts
"""

from importlib import import_module
from typing import TYPE_CHECKING

from headcount.errors import BadParameter

if TYPE_CHECKING:
    from experiments.report import Experiment

EXPERIMENTS = {
    "bounding-table1": "experiments.bounding.table1",
    "bounding-table2": "experiments.bounding.table2",
    "bounding-figure2": "experiments.bounding.figure2",
    "bounding-figure3": "experiments.bounding.figure3",
    "bounding-figure4": "experiments.bounding.figure4",
    "bounding-figure6": "experiments.bounding.figure6",
    "bounding-known": "experiments.bounding.known",
    "count-release": "experiments.count_release.figures",
    "sampling": "experiments.sampling.everything",
    "shape": "experiments.shape.everything",
    "distribution": "experiments.distribution.everything",
}
"""Modules by the name of their experiment, each with a function `run`; imported on first use."""


def experiment(name: str) -> "Experiment":
    """Import the experiment of this name."""
    if name not in EXPERIMENTS:
        problem = f"{name!r}: no such experiment" if name else "no experiment is named"
        raise BadParameter(
            f"{problem}; there are {', '.join(EXPERIMENTS)}.",
            fix="make reproduce NAME=bounding-table1",
        )
    run: Experiment = import_module(EXPERIMENTS[name]).run
    return run
