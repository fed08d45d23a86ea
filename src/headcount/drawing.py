"""How a release is drawn, by its plan: what people did is read and bounded, noise is drawn once nothing can fail any
more by what the rows are, and what may be told is packed."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from scipy import special

from headcount.bound import Choice, TopItems
from headcount.bound.selection.people import People
from headcount.errors import ReadingFailed
from headcount.mechanism import Buckets, Mechanism, Noisy, Staircase, mechanism_for, second_for
from headcount.noise import Entropy
from headcount.release import About, pack, rows, shape
from headcount.source import Events, contributions, identified
from headcount.source.contributions import Contributions
from headcount.source.engine import reading, stop_behind

if TYPE_CHECKING:
    from headcount.planning import Plan

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Decided:
    """What is done once everything is chosen."""

    mechanism: Mechanism
    choices: tuple[Choice[Any], ...] = ()
    """The choices that led to it."""


def drawn(plan: "Plan", events: Events, entropy: Entropy, about: About, tell: Tell) -> bytes:
    """The release's bytes: noise is drawn once nothing can fail any more by what the rows are."""
    with quiet(), _read(plan, events, tell) as done:  # user, items, count
        decided = _chosen(plan, done, entropy, about, tell)
        mechanism = decided.mechanism
        bounded = mechanism.bounding.bound(done, entropy.secret(), plan.domain)  # items, totals
        there = plan.crowd.look(done) if plan.crowd else 0
        if plan.choice is None:
            _check_packed(bounded.items, about)
    tell("drawing noise")
    with quiet():
        noisy = mechanism.run(bounded, entropy)  # items, noisy values
        people = _people(plan, there, entropy)
        told, off = _told(plan, noisy, mechanism, people)
        return pack(told, replace(plan.about(decided, people), head=about.head, measured=off))


def _told(plan: "Plan", noisy: Noisy, mechanism: Mechanism, people: People) -> tuple[pa.Table, str]:
    """The rows; and, of a shape, what tells how far off it is."""
    if isinstance(mechanism, Staircase | Buckets):
        return shape.told(noisy, float(mechanism.event.scale), plan.question.loss, plan.question.estimator)
    return rows(noisy, mechanism, plan.question, people), ""


def _people(plan: "Plan", there: int, entropy: Entropy) -> People:
    """How many people there are: with noise, or as it was said."""
    said = plan.question.people
    return plan.crowd.draw(there, entropy) if plan.crowd else People(said if isinstance(said, int) else 0)


def _chosen(plan: "Plan", done: Contributions, entropy: Entropy, about: About, tell: Tell) -> Decided:
    """The mechanism, with its bound chosen if need be, and what that may lead to."""
    if plan.choice is None:
        return Decided(plan.mechanism)
    tell("choosing the bound")
    if others := [name for name in done.items if not done.table[name].type().is_string()]:
        _check_packed(done.listed(others), about)
    chosen, wish, choices = plan.choice.draw(plan.choice.look(done), entropy), plan.wish, [plan.choice]
    while second := second_for(wish, chosen, choices):
        chosen, wish = second.draw(second.look(done), entropy), replace(wish, looks=wish.looks + second.epsilon)
        choices.append(second)
    tell("bounding")
    return Decided(mechanism_for(wish, chosen), tuple(choices))


@contextmanager
def _read(plan: "Plan", events: Events, tell: Tell) -> Iterator[Contributions]:
    """What each person did; read to its end beforehand, if there will be noise before the totals."""
    asked = plan.question
    bins = [None] if asked.axis else [asked.cut().get(column) for column in asked.by]
    with unquoted(plan):
        tell("reading")
        rows = events.table()
        seen = asked.seen(rows, events.columns)  # user, what makes an item
        done = contributions(
            seen,
            bins,
            events=asked.count == "events",
            keys=None if asked.axis else plan.domain,
            everybody=rows,
            amounts=bool(asked.sum),
        )
        kept = done.read(
            everybody=asked.people == "count",
            by_number=(plan.choice or plan.mechanism.bounding).by_number,
            again=events.quick,
            once=not plan.choice and isinstance(plan.mechanism.bounding, TopItems),
        )
        with reading(rows, plan.limits if events.ours else None), kept as ready:
            yield ready


def look(plan: "Plan", events: Events, tell: Tell) -> tuple[bytes, Events]:
    """What stands for the data in a ledger, and the data to be read next."""
    with quiet(), unquoted(plan):
        tell("looking at the data")
        return identified(events, plan.limits)


@contextmanager
def unquoted(plan: "Plan") -> Iterator[None]:
    """Whatever fails while rows are read says only that it failed: what an engine says may quote a row."""
    try:
        yield
    except Exception as error:
        if stop := stop_behind(error):
            raise stop from None
        raise ReadingFailed(
            f"{plan.dataset}: the rows could not be read to their end. Nothing was released.",
            fix="read the table with its own engine to see why, then ask again: a ledger charges only once",
        ) from None


@contextmanager
def quiet() -> Iterator[None]:
    """No setting of the caller's makes a number that is odd an error: work that fails by what was drawn is drawn
    again."""
    with np.errstate(all="ignore"), special.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _check_packed(items: pa.Table, about: About) -> None:
    """Pack what is not text (which can always be packed) once before there is noise, so that packing cannot fail by
    what is drawn: work that fails is done again under its charge."""
    others = [name for name in items.column_names if not pa.types.is_string(items.schema.field(name).type)]
    pack(items.select(others), about)
