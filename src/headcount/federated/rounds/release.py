"""Release of several rounds: what their plan and their results say, and nothing else."""

from collections.abc import Sequence

from headcount.account.events import to_json
from headcount.exact import written
from headcount.federated.counts import TRUSTED
from headcount.federated.messages import Result
from headcount.federated.promise import guarantee, reporter
from headcount.federated.rounds.plan import RoundsPlan
from headcount.release.about import About, current_version, pack
from headcount.wording import counted_noun
from headcount.wording.statement import Statement


def rounds_release(plan: RoundsPlan, results: Sequence[Result], head: str) -> bytes:
    """The bytes of the release; `head` is the ledger's head after the charge, empty without a ledger."""
    return pack(plan.table(results), _about(plan, head))


def statements(plan: RoundsPlan) -> list[Statement]:
    """What happens in the rounds, what the intervals mean, and what is guaranteed."""
    return [
        Statement("bounding", _participation(plan)),
        *(Statement("mechanism", step) for step in plan.steps()),
        Statement("mechanism", TRUSTED),
        Statement("interval", plan.mechanism.interval_meaning),
        Statement("guarantee", guarantee(plan, _shown(plan))),
    ]


def _about(plan: RoundsPlan, head: str) -> About:
    steps = statements(plan)
    return About(
        what=plan.what,
        dataset=f'answers to "{plan.asks}"',
        by=plan.by,
        unit=plan.unit,
        epsilon=written(plan.epsilon),
        delta=written(plan.delta),
        steps=tuple(step.text for step in steps),
        kinds=tuple(step.kind for step in steps),
        proof="docs/proofs/sample-threshold.md",
        plan=plan.to_json(),
        view=plan.view.name,
        bound=plan.items,
        chosen="",
        events=to_json(plan.events),
        order=(),
        head=head,
        value=plan.value,
        estimand="bounded",
        interval=f"low and high are for people who answered all rounds, each held to {_contribution(plan)}.",
        version=current_version(),
    )


def _contribution(plan: RoundsPlan) -> str:
    """What one person counts for in a round."""
    return "one number" if plan.by[0] != "item" else counted_noun(plan.items, "item")


def _shown(plan: RoundsPlan) -> str:
    """What the promise is about."""
    return f"what the aggregator shows in all {plan.rounds} rounds together"


def _participation(plan: RoundsPlan) -> str:
    return (
        f"People keep their data. Each counts with at most {_contribution(plan)} in a round: of more, the "
        f"{reporter(plan)} takes what comes first in an order by a keyed hash, the same in all rounds."
    )
