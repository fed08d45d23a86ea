"""Release of a secure sum: noisy counts of the list, and what there is to say about them. It depends on the round and
on its result alone."""

from math import exp

import numpy as np
import pyarrow as pa

from headcount.account.events import to_json
from headcount.exact import written
from headcount.federated.listed.round import SecureRound
from headcount.federated.shape.messages import Total
from headcount.mechanism.intervals import intervals_within, round_to_counts
from headcount.release.about import About, current_version, pack
from headcount.release.views.items import ITEMS
from headcount.wording import counted_noun, format_number
from headcount.wording.statement import Statement

WHAT = "people per item"
"""The release in a few words."""
ITEM = "item"
"""Name of the column of items."""
PROOF = "docs/proofs/secure-sum.md"
_CHANGES = {
    "add-remove": "adding or removing all items of any one person who answers",
    "replace": "replacing all items of any one person who answers by other items",
}
_CHANGES_AT_SITES = {
    "add-remove": "adding or removing any one person, with all their rows at {sites},",
    "replace": "replacing any one person, with all their rows at {sites}, by another one",
}


def secure_release(round_: SecureRound, result: Total, head: str) -> bytes:
    """The bytes of the release; `head` is the ledger's head after the charge, empty without a ledger."""
    values = np.array(result.sums, dtype=np.int64)
    low, high = intervals_within(values, round_.unit, round_.shares.width(result.answered))
    counts = np.maximum(round_to_counts(values, round_.unit), 0)
    order = np.lexsort((np.array(round_.keys, dtype=object).astype(str), -counts))
    items = pa.array(round_.keys, pa.string())
    columns = {ITEM: items, "count": pa.array(counts), "low": pa.array(low), "high": pa.array(high)}
    return pack(pa.table(columns).take(pa.array(order)), _about(round_, result.answered, head))


def statements(round_: SecureRound, answered: int) -> list[Statement]:
    """What happens in a round, what its intervals mean, and what is guaranteed."""
    return [
        Statement("bounding", _participation(round_, answered)),
        Statement("mechanism", noise(round_, answered)),
        Statement("mechanism", masks(round_)),
        Statement("interval", _INTERVAL),
        Statement("guarantee", guarantee(round_)),
    ]


_INTERVAL = (
    "The interval from low to high contains the count after bounding, of those who answered, in 95% of cases, if "
    "everybody who answered followed the protocol."
)


def _about(round_: SecureRound, answered: int, head: str) -> About:
    steps = statements(round_, answered)
    return About(
        what=WHAT,
        dataset=f'{answered:,} answers to "{round_.asks}"',
        by=(ITEM,),
        unit="people",
        epsilon=written(round_.epsilon),
        delta=written(round_.delta),
        steps=tuple(step.text for step in steps),
        kinds=tuple(step.kind for step in steps),
        proof=PROOF,
        plan=round_.to_json(),
        view=ITEMS.name,
        bound=round_.items,
        chosen="",
        events=to_json(round_.events),
        order=(),
        head=head,
        estimand="bounded",
        interval=f"low and high are for the counts of those who answered, after each person was held to "
        f"{part(round_)}{'' if round_.sites is None else ' at a site'}.",
        version=current_version(),
    )


def _participation(round_: SecureRound, answered: int) -> str:
    if round_.sites is not None:
        return (
            f"Sites keep the rows of their people. {answered:,} sites answered. {part(round_).capitalize()} of each "
            f"person can take part at a site: of those who have more on the list, {round_.items:,}, chosen by the site "
            f"at random. A site cuts a count above {round_.people:,}. A person at two sites counts at both."
        )
    return (
        f"People keep their items. {answered:,} people answered. {part(round_).capitalize()} of each person can take "
        f"part: of those who have more on the list, {round_.items:,} chosen at random, by their own device."
    )


def noise(round_: SecureRound, answered: int) -> str:
    """What each device or site adds, and what all of them add."""
    kind = "Laplace" if round_.noise == "laplace" else "Gaussian"
    deviation = format_number(round_.shares.deviation(answered))
    each = "device" if round_.sites is None else "site"
    counted = "item of the public list" if round_.step is None else "candidate"
    return (
        f"Each {each} adds its own share of noise to every {counted}, even if nobody has it. All shares add up to "
        f"discrete {kind} noise with a standard deviation of {deviation}."
    )


def masks(round_: SecureRound) -> str:
    """What the server sees."""
    return (
        f"Numbers leave a {'device' if round_.sites is None else 'site'} under masks that cancel in the sum. The "
        "server sees masked numbers and the noisy sum. "
        f"With fewer than {round_.minimum:,} answers the protocol opens nothing."
    )


def guarantee(round_: SecureRound) -> str:
    """What the round promises, or its whole series."""
    epsilon, delta = float(round_.epsilon), float(round_.delta)
    who = "people who" if round_.sites is None else "sites that"
    together = "" if round_.step is None else f" in all {round_.rounds} rounds together"
    each = "" if round_.step is None else " in each"
    return (
        f"Privacy: {_change(round_)} changes the probability of any outcome by at most a factor of "
        f"{exp(epsilon):.4g} (e^{epsilon:g}), plus {delta:g}. That is for what the server sees{together}, if it "
        f"follows the protocol, and if at least {round_.needed:,} {who} answered{each} add their noise and tell "
        "nobody; it is also for what each of these sees. It does not hide who answers."
    )


def _change(round_: SecureRound) -> str:
    """Difference between neighbours."""
    if round_.sites is None:
        return _CHANGES[round_.neighbours]
    sites = "one site" if round_.memberships == 1 else f"up to {round_.memberships:,} sites"
    return _CHANGES_AT_SITES[round_.neighbours].format(sites=sites)


def part(round_: SecureRound) -> str:
    """How much of one person counts."""
    return f"at most {counted_noun(round_.items, 'item')}" if round_.items > 1 else "one item"
