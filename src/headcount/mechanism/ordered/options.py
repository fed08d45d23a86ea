"""The options of a binary search by samples."""

from typing import ClassVar

from headcount.mechanism.stages.sampling import SampleOptions
from headcount.wording.options import options


@options
class SampleSearch(SampleOptions):
    """A binary search for one quantile or two, by samples and without noise.

    p: the probability to be in the sample. It follows from theta, or both follow from epsilon and delta.
    theta: the smallest sampled count that is used.
    rule: the price: "exact" is what it truly costs, "paper" the rule of the paper, which wastes most of the budget.
    """

    name: ClassVar[str] = "sample-search"
    example: ClassVar[str] = "theta=15"
