"""The receipt of a release: everything that happened costs no more than what was paid for it.

While the bound is still to be selected, a charge is a promise: the price of the selection, and a guarantee for whatever
follows it. The code that draws keeps the promise. Before the first noise of a mechanism, it takes the epsilon of every
selection from what was paid, and composes the events of the mechanism that followed: the premise of the proof, for the
bound that was drawn (docs/proofs/choice.md). At the end, the same is checked of the events that the release records.

Events are frozen data that follow from public parameters and from noisy selections, which are released anyway. So
whether they are paid for is post-processing: a refusal says nothing about any row.
"""

from functools import lru_cache

from headcount.account.composition import compose
from headcount.account.composition.cost import split
from headcount.account.events import Event
from headcount.account.guarantee import Cost
from headcount.account.relation import relation_for
from headcount.errors import BadParameter, Defect

Events = tuple[Event, ...]


def check_paid(paid: Cost, relation: str, events: Events, selections: Events = ()) -> None:
    """Raise `Defect` unless the events, for neighbours of this relation, cost no more than what is left of the price
    after the selections that they depend on."""
    if not _is_paid(paid, relation, events, selections):
        raise Defect(
            f"What happens costs more than epsilon {float(paid.epsilon):g}, delta {float(paid.delta):g}, which was "
            f"paid, or is not for neighbours={relation!r}."
        )


def check_recorded(paid: Cost, relation: str, recorded: Events, selections: Events) -> None:
    """Raise `Defect` unless what a release records is paid for, and the selections are in it."""
    others = list(recorded)
    for event in selections:
        if event not in others:
            raise Defect("A selection is not in the record of what happened.")
        others.remove(event)
    check_paid(paid, relation, tuple(others), selections)


@lru_cache(maxsize=64)
def _is_paid(paid: Cost, relation: str, events: Events, selections: Events) -> bool:
    try:
        relation_for(relation, (*selections, *events))
    except BadParameter:  # events for other neighbours, or for several kinds
        return False
    own, noise = split(selections)
    rest = Cost(paid.epsilon - own.epsilon, paid.delta - own.delta)
    return not noise and rest.epsilon >= 0 and rest.delta >= 0 and compose.covers(rest, events)
