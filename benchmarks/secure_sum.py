"""A secure sum with a thousand clients in memory, of whom some drop out: errors, bytes and milliseconds.

    python -m benchmarks.secure_sum [--clients N] [--dropouts PART] [--rounds R]

A list of 1,000 items, epsilon 1, delta 1e-6, one person added or removed. Everybody has `items` items, a few of which
are far more liked than others. 5% of the people drop out, half of them before and half of them after they have shared
their secrets. The error is the root of the mean square over all items and rounds, next to the standard deviation that
the round states for as many answers, and to that of central discrete Gaussian noise for the same budget. Bytes are
those of messages as text, up and down, for one client. Milliseconds are of one core, for one client: joining and
answering, and the server's part; not for reading the round.
"""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt
from time import process_time

import numpy as np

from headcount.account.calibration.calibrate import gaussian_variance
from headcount.account.composition.cost import native
from headcount.account.curves import gaussian
from headcount.account.events import Gaussian
from headcount.exact import Integers
from headcount.federated import SecureAnalyst, SecureClient, SecureRound, Total
from headcount.federated.transport import SecureMemoryTransport, collect_sum

ITEMS = 1_000
DELTA = "1e-6"
HEADS = [
    *(
        "items each",
        "noise",
        "answers",
        "rmse",
        "stated",
        "central Gaussian",
        "stated / central",
        "exact delta",
        "sent",
        "received",
    ),
    *("vector", "client", "server", "partners"),
]


def liked(people: int, items: int) -> list[list[int]]:
    """The places of everybody's items: a few are far more liked than others."""
    steps = np.arange(people)[:, None] * 0.6180339887 + np.arange(items) * 0.4142135624
    return [sorted(set(row)) for row in np.floor(ITEMS ** (steps % 1)).astype(int).clip(0, ITEMS - 1).tolist()]


@dataclass
class Measured(SecureMemoryTransport):
    """Clients of whom some drop out, with a count of bytes and seconds."""

    clients: Sequence[SecureClient]
    dropouts: int
    sent: Counter[str] = field(default_factory=Counter)
    received: int = 0
    seconds: float = 0.0
    gone: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__(self.clients)
        self._step = 0

    def join(self, round_: SecureRound) -> Iterator[str]:
        """Join, and count."""
        return self._counted(super().join(round_))

    def exchange(self, messages: Mapping[str, str]) -> Iterator[str]:
        """Answer, but for those who have dropped out by now."""
        leaving = (self.dropouts // 2, self.dropouts - self.dropouts // 2, 0)[self._step]
        self._step += 1
        self.gone |= set(list(messages)[:leaving])
        self.received += sum(map(len, messages.values()))
        there = {ticket: text for ticket, text in messages.items() if ticket not in self.gone}
        return self._counted(super().exchange(there))

    def _counted(self, texts: Iterable[str]) -> Iterator[str]:
        """Texts, with their bytes and the time that it took to make them."""
        waiting = iter(texts)
        while True:
            start = process_time()
            text = next(waiting, None)
            self.seconds += process_time() - start
            if text is None:
                return
            self.sent["vector" if '"sum-masked"' in text else "others"] += len(text)
            yield text


def errors(round_: SecureRound, total: Total, places: Sequence[Sequence[int]], there: Sequence[bool]) -> Integers:
    """What each noisy sum is off, in units."""
    truth = np.zeros(ITEMS, dtype=np.int64)
    for own, answered in zip(places, there, strict=True):
        if answered:
            truth[own] += 1
    return np.array(total.sums, dtype=np.int64) - round_.unit * truth


def exact_delta(round_: SecureRound) -> Fraction:
    """The certified delta at the round's epsilon, if exactly the people whose noise is priced add any."""
    event = round_.events[-1]
    own = gaussian.discrete_delta(round_.epsilon, [event]) if isinstance(event, Gaussian) else native(event).delta
    return own + round_.slack


def line(items: int, people: int, dropouts: float, rounds: int) -> list[str]:
    """One kind of round."""
    keys, places = [f"item {place:04}" for place in range(ITEMS)], liked(people, items)
    squares, transports, whole = [], [], 0.0
    for _ in range(rounds):
        analyst = SecureAnalyst()
        asked = analyst.publish("Which?", keys=keys, people=people, epsilon=1, delta=DELTA, items=items)
        clients = [SecureClient([keys[place] for place in own]) for own in places]
        transport = Measured(clients, round(dropouts * people))
        assert asked.holds
        start = process_time()
        total = collect_sum(asked, transport)
        whole += process_time() - start
        missing = [client._ticket(asked) in transport.gone for client in clients]
        squares.append(errors(asked, total, places, [not each for each in missing]).astype(float) ** 2)
        transports.append(transport)
        analyst.read(total)
    found = sqrt(np.mean(squares)) / asked.unit
    stated, central = asked.shares.deviation(total.answered), sqrt(gaussian_variance(1, DELTA, items, items))
    answers, per_client = people * rounds, sum(each.seconds for each in transports)
    sent, vectors = (sum(each.sent[name] for each in transports) for name in ("others", "vector"))
    return [
        *(
            str(items),
            asked.noise,
            f"{total.answered:,}",
            f"{found:.3g}",
            f"{stated:.3g}",
            f"{central:.3g}",
            f"{stated / central:.3f}",
        ),
        *(f"{float(exact_delta(asked)):.4g}", _kilobytes((sent + vectors) / answers)),
        *(_kilobytes(sum(each.received for each in transports) / answers), _kilobytes(asked.vector_bytes)),
        *(f"{1e3 * per_client / answers:.1f} ms", f"{1e3 * (whole - per_client) / answers:.1f} ms"),
        f"{asked.partners} ({asked.threshold})",
    ]


def _kilobytes(count: float) -> str:
    return f"{count / 1000:.1f} kB"


def main() -> None:
    """Print the table."""
    arguments = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    arguments.add_argument("--clients", type=int, default=1_000)
    arguments.add_argument("--dropouts", type=float, default=0.05)
    arguments.add_argument("--rounds", type=int, default=1)
    typed = arguments.parse_args()
    print(f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}")
    for items in (1, 20, 100):
        print(f"| {' | '.join(line(items, typed.clients, typed.dropouts, typed.rounds))} |", flush=True)


if __name__ == "__main__":
    main()
