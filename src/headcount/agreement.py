"""Whether the parts of a question agree: items, mechanism, bound, and what is to be undone."""

from headcount.errors import BadParameter
from headcount.mechanism.choose import KNOWN, UNKNOWN
from headcount.question import Question

SQUARES = tuple(name for name in KNOWN if name not in ("generalized", "quantile"))
"""Ways of choosing a bound on squares, for Gaussian noise."""


def check(asked: Question) -> None:
    """Refuse what contradicts itself."""
    _check_domain(asked)
    _check_choice(asked)
    _check_weighing(asked)
    _check_debias(asked)


def _check_domain(asked: Question) -> None:
    if asked.keys is not None and asked.bins:
        raise BadParameter("keys and bins: only one of them.", fix="bins=[0, 10, 100] makes the list of items itself")
    if asked.mechanism == "clipped" and not asked.known:
        raise BadParameter(
            'mechanism="clipped" is for items known in advance.',
            fix='keys=["apple", "pear"], or mechanism="auto"',
        )
    if asked.mechanism in ("thresholded", "weighted") and asked.known:
        raise BadParameter(
            f'mechanism="{asked.mechanism}" is for items not known in advance.',
            fix='no keys and bins, or mechanism="clipped"',
        )


def _check_choice(asked: Question) -> None:
    """A way of choosing the bound that fits the items, the mechanism, and what else was said."""
    chosen = isinstance(asked.bound, str)
    if not chosen and (asked.grid is not None or (asked.share is not None and asked.mechanism != "weighted")):
        raise BadParameter(f"bound={asked.bound} leaves nothing to choose.", fix='bound="auto", or no share and grid')
    if asked.known and asked.bound not in ("auto", *KNOWN) and chosen:
        raise BadParameter(
            f'bound="{asked.bound}" is for items not known in advance.', fix='bound="auto", or no keys and bins'
        )
    if not asked.known and asked.bound in KNOWN and asked.bound not in UNKNOWN:
        raise BadParameter(
            f'bound="{asked.bound}" is for items known in advance.', fix='bound="auto", or keys=["apple", "pear"]'
        )


def _check_weighing(asked: Question) -> None:
    if asked.mechanism == "weighted" and asked.bound in UNKNOWN:
        raise BadParameter(
            f'bound="{asked.bound}" is for mechanism="thresholded".', fix='bound="auto", or mechanism="thresholded"'
        )
    if asked.mechanism == "thresholded" and asked.bound == "profile":
        raise BadParameter('bound="profile" is for mechanism="weighted".', fix='bound="auto", or mechanism="weighted"')
    weighing = asked.mechanism != "thresholded" and asked.bound in ("auto", "profile")
    if asked.grid is not None and not asked.known and weighing:
        raise BadParameter("grid: these bounds follow from a profile.", fix='no grid, or mechanism="thresholded"')


def _check_debias(asked: Question) -> None:
    if asked.debias == "poisson" and (asked.count != "events" or not asked.known):
        raise BadParameter(
            'debias="poisson" is for events of items known in advance.',
            fix='count="events", keys=["apple", "pear"], or debias="auto"',
        )
    if asked.debias == "poisson" and asked.people is None:
        raise BadParameter(
            'debias="poisson" needs to know how many people there are.',
            fix='people=100000 if that is public, or people="count" to pay for it',
        )
    if asked.debias == "poisson" and asked.bound in SQUARES:
        raise BadParameter(
            f'debias="poisson" is about sums, and bound="{asked.bound}" about squares.', fix='bound="auto"'
        )
    if asked.people is not None and asked.debias != "poisson":
        raise BadParameter(f'people={asked.people!r}: only debias="poisson" needs it.', fix="no people")
    sampled = not asked.known and (asked.mechanism == "thresholded" or isinstance(asked.bound, int))
    if asked.debias == "ratio" and sampled and asked.mechanism != "weighted":
        raise BadParameter(
            'debias="ratio" is for counts that are scaled.', fix='mechanism="weighted", or debias="auto"'
        )
