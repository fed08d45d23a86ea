"""Variants and baselines of the papers, to reproduce and to compare with. The plan itself advises against most of them.

    from headcount import papers
    hc.histogram(..., mechanism=papers.Plume())
    hc.histogram(..., keys=[...], bound=papers.DpSgd(share=0.1))

On the command line: `--mechanism papers.plume`, `--bound papers.dp-sgd:share=0.1`.
"""

from headcount.bound.selection.options import (
    DpSgd,
    Exponential,
    InverseSensitivity,
    MQuantile,
    OutputPerturbation,
    Quantile,
)
from headcount.mechanism.baseline.options import Plume, PlumeThreshold

__all__ = [
    "DpSgd",
    "Exponential",
    "InverseSensitivity",
    "MQuantile",
    "OutputPerturbation",
    "Plume",
    "PlumeThreshold",
    "Quantile",
]
