"""The parameters of a histogram, and which of them contradict one another."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from headcount.bound.selection.by_load import Generalized
from headcount.bound.selection.profile import MOST_ITEMS, FromProfile
from headcount.errors import BadParameter
from headcount.jobs import parameters
from headcount.jobs.items import ListedItemJob
from headcount.jobs.parameters import check_paper_rule, given_of_sample
from headcount.mechanism.baseline import strategy as plume
from headcount.mechanism.known import strategy as known
from headcount.mechanism.known.correlated import Correlated
from headcount.mechanism.known.strategy import SQUARES
from headcount.mechanism.sampled.sample_threshold import MOST_REPORTS, Sampled
from headcount.mechanism.topk.levels import KBAR
from headcount.mechanism.unknown import strategy as unknown
from headcount.mechanism.unknown.joint import Joint
from headcount.mechanism.unknown.rounds import Rounds

TOPK_ONLY = ("target_error", "variant", "kbar", "first_epsilon", "selection_delta")
"""Parameters of count-release alone; plume-threshold has a target error as well."""


@dataclass(frozen=True, kw_only=True)
class HistogramParameters(ListedItemJob):
    """Parameters of a histogram."""

    sum: parameters.SumColumn = ""
    """The column whose amounts are added up; empty if people or events are counted."""
    count: parameters.Counted = "users"
    bound: parameters.Bound = "auto"
    share: parameters.Share = None
    grid: parameters.Grid = None
    mechanism: parameters.MechanismName = "auto"
    target_error: parameters.RelativeError = None
    variant: parameters.Variant = "level"
    kbar: parameters.Kbar = KBAR
    first_epsilon: parameters.FirstEpsilon = None
    selection_delta: parameters.SelectionDelta = None
    p: parameters.Probability = None
    theta: parameters.Theta = None
    rule: parameters.SampleRule = "exact"
    debias: parameters.Debias = "auto"
    people: parameters.People = None

    @property
    def found(self) -> bool:
        """True if items are selected one by one, by request."""
        return self.mechanism == "count-release"

    @property
    def measured(self) -> bool:
        """True if amounts of groups are measured, as `aggregate` does it."""
        return bool(self.sum) and not self.found

    def check(self) -> None:
        super().check()
        if self.sum and self.count == "events":
            raise BadParameter(f'sum={self.sum!r} and count="events": only one of them.', fix="no count")
        self._check_domain()
        self._check_selection()
        self._check_scaling()
        self._check_debias()
        if self.measured:
            self._check_measured()
        if self.found:
            self._check_topk()
        else:
            self._check_not_topk()
        if self.mechanism in plume.NAMES:
            self._check_plume()
        if self.mechanism in (Rounds.name, Joint.name):
            self._check_rounds()
        if self.mechanism == Correlated.name:
            self._check_correlated()
        self._check_sample()

    def _check_correlated(self) -> None:
        """What goes with noise on a public list of which nobody is bounded."""
        name = f'mechanism="{Correlated.name}"'
        if self.count == "events":
            raise BadParameter(f"{name} counts people.", fix='count="users", or mechanism="auto"')
        if self.bound != "auto" or self.share is not None or self.grid is not None:
            raise BadParameter(f"{name} needs no bound.", fix='no bound, share and grid, or mechanism="clipped"')
        if self.debias != "auto":
            raise BadParameter(f"debias={self.debias!r} with {name}: nothing is removed.", fix="no debias")
        if self.neighbours == "replace":
            raise BadParameter(
                f'{name} with neighbours="replace": a common number hides nobody who is replaced.',
                fix='mechanism="auto", or neighbours="add-remove"',
            )

    def _check_domain(self) -> None:
        if self.mechanism in ("clipped", Correlated.name) and not self.known:
            raise BadParameter(
                f'mechanism="{self.mechanism}" is for items known in advance.',
                fix='keys=["apple", "pear"], or mechanism="auto"',
            )
        unknown_only = ("thresholded", "weighted", Joint.name, Rounds.name, "count-release", *plume.NAMES)
        if self.mechanism in unknown_only and self.known:
            raise BadParameter(
                f'mechanism="{self.mechanism}" is for items not known in advance.',
                fix='no keys and bins, or mechanism="clipped"',
            )

    def _check_selection(self) -> None:
        """A selection of the bound that fits the items, the mechanism, and what else was given."""
        selected = isinstance(self.bound, str)
        if not selected and (self.grid is not None or (self.share is not None and self.mechanism != "weighted")):
            raise BadParameter(
                f"bound={self.bound} leaves nothing to choose.", fix='bound="auto", or no share and grid'
            )
        if self.known and self.bound not in ("auto", FromProfile.name, *known.SELECTIONS) and selected:
            raise BadParameter(
                f'bound="{self.bound}" is for items not known in advance.', fix='bound="auto", or no keys and bins'
            )
        if not self.known and self.bound in known.SELECTIONS and self.bound not in unknown.SELECTIONS:
            raise BadParameter(
                f'bound="{self.bound}" is for items known in advance.', fix='bound="auto", or keys=["apple", "pear"]'
            )

    def _check_scaling(self) -> None:
        if self.mechanism == "weighted" and self.bound in unknown.SELECTIONS:
            raise BadParameter(
                f'bound="{self.bound}" is for mechanism="thresholded".', fix='bound="auto", or mechanism="thresholded"'
            )
        if self.mechanism == "thresholded" and self.bound == "profile":
            raise BadParameter(
                'bound="profile" is for mechanism="weighted".', fix='bound="auto", or mechanism="weighted"'
            )
        if self.mechanism == "clipped" and self.bound == FromProfile.name:
            raise BadParameter(
                'bound="profile" with mechanism="clipped": counts are measured twice.', fix="no mechanism"
            )
        scaled = self.mechanism not in ("thresholded", Sampled.name) and self.bound in ("auto", "profile")
        if self.grid is not None and scaled and (not self.known or self.bound == FromProfile.name):
            other = 'bound="generalized"' if self.known else 'mechanism="thresholded"'
            raise BadParameter("grid: these bounds follow from a profile.", fix=f"no grid, or {other}")

    def _check_debias(self) -> None:
        if self.debias == "poisson":
            self._check_poisson()
        if self.people is not None and self.debias != "poisson":
            raise BadParameter(f'people={self.people!r}: only debias="poisson" needs it.', fix="no people")
        if self.known and self.bound == FromProfile.name and self.debias != "auto":
            raise BadParameter(
                f'debias={self.debias!r} with bound="profile": counts are measured twice.',
                fix='no debias, or bound="generalized"',
            )
        sampled = not self.known and (self.mechanism == "thresholded" or isinstance(self.bound, int))
        if self.debias == "ratio" and sampled and self.mechanism != "weighted":
            raise BadParameter(
                'debias="ratio" is for counts that are scaled.', fix='mechanism="weighted", or debias="auto"'
            )

    def _check_poisson(self) -> None:
        if self.count != "events" or not self.known:
            raise BadParameter(
                'debias="poisson" is for events of items known in advance.',
                fix='count="events", keys=["apple", "pear"], or debias="auto"',
            )
        if self.people is None:
            raise BadParameter(
                'debias="poisson" needs to know how many people there are.',
                fix='people=100000 if that is public, or people="count" to pay for it',
            )
        if self.bound in SQUARES:
            raise BadParameter(
                f'debias="poisson" is about sums, and bound="{self.bound}" about squares.', fix='bound="auto"'
            )

    def _check_measured(self) -> None:
        """What goes with sums."""
        if self.mechanism != "auto":
            raise BadParameter(
                f'sum={self.sum!r} with mechanism="{self.mechanism}": it counts people or events.',
                fix='mechanism="auto", or mechanism="count-release"',
            )
        if isinstance(self.bound, str) and self.bound != "auto":
            raise BadParameter(f"bound={self.bound!r} with sum: a number, or auto.", fix='bound="auto", or bound=5000')
        if self.grid is not None or self.debias != "auto":
            raise BadParameter("grid, debias: not with sum.", fix="no grid and debias")

    def _check_topk(self) -> None:
        """What goes with items that are selected one by one."""
        added = self.sum or self.count == "events"
        if self.bound != "auto" and (isinstance(self.bound, str) or not added):
            why = "a person's amount is cut at a number" if added else "people may have as many items as they like"
            raise BadParameter(f'bound={self.bound!r} with mechanism="count-release": {why}.', fix='bound="auto"')
        if self.grid is not None or (self.share is not None and not added):
            raise BadParameter('mechanism="count-release" leaves no bound to choose.', fix="no share and grid")
        if self.debias not in ("auto", None):
            raise BadParameter(f'debias="{self.debias}": nothing is taken away that could be undone.', fix="no debias")

    def _check_not_topk(self) -> None:
        defaults = {field.name: field.default for field in fields(self)}
        for name in TOPK_ONLY:
            targeted = self.mechanism == "plume-threshold" and name == "target_error"
            if getattr(self, name) != defaults[name] and not targeted:
                raise BadParameter(
                    f'{name}: only mechanism="count-release" knows it.', fix=f'mechanism="count-release", or no {name}'
                )

    def _check_plume(self) -> None:
        """What goes with the baselines that find items first and count them afterwards."""
        name = f'mechanism="{self.mechanism}"'
        if self.count == "events":
            raise BadParameter(f"{name} counts people.", fix='count="users", or mechanism="auto"')
        if self.bound != "auto":
            raise BadParameter(f"bound={self.bound!r} with {name}: it chooses two bounds.", fix='bound="auto"')
        if self.debias not in ("auto", None):
            raise BadParameter(f'debias="{self.debias}" with {name}: nothing is undone.', fix="no debias")

    def _check_rounds(self) -> None:
        """What goes with items that are shown in rounds."""
        name = f'mechanism="{self.mechanism}"'
        if self.count == "events":
            raise BadParameter(f"{name} counts people.", fix='count="users", or mechanism="auto"')
        if self.debias != "auto":
            raise BadParameter(f"debias={self.debias!r} with {name}: counts are measured afterwards.", fix="no debias")
        if self.mechanism == Joint.name and self.bound != "auto":
            raise BadParameter(
                f"bound={self.bound!r} with {name}: a private profile tells it.", fix='bound="auto", or no mechanism'
            )
        if self.mechanism == Rounds.name:
            self._check_most(name)

    def _check_most(self, name: str) -> None:
        """What goes with a number of items that is given, and not selected."""
        if isinstance(self.bound, str) and self.bound != "auto":
            raise BadParameter(f'bound="{self.bound}" with {name}: nothing is chosen.', fix='bound="auto", or bound=50')
        if isinstance(self.bound, int) and self.bound > MOST_ITEMS:
            raise BadParameter(f"bound={self.bound} with {name}: at most {MOST_ITEMS:,}.", fix="bound=100")
        if self.share is not None or self.grid is not None:
            raise BadParameter(f"{name} leaves no bound to choose.", fix="no share and grid")

    def _check_sample(self) -> None:
        """What goes with counts of a sample."""
        given = given_of_sample(self)
        check_paper_rule(self, given)
        if self.mechanism != Sampled.name:
            if given or self.rule != "exact":
                name = given[0] if given else "rule"
                raise BadParameter(f"{name}: only a sample has it.", fix=f'mechanism="sample-threshold", or no {name}')
            return
        if self.count == "events":
            raise BadParameter('mechanism="sample-threshold" counts people.', fix='count="users"')
        if self.debias not in ("auto", None):
            raise BadParameter(f'debias="{self.debias}": counts of a sample are not scaled.', fix="no debias")
        self._check_sample_bound(given)

    def _check_sample_bound(self, given: Sequence[str]) -> None:
        if isinstance(self.bound, int) and self.bound > MOST_REPORTS:
            raise BadParameter(f"bound={self.bound} in a sample: at most {MOST_REPORTS:,}.", fix="bound=20")
        if isinstance(self.bound, str) and self.bound not in ("auto", Generalized.name):
            raise BadParameter(f'bound="{self.bound}" is not for samples.', fix='bound="auto", or bound=1')
        if isinstance(self.bound, str) and len(given) == 2:
            raise BadParameter("p and theta leave nothing to choose a bound by.", fix="bound=1, or only one of them")
        if self.grid is not None and self.grid[-1] > MOST_REPORTS:
            raise BadParameter(f"grid: in a sample up to {MOST_REPORTS:,}.", fix="grid=[1, 2, 5, 10]")
