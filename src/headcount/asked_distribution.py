"""The question for a distribution as typed, checked as far as it can be without the table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast, get_args

from headcount.account.events import Neighbours
from headcount.asked import people_of, question, share_of
from headcount.asked_sample import one_of
from headcount.errors import BadParameter
from headcount.exact import Number, whole
from headcount.mechanism.distribution.strategy import Distributed, Method, is_chosen
from headcount.question import Question, Sizes


def distribution_question(
    *,
    user: str,
    by: str | Sequence[str],
    keys: Sequence[Any] | None = None,
    bins: Iterable[Any] | Mapping[str, Iterable[Any]] | None = None,
    bound: int | str = "auto",
    mechanism: Method = "auto",
    people: int | str | None = None,
    sizes: Sizes = "private",
    share: Number | None = None,
    neighbours: Neighbours = "add-remove",
) -> Question:
    """The distribution over a public list of items that people draw from, each row being a draw."""
    if isinstance(bound, str) and bound != "auto":
        raise BadParameter(f"bound={bound!r}: a number, or auto.", fix='bound=100, the samples of a person, or "auto"')
    asked = question(user=user, by=by, count="events", keys=keys, bins=bins, bound=bound, neighbours=neighbours)
    if not asked.known:
        _refuse_unknown(asked)
    if "share" in asked.by:
        raise BadParameter("by='share': the release has a column of that name.", fix="give the column another name")
    made = replace(
        asked,
        view="distribution",
        of=asked.by,
        mechanism=one_of("mechanism", mechanism, get_args(Method)),
        people=_people(people),
        sizes=one_of("sizes", sizes, get_args(Sizes)),
        share=None if share is None else share_of(share),
    )
    _check(made)
    return made


def _refuse_unknown(asked: Question) -> None:
    if asked.bins:
        missing = next(column for column in asked.by if column not in dict(asked.bins))
        raise BadParameter(
            f"bins: those of {missing!r} are missing.", fix=f"bins={{..., {missing!r}: [0, 10, 100]}}, or keys for all"
        )
    raise BadParameter(
        "keys: a distribution is over items that are known in advance.",
        fix='keys=["apple", "pear"]; if they are not known, a histogram with count="events"',
    )


def _people(people: Any) -> int | str | None:
    if people == "count":
        raise BadParameter('people="count": what is needed of it is counted anyway.', fix="no people, or people=100000")
    if people is not None:
        whole("people", people, least=2, fix="people=100000: a distribution of one person cannot be told privately")
    return people_of(people)


def _check(asked: Question) -> None:
    """Refuse what contradicts itself."""
    if asked.sizes == "public" and asked.neighbours == "add-remove":
        raise BadParameter(
            'sizes="public": then nobody can be added or removed unseen.', fix='sizes="public", neighbours="replace"'
        )
    if asked.people is not None and asked.sizes == "public":
        raise BadParameter(f'people={asked.people} with sizes="public": it follows from the sizes.', fix="no people")
    if asked.people is not None and asked.bound == "auto":
        raise BadParameter(
            f"people={asked.people}: how many have how many samples?",
            fix=f"people={asked.people}, bound=100 if so many people have at least 100 each; or no people",
        )
    if asked.mechanism == "sample-one" and asked.bound not in ("auto", 1):
        raise BadParameter(f'bound={asked.bound} with mechanism="sample-one": it is 1.', fix="no bound")
    how = Distributed(cast(Method, asked.mechanism), cast(int | None, asked.people))
    if asked.share is not None and (asked.sizes == "public" or not is_chosen(how, asked.bound)):
        raise BadParameter("share: nothing is chosen that is paid for.", fix="no share")
