"""A round ends in a release like any other: table, intervals, text, report, picture, and one charge to a ledger."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import headcount as hc
from headcount.account import Ledger
from headcount.account.events import Laplace, Neighbours, to_json
from headcount.errors import BadParameter, BudgetExceeded, DataChanged
from headcount.federated import Aggregator, Analyst, Report, Result, Round, ShapeAnalyst, ShapeRound, Total
from headcount.federated.counts import statements
from headcount.release import Release, Shape
from headcount.release.about import pack

NEIGHBOURS: tuple[Neighbours, Neighbours] = ("add-remove", "replace")


def ledger_at(folder: Path, epsilon: str = "3", **stated: Any) -> Ledger:
    return Ledger(folder / "songs.db", epsilon=epsilon, delta="1e-5", **stated)


def result_of(asked: Round, first: int = 40) -> Result:
    return Result(asked.digest, (("blue", first), ("red", asked.threshold)))


def totals_of(asked: ShapeRound, largest: int = 50) -> Total:
    return Total(asked.digest, asked.people, (largest, 20, *[0] * (asked.buckets - 2)))


@pytest.fixture
def release() -> Release:
    analyst = Analyst()
    return analyst.read(result_of(analyst.publish("Which song?", epsilon=1, items=2)))


def test_it_is_saved_loaded_drawn_and_reported_as_others_are(release: Release, tmp_path: Path) -> None:
    for kind in ("parquet", "csv", "json", "html", "yaml", "svg"):
        assert release.save(tmp_path / f"songs.{kind}").stat().st_size > 50
    again = hc.load(tmp_path / "songs.parquet")
    assert again.content == release.content
    assert again.summary() == release.summary()
    assert again.table.column_names == ["item", "count", "low", "high"]
    assert release.cost.epsilon == 1
    assert [event.name for event in release.cost.events] == ["sample-threshold"]
    assert json.loads(release.to_json())["rows"][0]["item"] == "blue"


def test_the_page_says_who_is_trusted_and_shows_the_round(release: Release, tmp_path: Path) -> None:
    page = release.report(tmp_path / "page.html").read_text()
    assert "The round that people answered" in page
    assert "how to run it again" not in page
    assert "The aggregator sees every report: it is trusted to show nothing else." in page
    assert "docs/proofs/sample-threshold.md" in page
    assert 'model_name: "Federated"' in release.report(tmp_path / "record.yaml").read_text()


def test_it_explains_itself() -> None:
    analyst = Analyst()
    invites = analyst.publish("Which song?", epsilon=1, neighbours="replace", people=20_000)
    text = " ".join(analyst.read(result_of(invites)).explain().split())
    for said in (
        "1. People keep their items. One item of each person can take part: of those who have more, 1 chosen at "
        "random.",
        f"The aggregator draws a sample: each of 20,000 people is in it with a probability of {float(invites.rate):.4g}"
        f". It invites {invites.invited:,} of them",
        f"3. The aggregator shows the counts with at least {invites.threshold} people in the sample.",
        "5. Privacy: replacing all items of any one person by other items changes the probability of any outcome by "
        "at most a factor of 2.718 (e^1), plus 1e-06. That is for what the aggregator shows.",
    ):
        assert said in text
    everybody = analyst.publish("Which songs?", epsilon=1, items=3)
    assert "adding or removing any one person, with all their items," in statements(everybody)[-1].text


def test_a_release_of_no_sample_is_refused(release: Release, tmp_path: Path) -> None:
    """A file that calls itself sampled has the event of a sample."""
    noise = to_json([Laplace(Fraction(1), Fraction(1))])
    path = tmp_path / "other.parquet"
    path.write_bytes(pack(release.table, replace(release.about, events=noise)))
    with pytest.raises(hc.HeadcountError, match="not a release"):
        hc.load(path)


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
def test_the_ledger_is_charged_before_anybody_can_answer(neighbours: Neighbours, tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    asked = Analyst(ledger=ledger).publish("Which song?", epsilon=1, neighbours=neighbours)
    assert ledger.left.epsilon == 2
    assert ledger.neighbours == neighbours
    spend = ledger.spends()[0]
    assert (spend.title, spend.dataset, spend.state) == (
        "people per item",
        'answers to "Which song?"',
        "0 of 1 part sealed",
    )
    assert spend.part_names == (asked.digest,)
    assert spend.events == asked.events


def test_what_the_budget_refuses_is_no_round(tmp_path: Path) -> None:
    analyst = Analyst(ledger=ledger_at(tmp_path, epsilon="1"))
    first = analyst.publish("Which song?", epsilon=1)
    for publish in (analyst, ShapeAnalyst(ledger=tmp_path / "songs.db")):
        with pytest.raises(BudgetExceeded):
            publish.publish("And today?", epsilon="0.5", **({} if publish is analyst else {"people": 1000}))  # type: ignore[arg-type]
    assert analyst.read(result_of(first)).fresh


def test_a_result_is_sealed_once(tmp_path: Path) -> None:
    """The same result again is the same release; another one of the same round is refused; neither costs anything."""
    ledger = ledger_at(tmp_path)
    analyst = Analyst(ledger=ledger)
    asked = analyst.publish("Which song?", epsilon=1)
    first, again = analyst.read(result_of(asked)), analyst.read(result_of(asked))
    assert (first.fresh, again.fresh, first.content == again.content) == (True, False, True)
    with pytest.raises(DataChanged):
        analyst.read(result_of(asked, first=41))
    assert ledger.left.epsilon == 2
    assert ledger.spends()[0].state == "1 of 1 part sealed"
    assert first.about.head
    assert "songs.db" in first.report(tmp_path / "page.html").read_text()
    ledger.verify(release=first.content)


def test_an_analyst_comes_back_and_reads(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    asked = Analyst(ledger=ledger).publish("Which song?", epsilon=1)
    back = Analyst([Round.from_json(asked.to_json())], ledger=tmp_path / "songs.db")
    assert back.read(result_of(asked)).fresh
    assert ledger.left.epsilon == 2


def test_steps_are_parts_of_one_charge(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    analyst = Analyst(ledger=ledger)
    steps = analyst.publish_steps(["Which country?", "Which town?", "Which street?"], epsilon=1)
    assert sum(step.epsilon for step in steps) <= 1
    assert len({step.digest for step in steps}) == 3
    assert all(step.holds for step in steps)
    assert len(ledger.spends()) == 1
    assert 2 <= ledger.left.epsilon < 2 + 1e-9
    analyst.read(result_of(steps[1]))
    assert ledger.spends()[0].state == "1 of 3 parts sealed"
    Analyst([steps], ledger=ledger).read(result_of(steps[0]))
    assert ledger.spends()[0].state == "2 of 3 parts sealed"
    assert len(ledger.spends()) == 1


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
def test_a_release_depends_on_the_round_and_the_result_alone(neighbours: Neighbours) -> None:
    """Two populations that differ in one person, whose item stays below the threshold: every byte is the same."""
    analyst = Analyst()
    asked = analyst.publish("Which song?", epsilon=1, neighbours=neighbours)
    common, rare = [("blue",)] * asked.threshold, [("red",)] * (asked.threshold - 2)
    others = {"add-remove": [], "replace": [("green",)]}
    contents = []
    for people in (common + rare + [("red",)], rare + common + others[neighbours]):
        aggregator = Aggregator(asked)
        for number, items in enumerate(people):
            aggregator.add(Report(asked.digest, f"{number:032x}", items))
        contents.append(analyst.read(aggregator.close()).content)
    assert contents[0] == contents[1]


@pytest.mark.parametrize("asks", ["Which?", [], None])
def test_steps_are_questions(asks: Any) -> None:
    with pytest.raises(BadParameter, match="a list of questions"):
        Analyst().publish_steps(asks, epsilon=1)


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
def test_a_shape_is_charged_and_sealed_as_well(neighbours: Neighbours, tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    analyst = ShapeAnalyst(ledger=ledger)
    asked = analyst.publish("Which song?", people=200, epsilon=1, neighbours=neighbours, way="secure-sum")
    assert ledger.left.epsilon == 2
    assert ledger.neighbours == neighbours
    shape = analyst.read(totals_of(asked))
    assert isinstance(shape, Shape)
    assert (shape.fresh, analyst.read(totals_of(asked)).fresh) == (True, False)
    assert json.loads(shape.about.plan)["kind"] == "shape-round"
    with pytest.raises(DataChanged):
        analyst.read(totals_of(asked, largest=51))
    page = shape.report(tmp_path / "page.html").read_text()
    assert "The round that people answered" in page
    assert hc.load(shape.save(tmp_path / "shape.parquet")).content == shape.content
