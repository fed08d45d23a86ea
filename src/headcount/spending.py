"""What a release may cost, as typed: epsilon, or rho, or the epsilon that a wanted error needs; and delta."""

from fractions import Fraction

from headcount.account import Cost, zcdp
from headcount.agreement import SQUARES
from headcount.errors import BadParameter
from headcount.exact import Number, positive, rational, round_down
from headcount.mechanism.distribution.strategy import check_delta as check_distributed
from headcount.question import Question

SMALLEST, LARGEST = Fraction(1, 10**6), Fraction(100)
"""The epsilons that can be meant."""
SMALLEST_DELTA = Fraction(1, 10**30)
"""Below it prices are not computed finely enough for a threshold to fit (192 bits end at 1e-58), which with a chosen
bound would show only after the choice was drawn; and a ledger has no more places."""


def budget(epsilon: Number, delta: Number) -> Cost:
    """Epsilon and delta as typed."""
    asked = positive("epsilon", epsilon, fix="epsilon=1"), rational("delta", delta, fix="delta=1e-6")
    if not SMALLEST <= asked[0] <= LARGEST:
        raise BadParameter(f"epsilon={epsilon!r}: it lies between 0.000001 and 100.", fix="epsilon=1")
    if not 0 <= asked[1] < 1:
        raise BadParameter(f"delta={delta!r}: it lies between 0 and 1.", fix="delta=1e-6")
    if 0 < asked[1] < SMALLEST_DELTA:
        raise BadParameter(f"delta={delta!r}: it is 0, or at least 1e-30.", fix="delta=1e-6")
    return Cost(*asked)


def given(epsilon: Number | None, rho: Number | None, delta: Number, asked: Question) -> Number:
    """Epsilon as typed, or what rho comes to."""
    if rho is None and epsilon is None:
        raise BadParameter("how much may it cost?", fix=_fix(asked))
    if rho is None:
        assert epsilon is not None
        return epsilon
    if epsilon is not None:
        raise BadParameter("epsilon and rho: only one of them.", fix="epsilon=1, or rho=0.1")
    if not asked.found:
        raise BadParameter('rho: only mechanism="count-release" is paid in it.', fix="epsilon=1")
    paid = positive("rho", rho, fix="rho=0.1")
    if not Fraction(1, 10**12) <= paid <= 50:
        raise BadParameter(f"rho={rho!r}: it lies between 1e-12 and 50.", fix="rho=0.1")
    if asked.bound == "auto" and (asked.sum or asked.count == "events"):
        raise BadParameter("rho: the limit of amounts is chosen for an epsilon.", fix="bound=100, or epsilon=1")
    return _epsilon_of(paid, rational("delta", delta, fix="delta=1e-6") / 2)


def _fix(asked: Question) -> str:
    """What to write if no cost was typed."""
    if asked.found or asked.pure or asked.view == "distribution":
        return "epsilon=1"
    return "epsilon=1, or target_error=50, bound=1" if asked.axis else "epsilon=1, or target_error=10"


def _epsilon_of(rho: Fraction, delta: Fraction) -> Fraction:
    """An epsilon of 12 digits whose rho is not above this one."""
    epsilon = zcdp.epsilon(rho, delta)
    while epsilon > 0 and zcdp.rho(epsilon, delta) > rho:
        epsilon = round_down(epsilon - epsilon / 10**12)
    if epsilon <= 0:
        raise BadParameter("rho: too small for this delta.", fix="rho=0.1")
    return epsilon


def check_target(target: Number, epsilon: Number | None, asked: Question) -> None:
    """A wanted error stands in the place of epsilon, and needs a bound."""
    if epsilon is not None:
        raise BadParameter("epsilon and target_error: only one of them.", fix="target_error=10 finds the epsilon")
    if asked.view == "distribution":
        raise BadParameter(f"target_error={target}: a distribution is asked for by its cost.", fix="epsilon=1")
    if asked.mechanism in ("sample-threshold", "sample-search"):
        raise BadParameter(f"target_error={target}: a sample has no one error for all.", fix="epsilon=1")
    if isinstance(asked.bound, str) or asked.mechanism == "weighted":
        what = f'bound="{asked.bound}"' if isinstance(asked.bound, str) else 'mechanism="weighted"'
        raise BadParameter(
            f"target_error={target} with {what}: the error depends on the bound.",
            fix=f"target_error={target}, bound={1 if asked.axis else 20}, or epsilon=1",
        )


def check_delta(delta: Number, asked: Question) -> None:
    """Where a delta is needed, there is one."""
    if rational("delta", delta, fix="delta=1e-6") != 0 or asked.pure:
        return
    if asked.view == "distribution":
        check_distributed(asked.mechanism)
    if asked.mechanism in ("sample-threshold", "sample-search"):
        raise BadParameter("delta=0: a sample needs a delta above 0.", fix="delta=1e-6")
    if not asked.known:
        listed = "" if asked.found else ', or the list of items: keys=["apple", "pear"]'
        raise BadParameter(
            "delta=0: items that are not known in advance need a delta above 0.", fix=f"delta=1e-6{listed}"
        )
    if asked.bound in SQUARES:
        raise BadParameter(f'delta=0: bound="{asked.bound}" is for Gaussian noise.', fix='delta=1e-6, or bound="auto"')
