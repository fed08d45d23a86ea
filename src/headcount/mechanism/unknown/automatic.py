"""The default for people per item, items not known in advance: the mechanism follows from public numbers and from what
was released before, and is stated in the release.

    profile of people ──► nothing seen: too few people for this epsilon ──► a second profile, with more epsilon
                      ├─► nearly everybody has one or two items ──► thresholded
                      └─► people have more ──► is the item at a rank common enough? ──► weighted, or count-release
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any

from headcount.account.threshold import changed_people
from headcount.bound import Bounding, TopItems, TwoScaleClip
from headcount.bound.selection.profile import FromProfile, NothingSeen
from headcount.bound.selection.rank import CountAtRankCheck
from headcount.bound.selection.selection import BoundSelection
from headcount.mechanism.strategy import SECOND_PROFILE_SHARE, sigma
from headcount.mechanism.topk import count_release
from headcount.mechanism.topk.levels import KBAR
from headcount.mechanism.unknown import weighted
from headcount.mechanism.unknown.strategy import Weights
from headcount.wording import plural

RANK_CHECK_SHARE = Fraction(2, 100)
"""The share of epsilon of the check of one rank, if there is one."""
ACCURATE_DEVIATIONS = 10.0
"""A scaled count is called accurate above this many standard deviations of its noise (fitted on real tables:
docs/evidence.md)."""
MIN_REACH, MIN_REACH_OF_FEW = 40, 10
"""If count-release reaches fewer items than this at accurate counts, there is no check: with many people, and with few,
whose scaled counts are hardly accurate (measured)."""


@dataclass(frozen=True, kw_only=True)
class Automatic(Weights):
    """Weighted, thresholded, or count-release: by a profile of people and the count at one rank."""

    @property
    def later_share(self) -> Fraction:
        return RANK_CHECK_SHARE + SECOND_PROFILE_SHARE

    def next_selection(self, chosen: Bounding, earlier: Sequence[BoundSelection[Any]]) -> BoundSelection[Any] | None:
        if any(isinstance(selection, CountAtRankCheck) for selection in earlier):
            return None
        if isinstance(chosen, NothingSeen) and len(earlier) <= 1:
            return FromProfile(self.budget.epsilon * SECOND_PROFILE_SHARE, self.neighbours, self.largest)
        if not isinstance(chosen, TwoScaleClip):
            return None
        return self._rank_check(chosen, MIN_REACH_OF_FEW if len(earlier) > 1 else MIN_REACH)

    def _rank_check(self, chosen: TwoScaleClip, min_reach: int) -> CountAtRankCheck | None:
        """Check the rank up to which count-release can find items, at counts that scaling needs as well: if the count
        there is large enough, scaling releases more items accurately."""
        epsilon = self.budget.epsilon * RANK_CHECK_SHARE
        after = replace(self, later=self.later + epsilon)
        shares = float(1 - weighted.LARGE_SCALE_SHARE - weighted.TAKEN_SHARE)
        noise = sigma(after.rest) * sqrt(changed_people(self.neighbours) / shares)
        enough = ACCURATE_DEVIATIONS * noise * chosen.effective_norm
        rank = count_release.calibrated(after.rest, TopItems(KBAR), self.neighbours).reach(enough)
        if rank < min_reach:
            return None
        return CountAtRankCheck(epsilon, self.neighbours, rank, enough, chosen, KBAR)

    def outlook(self, item: str) -> str:
        return (
            f"{super().outlook(item)} If people have many {plural(item)} and few are common, these are found one after "
            "another instead; to see whether it is so may take 12% of epsilon more."
        )
