"""Release of a round: counts of all people, estimated from those of a sample, and what there is to say about them.

It depends on the round and on its result alone, by the same mechanism as `hc.histogram(mechanism="sample-threshold")`.
"""

import numpy as np
import pyarrow as pa

from headcount.account.events import to_json
from headcount.bound import SampledItems
from headcount.exact import written
from headcount.federated.messages import Result, Round
from headcount.federated.promise import guarantee, reporter
from headcount.mechanism.mechanism import Noisy
from headcount.mechanism.sampled.sample_threshold import Sampled
from headcount.release.about import About, current_version, pack
from headcount.release.views.sampled import SAMPLED
from headcount.wording import counted_noun
from headcount.wording.statement import Statement

WHAT = "people per item"
"""The release in a few words."""
ITEM = "item"
"""Name of the column of items."""
TRUSTED = "The aggregator sees every report: it is trusted to show nothing else."


def counts_release(round_: Round, result: Result, head: str) -> bytes:
    """The bytes of the release; `head` is the ledger's head after the charge, empty without a ledger."""
    items = pa.table({ITEM: pa.array([item for item, _ in result.counts], pa.string())})
    values = np.array([count for _, count in result.counts], dtype=np.int64)
    estimates = _mechanism(round_).estimate(Noisy(items, values)).by_name
    return pack(pa.table({ITEM: items[ITEM], **estimates}), _about(round_, head))


def statements(round_: Round) -> list[Statement]:
    """What happens in a round, what its intervals mean, and what is guaranteed."""
    mechanism = _mechanism(round_)
    return [
        Statement("bounding", _participation(round_)),
        Statement("mechanism", _sampling(round_)),
        Statement("mechanism", f"{mechanism.threshold_sentence('The aggregator')} {TRUSTED}"),
        Statement("interval", mechanism.interval_meaning),
        Statement("guarantee", guarantee(round_, "what the aggregator shows")),
    ]


def _mechanism(round_: Round) -> Sampled:
    return Sampled(SampledItems(round_.items), round_.sample)


def _about(round_: Round, head: str) -> About:
    steps = statements(round_)
    return About(
        what=WHAT,
        dataset=f'answers to "{round_.asks}"',
        by=(ITEM,),
        unit="people",
        epsilon=written(round_.epsilon),
        delta=written(round_.delta),
        steps=tuple(step.text for step in steps),
        kinds=tuple(step.kind for step in steps),
        proof=Sampled.proof,
        plan=round_.to_json(),
        view=SAMPLED.name,
        bound=round_.items,
        chosen="",
        events=to_json(round_.events),
        order=(),
        head=head,
        estimand="bounded",
        interval=f"low and high are for the counts after each person was held to {_items(round_)}; the truth is larger "
        "wherever people have more.",
        version=current_version(),
    )


def _participation(round_: Round) -> str:
    sites = round_.memberships
    several = f" Up to {sites:,} sites may have the same person, who counts at each of them." if sites > 1 else ""
    return (
        f"People keep their items. {_items(round_).capitalize()} of each person can take part: of those who have more, "
        f"{round_.items:,} chosen at random.{several}"
    )


def _sampling(round_: Round) -> str:
    rate = f"with a probability of {float(round_.rate):.4g}"
    if round_.people is None:
        return f"Each {reporter(round_)} reports each of these items {rate}, by a coin of its own. Nobody adds noise."
    return (
        f"The aggregator draws a sample: each of {round_.people:,} people is in it {rate}. It invites "
        f"{round_.invited:,} of them, and counts the reports of those who are in the sample. Nobody adds noise."
    )


def _items(round_: Round) -> str:
    return f"at most {counted_noun(round_.items, 'item')}" if round_.items > 1 else "one item"
