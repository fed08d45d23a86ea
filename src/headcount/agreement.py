"""Whether the parts of a question agree: items, mechanism, bound, and what is to be undone."""

from headcount.bound.selection.by_load import Generalized
from headcount.errors import BadParameter
from headcount.mechanism import Sampled
from headcount.mechanism.sampled.sample_threshold import MOST_REPORTS
from headcount.mechanism.wish import KNOWN, PLUMES, UNKNOWN
from headcount.question import Question

SQUARES = tuple(name for name in KNOWN if name not in ("generalized", "quantile"))
"""Ways of choosing a bound on squares, for Gaussian noise."""


TARGETED = ("plume-threshold", "target_error")
"""What else has a target, beside count release."""


def check(asked: Question) -> None:
    """Refuse what contradicts itself."""
    _check_domain(asked)
    _check_choice(asked)
    _check_weighing(asked)
    _check_debias(asked)
    _check_found(asked)
    _check_plume(asked)
    _check_sampled(asked)


def _check_domain(asked: Question) -> None:
    if asked.keys is not None and asked.bins:
        raise BadParameter("keys and bins: only one of them.", fix="bins=[0, 10, 100] makes the list of items itself")
    if asked.mechanism == "clipped" and not asked.known:
        raise BadParameter(
            'mechanism="clipped" is for items known in advance.',
            fix='keys=["apple", "pear"], or mechanism="auto"',
        )
    if asked.mechanism in ("thresholded", "weighted", "count-release", *PLUMES) and asked.known:
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
    weighing = asked.mechanism not in ("thresholded", Sampled.name) and asked.bound in ("auto", "profile")
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


def _check_found(asked: Question) -> None:
    """What is said of items that are found one after another."""
    if not asked.found:
        _check_not_found(asked)
        return
    if asked.sum and (asked.known or asked.count == "events" or asked.mechanism not in ("auto", "count-release")):
        raise BadParameter(
            f"sum={asked.sum!r}: amounts are added up for items that are found one after another.",
            fix='mechanism="count-release", no keys, bins or count',
        )
    added = asked.sum or asked.count == "events"
    if asked.bound != "auto" and (isinstance(asked.bound, str) or not added):
        why = "a person's amount is cut at a number" if added else "people may have as many items as they like"
        raise BadParameter(f'bound={asked.bound!r} with mechanism="count-release": {why}.', fix='bound="auto"')
    if asked.grid is not None or (asked.share is not None and not added):
        raise BadParameter('mechanism="count-release" leaves no bound to choose.', fix="no share and grid")
    if asked.debias not in ("auto", None):
        raise BadParameter(f'debias="{asked.debias}": nothing is taken away that could be undone.', fix="no debias")


def _check_not_found(asked: Question) -> None:
    usual = Question(asked.user, asked.by)
    for name in ("target_error", "variant", "kbar", "first_epsilon", "selection_delta"):
        if getattr(asked, name) != getattr(usual, name) and (asked.mechanism, name) != TARGETED:
            raise BadParameter(
                f'{name}: only mechanism="count-release" knows it.', fix=f'mechanism="count-release", or no {name}'
            )


def _check_plume(asked: Question) -> None:
    """What is said of the baselines that find items first and count them afterwards."""
    if asked.mechanism not in PLUMES:
        return
    name = f'mechanism="{asked.mechanism}"'
    if asked.count == "events":
        raise BadParameter(f"{name} counts people.", fix='count="users", or mechanism="auto"')
    if asked.bound != "auto":
        raise BadParameter(f"bound={asked.bound!r} with {name}: it chooses two bounds.", fix='bound="auto"')
    if asked.debias not in ("auto", None):
        raise BadParameter(f'debias="{asked.debias}" with {name}: nothing is undone.', fix="no debias")


def _check_sampled(asked: Question) -> None:
    """What is said of counts of a sample."""
    said = [name for name in ("p", "theta") if getattr(asked, name) is not None]
    if asked.rule == "paper" and said:
        raise BadParameter(f'{said[0]} with rule="paper": the rule says what it is.', fix=f"no {said[0]}")
    if asked.mechanism != Sampled.name:
        if said or asked.rule != "exact":
            name = said[0] if said else "rule"
            raise BadParameter(f"{name}: only a sample has it.", fix=f'mechanism="sample-threshold", or no {name}')
        return
    if asked.count == "events":
        raise BadParameter('mechanism="sample-threshold" counts people.', fix='count="users"')
    if asked.debias not in ("auto", None):
        raise BadParameter(f'debias="{asked.debias}": counts of a sample are not scaled.', fix="no debias")
    if isinstance(asked.bound, int) and asked.bound > MOST_REPORTS:
        raise BadParameter(f"bound={asked.bound} in a sample: at most {MOST_REPORTS:,}.", fix="bound=20")
    if isinstance(asked.bound, str) and asked.bound not in ("auto", Generalized.name):
        raise BadParameter(f'bound="{asked.bound}" is not for samples.', fix='bound="auto", or bound=1')
    if isinstance(asked.bound, str) and len(said) == 2:
        raise BadParameter("p and theta leave nothing to choose a bound by.", fix="bound=1, or only one of them")
    if asked.grid is not None and asked.grid[-1] > MOST_REPORTS:
        raise BadParameter(f"grid: in a sample up to {MOST_REPORTS:,}.", fix="grid=[1, 2, 5, 10]")
