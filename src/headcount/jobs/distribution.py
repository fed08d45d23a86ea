"""The distribution that people draw from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

from headcount.account import Ledger
from headcount.account.events import Neighbours
from headcount.account.guarantee import Cost
from headcount.account.relation import Relation
from headcount.bound.selection.options import ChosenBound
from headcount.errors import BadParameter
from headcount.estimate.distribution.shares import Target
from headcount.exact import Number
from headcount.jobs.bases.items import ListedItemJob
from headcount.jobs.calls.calls import job_function
from headcount.jobs.parameters import parameters
from headcount.jobs.parameters.dates import EXAMPLE
from headcount.jobs.parameters.notation import WHAT_IT_IS
from headcount.jobs.parameters.parameters import parse_public_people
from headcount.mechanism.distribution.strategy import (
    DELTA_METHODS,
    DistributionStrategy,
    Method,
    is_selected,
    target_of,
    weighs_people,
)
from headcount.mechanism.mechanism import AnyMechanism
from headcount.mechanism.options import choice
from headcount.mechanism.strategy import Strategy
from headcount.release import Release
from headcount.release.views.distribution import DISTRIBUTION
from headcount.source.scales.periods import Period
from headcount.wording.options import Options
from headcount.wording.statement import Statement

Sizes = Literal["private", "public"]
TARGETS: dict[Target, tuple[str, str]] = {
    "people": ("over people", "the mean of people's own shares"),
    "rows": ("over rows", "the share of all rows"),
    "source": ("as if people were alike", "the one distribution that everybody draws from, if they do"),
}
"""What a target is called in a title, and in a sentence."""


@job_function
def distribution(
    data: Any,
    *,
    user: str,
    by: str | Sequence[str],
    keys: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    bins: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    per: Period | Mapping[str, Period] | None = None,
    dates: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    where: Mapping[str, Any] | None = None,
    epsilon: Number | None = None,
    delta: Number = 1e-6,
    bound: int | str | ChosenBound = "auto",
    target: Target = "people",
    people: int | None = None,
    sizes: Sizes = "private",
    mechanism: Method = "auto",
    neighbours: Neighbours = "add-remove",
    ledger: Ledger | str | Path | None = None,
) -> Release:
    """Estimate the share of each item of a public list: by default the mean of each person's own shares, so that
    everyone weighs the same. Each row is a sample.

    data: a path or pattern of parquet, csv, tsv or jsonl files; a pandas, polars, pyarrow, DuckDB or Ibis table. Its
        name, a promise, memory and disk are declared with it: `hc.table(data, name=, promise=, memory=, spill=)`.
    user: the column that tells people apart.
    by: the column, or columns, that make an item.
    keys: the items, or `bins`; headcount drops rows with other items.
    bins: public edges for a column of numbers or dates; for several columns, a mapping from column to edges.
    per: "hour", "day", "week", "month", "quarter" or "year" of a column of dates; an item is the start of one. For one
        of several columns, a mapping from column to period. Weeks begin on Monday; with a time zone, in UTC.
    dates: the first and the last date, if they are public. If all other columns are known as well, every period in
        between is released: known by keys, bins or dates. Both dates are included; rows before or after do not count.
    where: count only rows that meet a condition: {"country": "FR"}, {"plan": ["basic", "pro"]}, or {"age": (18, 65)},
        ends included; (18, None) is 18 or more. The release is that of a table with these rows alone.
    epsilon: the privacy budget of this release, everything included; smaller is more private.
    delta: how much more likely an outcome may be than epsilon allows, as a probability; far below one in the number of
        people.
    bound: how many samples of a person count, if not everyone weighs the same; "auto" selects it privately, with 4% of
        epsilon. `hc.ChosenBound(share=)` takes another share.
    target: what a share is. "people": the mean of each person's own shares. "rows": the share of all rows, at most
        `bound` of each person. "source": the one distribution that you know everyone draws from; the more samples
        people have, the less noise there is, but if some people are unlike the others, the result is wrong.
    people: the number of people, if it is public, for the plan's forecast; for a source, the number of people who have
        at least `bound` samples: then the mechanism is chosen beforehand.
    sizes: "public" if everyone may know how many samples each person has; with neighbours="replace".
    mechanism: "auto" takes the one with the smallest predicted error for the target. "laplace" and "gaussian" add noise
        to counts, "sample-one" to those of one sample of each person. The others are about a source, whatever the
        target is: "recentred" compares people with the distribution in rounds; "ks", "hypothesis-selection" and
        "sparse" choose a binomial law for each item (Liu et al. 2020, corrected), from people who have `bound` samples.
    neighbours: whether a person's absence is hidden ("add-remove") or their replacement by another ("replace").
    ledger: where the cost is charged, a Ledger or its path. The same request about the same data then returns the same
        release; about data that changed, it is refused. `hc.plan(...).release(ledger=, again=True)` pays for a new one.

    The guarantee holds whatever the data look like.

    >>> import headcount as hc
    >>> songs = [f"song {number:04d}" for number in range(1, 101)]
    >>> d = hc.distribution(hc.example(), user="user", by="song", keys=songs, epsilon=1)
    >>> d.table.column_names
    ['song', 'share', 'low', 'high']
    """
    raise NotImplementedError


PublicPeople = parse_public_people(2, "people=100000: a distribution of one person cannot be released privately")


@dataclass(frozen=True, kw_only=True)
class Distribution(ListedItemJob):
    """The distribution over a public list of items, each row being a draw: of people, of rows, or of a source."""

    name: ClassVar[str] = "distribution"
    examples: ClassVar[tuple[str, ...]] = (
        "--user user --by country --keys FR,DE,IT --epsilon 1",
        "--user user --by price --bins 0,10,100,1000 --epsilon 1",
    )
    view = DISTRIBUTION
    options: ClassVar[tuple[type[Options], ...]] = (ChosenBound,)
    option_parameters: ClassVar[tuple[str, ...]] = ("share",)
    bound: parameters.Bound = "auto"
    share: parameters.Share = None
    mechanism: Annotated[Method, choice(*get_args(Method))] = "auto"
    target: Annotated[Target, choice(*TARGETS), WHAT_IT_IS] = "people"
    people: Annotated[int | None, PublicPeople] = None
    sizes: Annotated[Sizes, choice("private", "public")] = "private"

    @classmethod
    def resolve(cls, parsed: dict[str, Any]) -> dict[str, Any]:
        """If everybody weighs the same, a bound of 1 says no more than none."""
        same = weighs_people(parsed["mechanism"], parsed["target"]) and parsed["bound"] == 1
        return super().resolve({**parsed, "bound": "auto"} if same else parsed)

    def check(self) -> None:
        super().check()
        self._check_items()
        self._check_public()
        self._check_bound()
        selected = is_selected(self.mechanism, self.bound, self.people, False, self.target)
        if self.share is not None and (self.sizes == "public" or not selected):
            raise BadParameter("share: nothing is chosen that is paid for.", fix="no share")

    def _check_bound(self) -> None:
        if isinstance(self.bound, str) and self.bound != "auto":
            raise BadParameter(
                f"bound={self.bound!r}: a number, or auto.", fix='bound=100, the samples of a person, or "auto"'
            )
        if weighs_people(self.mechanism, self.target) and self.bound != "auto":
            raise BadParameter(
                f'bound={self.bound} with target="people": everybody weighs the same, however many rows they have.',
                fix=f'no bound; or target="rows", bound={self.bound} to weigh people by their rows',
            )
        if self.mechanism == "sample-one" and self.bound not in ("auto", 1):
            raise BadParameter(f'bound={self.bound} with mechanism="sample-one": it is 1.', fix="no bound")

    def _check_items(self) -> None:
        if not self.known and (self.bins or self.per):
            missing, dated = self.unlisted[0], self.unlisted[0] in dict(self.per)
            name, example = ("dates", EXAMPLE) if dated else ("keys", '["apple", "pear"]')
            raise BadParameter(
                f"{name}: those of {missing!r} are missing.",
                fix=f"{name}={{{missing!r}: {example}}}, or {'keys' if dated else 'bins'}",
            )
        if not self.known:
            raise BadParameter(
                "keys: a distribution is over items that are known in advance.",
                fix='keys=["apple", "pear"]; if they are not known, a histogram with count="events"',
            )
        if "share" in self.by:
            raise BadParameter("by='share': the release has a column of that name.", fix="give the column another name")

    def _check_public(self) -> None:
        if self.sizes == "public" and self.neighbours == "add-remove":
            raise BadParameter(
                'sizes="public": then nobody can be added or removed unseen.',
                fix='sizes="public", neighbours="replace"',
            )
        if self.people is not None and self.sizes == "public":
            raise BadParameter(f'people={self.people} with sizes="public": it follows from the sizes.', fix="no people")
        if self.people is not None and self.bound == "auto" and not weighs_people(self.mechanism, self.target):
            raise BadParameter(
                f"people={self.people}: how many have how many samples?",
                fix=f"people={self.people}, bound=100 if that many people have at least 100 each; or no people",
            )

    def check_zero_delta(self) -> None:
        if self.mechanism in DELTA_METHODS:
            raise BadParameter(
                f'delta=0: "{self.mechanism}" needs a delta above 0.', fix='delta=1e-6, or mechanism="laplace"'
            )

    @property
    def relation(self) -> Relation:
        return "replace-same-size" if self.sizes == "public" else self.neighbours

    @property
    def counts_events(self) -> bool:
        return True

    def strategy(self, budget: Cost, cells: int | None) -> DistributionStrategy:
        assert cells is not None
        return DistributionStrategy(
            budget=budget,
            neighbours=self.neighbours,
            cells=cells,
            method=self.mechanism,
            bound=self.bound,
            people=self.people,
            public=self.sizes == "public",
            share=self.share,
            target=self.target,
        )

    @property
    def unit(self) -> str:
        return "share"

    @property
    def value_name(self) -> str:
        return "share"

    @property
    def value_noun(self) -> str:
        return "shares"

    def own_title(self) -> str:
        return f"the distribution of {self.item} {TARGETS[self._target][0]}"

    @property
    def _target(self) -> Target:
        return target_of(self.mechanism, self.target)

    def interval(self, mechanism: AnyMechanism, most: int | None) -> str:
        if self._target == self.target:
            return super().interval(mechanism, most)
        return (
            f'The mechanism "{self.mechanism}" estimates {TARGETS[self._target][1]}, not {TARGETS[self.target][1]}. '
            f'Its intervals may miss the latter: for that, use mechanism="auto". {super().interval(mechanism, most)}'
        )

    def explain(self, strategy: Strategy, mechanism: AnyMechanism) -> list[Statement]:
        assert isinstance(strategy, DistributionStrategy)
        name = strategy.name_of(mechanism)
        samples = (
            f"Each row is a sample. headcount drops rows whose {self.item} is not on the public list; shares are of "
            "the rows that are left."
        )
        moves = f'headcount moves the shares to the nearest distribution. This is the mechanism "{name}".'
        return [
            Statement("reading", samples),
            *super().explain(strategy, mechanism),
            Statement("closing", moves),
        ]

    @property
    def _change(self) -> str:
        if self.sizes == "public":
            return f"replacing the samples of any one person ({self.user}) by as many others of the public list"
        return super()._change
