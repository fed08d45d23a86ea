"""Analyst's side of several rounds: charges their whole price, asks one after the other, and reads one release."""

from collections.abc import Sequence
from pathlib import Path
from typing import Generic

from headcount.account import Ledger
from headcount.account.ledger.record.chain import canonical
from headcount.federated.messages import Refused
from headcount.federated.published import PublishedRounds
from headcount.federated.rounds.release import rounds_release
from headcount.federated.rounds.series import A, R, SeriesPlan, T, check_results
from headcount.release import Release


class RoundsAnalyst(Generic[R, A, T]):
    """Runs the rounds of a plan.

    >>> from headcount.federated.rounds import heavy_hitters
    >>> plan = heavy_hitters("Which word?", share="0.01", people=20_000, lengths=[2, 4], epsilon=1)
    >>> analyst = RoundsAnalyst(plan)
    >>> analyst.publish().step.number, analyst.plan.rounds
    (0, 3)
    """

    def __init__(
        self, plan: SeriesPlan[R, A, T], results: Sequence[A] = (), *, ledger: Ledger | str | Path | None = None
    ) -> None:
        """Create an analyst of a plan, of which these results are there already. A ledger is charged by `publish`, for
        all rounds together, and seals the release."""
        if not plan.holds:
            raise Refused("This plan does not keep its promise.", fix="a lower rate, or more noise")
        check_results(plan, results)
        self.plan = plan
        self._results = list(results)
        self._published = PublishedRounds(plan.what, [plan], ledger)

    def __repr__(self) -> str:
        return f"RoundsAnalyst({len(self._results)} of {self.plan.rounds} rounds)"

    @property
    def results(self) -> tuple[A, ...]:
        """The results so far: with the plan, all that is needed to go on."""
        return tuple(self._results)

    def publish(self) -> R:
        """Charge the ledger for all rounds, unless that was done before, and return the round to be answered next."""
        self._published.publish([self.plan])
        round_ = self.plan.next_round(self._results)
        if round_ is None:
            raise Refused("All rounds of this plan were answered.", fix="analyst.read()")
        return round_

    def next(self, result: A) -> R | None:
        """Take the result of a round, and return the next round; None after the last."""
        check_results(self.plan, [*self._results, result])
        self._results.append(result)
        return self.plan.next_round(self._results)

    def read(self) -> Release:
        """The release of all rounds."""
        if self.plan.next_round(self._results) is not None:
            raise Refused(f"{len(self._results)} of {self.plan.rounds} rounds have a result.", fix="analyst.next(...)")
        data = canonical([result.to_json() for result in self._results])
        return self._published.release(
            self.plan.digest, data, lambda head: rounds_release(self.plan, self._results, head)
        )
