"""A device's file: whoever goes on from it takes turns, so that a round is answered once and every promise is paid."""

import multiprocessing
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from headcount.account.ledger.stores import turn
from headcount.errors import HeadcountError
from headcount.federated import Analyst, Client, Refused, Report, Round
from headcount.federated.client_state import ClientState
from headcount.federated.rounds import QuantilesPlan, quantiles
from headcount.federated.state_file import StateFile

FORK = multiprocessing.get_context("fork")
PROCESSES = 12
ROUNDS = [Analyst().publish("Which?", epsilon=1) for _ in range(PROCESSES)]


def answer(path: Path, round_: Round, epsilon: float = 3) -> str:
    """What a process of a node does."""
    return StateFile(path).answer(
        lambda state: Client(["apple"], epsilon=epsilon, delta="1e-2", state=state),
        lambda client: client.answer(round_).to_json(),
    )


def at_once(path: Path, rounds: list[Round]) -> list[str]:
    """The answers of as many processes as there are rounds, which begin together."""
    start, answers = FORK.Barrier(len(rounds)), FORK.SimpleQueue()

    def work(round_: Round) -> None:
        start.wait()
        with suppress(HeadcountError):
            answers.put(answer(path, round_))

    processes = [FORK.Process(target=work, args=(round_,)) for round_ in rounds]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    found = []
    while not answers.empty():
        found.append(answers.get())
    return found


def test_processes_with_one_file_answer_a_round_once(tmp_path: Path) -> None:
    """Two runs of Flower at the same time, or two nodes of one person."""
    assert len(at_once(tmp_path / "state", ROUNDS[:1] * PROCESSES)) == 1


def test_processes_with_one_file_pay_for_all_that_they_answer(tmp_path: Path) -> None:
    found = at_once(tmp_path / "state", ROUNDS)
    assert len(found) == 3
    state = ClientState.from_json((tmp_path / "state").read_text())
    assert set(state.answered) == {Report.from_json(text).round for text in found}
    assert state.epsilon == 3


def test_rounds_of_two_plans_by_turns_are_paid_once_each(tmp_path: Path) -> None:
    """A device that keeps nothing but its file, and two analysts whose rounds come by turns: two promises, and each
    number of a series once, whatever its level is."""
    path, plans = tmp_path / "state", [quantiles("How many?", range=(0, 9), cells=32, epsilon=1) for _ in range(2)]
    series = [[plan.next_round(()), another_level(plan)] for plan in plans]
    for number in range(2):
        for rounds in series:
            round_ = rounds[number]
            assert round_ is not None
            answer(path, round_)
            with pytest.raises(Refused, match="has answered this round"):
                answer(path, round_)
            with pytest.raises(Refused, match="has answered this round"):
                answer(path, replace(round_, asks="The same number with another question?"))
    state = ClientState.from_json(path.read_text())
    assert state.epsilon == 2
    assert len(state.answered) == 2 * (1 + 2)


def another_level(plan: QuantilesPlan) -> Round:
    """The second round, with a level that an analyst typed."""
    first = plan.next_round(())
    assert first is not None
    assert first.step is not None
    return replace(first, step=replace(first.step, number=1))


def test_the_state_is_private_and_kept_before_the_answer_and_after_a_refusal(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with pytest.raises(Refused, match="budget does not allow"):
        answer(path, ROUNDS[0], epsilon=0.5)
    assert ClientState.from_json(path.read_text()).answered == ()

    def interrupted(client: Client) -> str:
        client.answer(ROUNDS[0])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        StateFile(path).answer(lambda state: Client(["apple"], state=state), interrupted)
    assert ClientState.from_json(path.read_text()).answered == (ROUNDS[0].digest,)
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("spoil", [lambda path: path.write_text(""), lambda path: path.mkdir()])
def test_a_file_that_cannot_be_read_answers_nothing(spoil: Callable[[Path], object], tmp_path: Path) -> None:
    """Else an empty file would be a person who has answered nothing."""
    spoil(tmp_path / "state")
    with pytest.raises((HeadcountError, OSError)):
        answer(tmp_path / "state", ROUNDS[0])


def test_whoever_waits_too_long_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "PATIENCE", 0.05)
    path = tmp_path / "state"

    def second(client: Client) -> str:
        with pytest.raises(HeadcountError, match=r"others kept it busy for 0\.05 s"):
            answer(path, ROUNDS[1])
        return client.answer(ROUNDS[0]).to_json()

    StateFile(path).answer(lambda state: Client(["apple"], state=state), second)
    assert ClientState.from_json(path.read_text()).answered == (ROUNDS[0].digest,)
