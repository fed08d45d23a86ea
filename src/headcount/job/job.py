"""A job: what a request about a table is answered with."""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import pyarrow as pa

from headcount.account.guarantee import Cost
from headcount.account.relation import Relation
from headcount.bound.selection.people import NoisyCount
from headcount.job.words import Words
from headcount.mechanism.mechanism import Columns, Noisy
from headcount.mechanism.strategy import Strategy
from headcount.release.views.items import ITEMS
from headcount.release.views.view import View
from headcount.source.frames.arrow_columns import arrow_table


@dataclass(frozen=True, kw_only=True)
class Job(Words):
    """A request about a table: the parameters of one public function."""

    name: ClassVar[str]
    """The public function."""
    view: ClassVar[View] = ITEMS
    """The kind of table that a release of this job is."""
    examples: ClassVar[tuple[str, ...]] = ()
    """Options of commands that run as they are, on a table of visits: they end the command's help."""

    _KINDS: ClassVar[dict[str, type["Job"]]] = {}

    def __init_subclass__(cls) -> None:
        """Register the class of a job by the job's name."""
        if "name" in vars(cls):
            Job._KINDS[cls.name] = cls

    @staticmethod
    def kind(name: str) -> type["Job"]:
        """The class of a job; it is known once its file is imported."""
        return Job._KINDS[name]

    @abstractmethod
    def strategy(self, budget: Cost, cells: int | None) -> Strategy:
        """The strategy for a budget; `cells` is the number of public items."""

    def table(self, noisy: Noisy, columns: Columns, people: NoisyCount) -> pa.Table:
        """The released rows."""
        return arrow_table(columns.by_name)

    @property
    def public_people(self) -> int:
        """The number of people, if it is public and needed; else 0."""
        return 0

    @property
    def relation(self) -> Relation:
        """The neighbours that are promised anything, as a ledger adds them up."""
        return self.neighbours

    def of_one_row(self, delta: Fraction) -> Self:
        """The job for a table in which each person has at most one row, within a budget of this delta: with bounds that
        follow from it, where they would have to be chosen."""
        return self
