"""Which mechanism suits items that are not known in advance, if nobody said: by public numbers and by what was released
before, and told in the release.

    profile of people ──► nothing seen: too few people for so little epsilon ──► once more, with more of it
                      ├─► nearly everybody has one or two items ──► thresholded
                      └─► people have more ──► is the item at a rank common enough? ──► weighted, or count-release

A limit of amounts of which nothing was seen is looked for once more, too.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

from headcount.account.threshold import people
from headcount.bound import Bounding, Choice, TopItems, TwoScaleClip
from headcount.bound.selection.amounts import UnseenSums
from headcount.bound.selection.profile import FromProfile, Unseen
from headcount.bound.selection.rank import CountAtRankCheck
from headcount.mechanism.topk import count_release
from headcount.mechanism.topk.levels import KBAR
from headcount.mechanism.unknown import weighted
from headcount.mechanism.wish import LOOK, LOUDER, Wish, sigma

TELLING = 10.0
"""A scaled count is told well from so many deviations of its noise on: as many items are good as have such counts
(measured on real tables)."""
FEWEST, FEW = 40, 10
"""If finding reaches fewer items than this at such counts, it is not worth a look: with many people, and with few, of
whom scaled counts tell hardly anything (measured)."""


def second_for(wish: Wish, chosen: Bounding, made: Sequence[Choice[Any]] = ()) -> Choice[Any] | None:
    """What to look at after the choices that were made and what they led to, before noise is drawn; None if it is
    decided."""
    if isinstance(chosen, UnseenSums) and len(made) == 1:
        return replace(made[0], epsilon=wish.budget.epsilon * LOUDER)
    if not wish.suited or any(isinstance(choice, CountAtRankCheck) for choice in made):
        return None
    if isinstance(chosen, Unseen) and len(made) <= 1:
        return FromProfile(wish.budget.epsilon * LOUDER, wish.neighbours, wish.largest)
    return _rank_for(wish, chosen, FEW if len(made) > 1 else FEWEST) if isinstance(chosen, TwoScaleClip) else None


def _rank_for(wish: Wish, chosen: TwoScaleClip, fewest: int) -> CountAtRankCheck | None:
    """The rank from which on scaling tells more items well than finding them one after another, if counts there are
    large enough: as many as can be found at counts that scaling needs as well."""
    look = wish.budget.epsilon * LOOK
    after = replace(wish, looks=wish.looks + look)
    noise = sigma(after.rest) * sqrt(people(wish.neighbours) / float(1 - weighted.OPEN - weighted.TAKEN))
    enough = TELLING * noise * chosen.worth
    rank = count_release.calibrated(after.rest, TopItems(KBAR), wish.neighbours).reach(enough)
    return CountAtRankCheck(look, wish.neighbours, rank, enough, chosen, KBAR) if rank >= fewest else None
