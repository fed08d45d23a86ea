"""Release of several rounds: what their plan and their results say, and nothing else."""

from collections.abc import Sequence

from headcount.account.events import to_json
from headcount.exact import written
from headcount.federated.rounds.series import A, R, SeriesPlan, T
from headcount.release.about import About, current_version, pack


def rounds_release(plan: SeriesPlan[R, A, T], results: Sequence[A], head: str) -> bytes:
    """The bytes of the release; `head` is the ledger's head after the charge, empty without a ledger."""
    return pack(plan.table(results), _about(plan, results, head))


def _about(plan: SeriesPlan[R, A, T], results: Sequence[A], head: str) -> About:
    steps = plan.statements(results)
    return About(
        what=plan.what,
        dataset=f'answers to "{plan.asks}"',
        by=plan.by,
        unit=plan.unit,
        epsilon=written(plan.epsilon),
        delta=written(plan.delta),
        steps=tuple(step.text for step in steps),
        kinds=tuple(step.kind for step in steps),
        proof=plan.proof,
        plan=plan.to_json(),
        view=plan.view.name,
        bound=plan.items,
        chosen="",
        events=to_json(plan.events),
        order=(),
        head=head,
        value=plan.value,
        estimand="bounded",
        interval=plan.interval,
        version=current_version(),
    )
