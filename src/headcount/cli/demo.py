"""`headcount demo`: a tour of what is here, in a minute."""

import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

from rich.console import Console

from headcount import noise
from headcount.account import Charge, Cost, Ledger, calibrate
from headcount.account.events import Gaussian
from headcount.cli.ledger import tell, told, wide
from headcount.errors import BudgetExceeded

DELTA = Fraction(1, 10**6)
SIGMA = Fraction("4.3")
"""The noise of the made-up counts: enough for epsilon 1."""


def demo() -> None:
    """Exact noise, a calibration and a ledger story, in a folder that is thrown away."""
    console = wide()
    console.print("[bold]1. Exact noise[/bold]: 100,000 draws of discrete Laplace noise of scale 3", soft_wrap=True)
    for line in picture(noise.discrete_laplace(3, 100_000).tolist()):
        console.print(line, soft_wrap=True)
    console.print(
        "\n[bold]2. How much noise[/bold] for epsilon 1, delta 1e-6, by how many items a person may add to",
        soft_wrap=True,
    )
    for line in calibrations():
        console.print(line, soft_wrap=True)
    console.print("\n[bold]3. A ledger[/bold]: one total budget for a dataset", soft_wrap=True)
    with tempfile.TemporaryDirectory() as folder:
        story(Ledger(Path(folder) / "visits.db", epsilon=3, delta="1e-5"), console)


def picture(draws: list[int]) -> list[str]:
    """Bars of how often each value from -8 to 8 was drawn."""
    often = Counter(draws)
    return [f"{value:+3d} {'█' * (often[value] * 60 // often.most_common(1)[0][1])}" for value in range(-8, 9)]


def calibrations() -> list[str]:
    """Noise and threshold of both kinds for three bounds."""
    lines = ["items   Laplace: scale, threshold   Gaussian: deviation, threshold"]
    for items in (1, 10, 100):
        threshold = calibrate.laplace_threshold(Fraction(items), DELTA, bound=items, largest=1)
        joint = calibrate.joint_gaussian(Fraction(1), DELTA, items=items, largest=1)
        lines.append(f"{items:5d}   {items:14d}, {threshold:9d}   {joint.variance**0.5:19.2f}, {joint.threshold:9d}")
    return lines


def story(ledger: Ledger, console: Console) -> None:
    """Two releases, the first one asked for twice, and one that does not fit."""
    first, second = release("people per word", 1), release("people per city", "1.5")
    for charge in (first, second, first):
        sealed = ledger.publish(charge, work)
        verb = "drew" if sealed.fresh else "already sealed, no new noise, no new charge:"
        console.print(f"{charge.request}, {told(charge.cost)}: {verb} {sealed.content.decode()}", soft_wrap=True)
    try:
        ledger.publish(release("people per street", 1), work)
    except BudgetExceeded as refusal:
        console.print(f"people per street: {refusal}\n", soft_wrap=True)
    tell(ledger)


def release(what: str, epsilon: int | str) -> Charge:
    """A noisy count, as a charge."""
    return Charge(what, Cost(Fraction(epsilon), DELTA), (Gaussian(SIGMA**2, Fraction(1), cells=1),))


def work(head: str) -> bytes:
    """A made-up count of 1,000 people, with noise."""
    return str(1000 + int(noise.discrete_gaussian(SIGMA, 1)[0])).encode()
