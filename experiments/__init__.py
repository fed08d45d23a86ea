"""The papers' experiments, run again with headcount's own parts: our numbers beside the printed ones.

These are experiments, not releases: data are made from a seed, and losses are measured on data that are known. What is
chosen privately is drawn by the product's classes, with the operating system's entropy. Nothing that releases imports
this package.

report.py     what an experiment gives back: tables, sentences, a picture
pictures.py   panels of lines or points
parts.py      an experiment of several parts
bounding/     paper 000: how much one person may contribute
count_release/   paper 003: items found one after another
sampling/     paper 001: a sample and a threshold instead of noise
shape/        paper 002: the shape of a histogram without its labels
distribution/    paper 004: the distribution behind the counts
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
"""Each in a module of its own, with a function `run`: loaded when it is asked for."""


def experiment(name: str) -> "Experiment":
    """The experiment of this name."""
    if name not in EXPERIMENTS:
        raise BadParameter(
            f"{name!r}: no such experiment; there are {', '.join(EXPERIMENTS)}.",
            fix="make reproduce NAME=bounding-table1",
        )
    run: Experiment = import_module(EXPERIMENTS[name]).run
    return run
