"""Reports: what somebody who decides can read from a page alone, and a record that a registry would take."""

import hashlib
import json
import re
from dataclasses import asdict, replace
from fractions import Fraction
from html import unescape
from math import exp
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from tests.release.registry import faults
from tests.release.test_forged import RELEASES, SCRIPT, people

import headcount as hc
from headcount.errors import BadParameter, NotSealed, visible
from headcount.mechanism import Mechanism
from headcount.release import About, Release, pack
from headcount.release.published import check_sealed
from headcount.release.report.checklist import checklist
from headcount.release.report.delta import delta_questions, delta_sentences, delta_warnings, largest_delta
from headcount.release.report.facts import Facts
from headcount.release.report.promise import Promise, percent
from headcount.release.report.proofs import TITLES, proof_of
from headcount.release.report.yaml import GAP

MADE_BY_0_8 = Path(__file__).parents[1] / "formats" / "0.8"
ROWS = pa.table({"listener": range(4000), "song": [f"song {user % 2}" for user in range(4000)]})
PLAYS = hc.table(ROWS, name="plays of May")
ASKED: dict[str, Any] = {"user": "listener", "by": "song", "epsilon": 1, "bound": 1}


TOTAL: dict[str, Any] = {"user": "listener", "epsilon": 1, "bound": 1}


@pytest.fixture
def ledger(tmp_path: Path) -> hc.Ledger:
    ledger = hc.Ledger(tmp_path / "plays.db", epsilon=3, delta=1e-5)
    hc.total(PLAYS, user="listener", epsilon=0.5, count="users", ledger=ledger)
    return ledger


def read(page: Path) -> str:
    """The text of a page, in one line."""
    return " ".join(unescape(re.sub("<style>.*?</style>|<[^>]*>", " ", page.read_text(), flags=re.DOTALL)).split())


def facts_of(release: Release, **about: Any) -> Facts:
    return Facts(release.table, replace(release.about, **about), (), "", None)


def test_a_page_answers_what_an_officer_asks(ledger: hc.Ledger, tmp_path: Path) -> None:
    release = hc.histogram(PLAYS, **ASKED, ledger=ledger)
    text = read(release.report(tmp_path / "r.html", ledger=ledger))
    number = release.about.head.partition(":")[0]
    charge = next(spend for spend in ledger.spends() if str(spend.number) == number)
    for answer in (
        "People per song",
        "from plays of May",
        "What this is.",
        "Before you approve: ",
        "Low and high are for the counts after each person was held to 1 item",
        "one value of the column listener",
        "50% likely that a certain person is in the data can get to at most 73.2%",
        "a chance of at most 1 in 1,000,000",
        "What is not promised",
        f"Charged on {charge.at}",
        f"headcount {hc.__version__}",
        "spent epsilon 1.5, delta 0.000001; left epsilon 1.5, delta 0.000009",
        hashlib.sha256(release.content).hexdigest(),
        "headcount ledger verify plays.db --release report.html",
        "that file is a secret",
        f"headcount ledger verify plays.db --head {release.about.head} --release release.parquet",
        "Checklist of NIST SP 800-226",
        "docs/proofs/",
    ):
        assert answer in text, answer


TWELVE = {
    "What is one person, here?": "one value of the column listener",
    "Could a row hold other people's data?": "Rows. headcount takes each row for one person's, as the table has it.",
    "Which neighbours?": "One person is in one table and not in the other, with all rows (add-remove;",
    "What was spent, and what is left?": "spent epsilon 1.5, delta 0.000001; left epsilon 1.5, delta 0.000009",
    "Can I publish this each month?": "enough for 1 more at this price, such as next month's",
    "Is delta small enough?": "Are there more than 100,000 people in the table? Then delta should be smaller.",
    "What was not checked?": "points that this page cannot answer",
    "Which numbers are biased, and which way?": "missing altogether, so a sum over all rows is too small. The values "
    "lack what the limit cut from people with much, so they are too small on average.",
    "Who may see it?": "Anyone: the promise does not depend on who reads the numbers, or on what they know.",
    "What must stay secret?": "The rows, plays.db.key and plays.db.secret-* are for nobody else.",
    "Are these the data that I mean?": "the same request for the same rows returns this release, and costs nothing",
    "How do I verify it?": "headcount ledger verify plays.db --release report.html",
}
"""What whoever approves a release asks, and where the page answers."""


def test_a_page_answers_the_twelve_questions_of_whoever_approves_it(ledger: hc.Ledger, tmp_path: Path) -> None:
    page = read(hc.histogram(PLAYS, **ASKED, ledger=ledger).report(tmp_path / "r.html", ledger=ledger))
    assert [question for question, answer in TWELVE.items() if answer not in page] == []


def test_what_fits_into_the_rest_of_a_budget(tmp_path: Path) -> None:
    """By whichever of epsilon and delta ends first; a release without a delta needs none."""
    ledger = hc.Ledger(tmp_path / "plays.db", epsilon=7, delta=3e-6)
    found = read(hc.histogram(PLAYS, **ASKED, ledger=ledger).report(tmp_path / "r.html", ledger=ledger))
    assert "enough for 2 more at this price" in found
    found = read(hc.total(PLAYS, **TOTAL, ledger=ledger).report(tmp_path / "t.html", ledger=ledger))
    assert "left epsilon 5, delta 0.000002: enough for 5 more at this price" in found
    found = read(hc.total(PLAYS, **{**TOTAL, "epsilon": 5}, ledger=ledger).report(tmp_path / "a.html", ledger=ledger))
    assert "enough for none more at this price" in found


def test_delta_is_a_question_only_while_the_number_of_people_is_open() -> None:
    release = hc.histogram(PLAYS, **ASKED)
    assert len(delta_questions(facts_of(release))) == 1
    for known in ({"people": 20_000}, {"people": 10**6}):
        assert delta_questions(facts_of(release, plan=json.dumps({"parameters": known}))) == []
    assert delta_questions(facts_of(release, delta="0")) == []
    assert delta_questions(facts_of(release, plan="")) == []


def test_a_page_and_a_record_say_who_made_the_charge_and_what_for(ledger: hc.Ledger, tmp_path: Path) -> None:
    stated = hc.Ledger(
        ledger.path, analyst="Ada <b>Lovelace</b>", purpose=f"{SCRIPT.partition(chr(27))[0]}: weekly # x"
    )
    release = hc.histogram(PLAYS, **ASKED, ledger=stated)
    page = release.report(tmp_path / "r.html", ledger=ledger)
    assert "Analyst Ada <b>Lovelace</b> (as stated at the charge)" in read(page)
    assert f"Purpose {stated.purpose} (as stated at the charge)" in read(page)
    assert "<script" not in page.read_text()
    record = yaml.safe_load(release.report(tmp_path / "r.yaml", ledger=ledger).read_text())
    assert faults(record) == []
    assert record["deployment"]["basic"]["intended_use"] == stated.purpose
    more = record["deployment"]["implementation"]["additional_information"]
    assert more.replace("\n", " ").endswith("Analyst, as stated at the charge: Ada <b>Lovelace</b>.")
    for kind in ("html", "yaml"):
        assert check_sealed(ledger, tmp_path / f"r.{kind}").startswith("made from a release that was sealed here")


def test_a_page_leaves_to_its_reader_what_nobody_stated(ledger: hc.Ledger, tmp_path: Path) -> None:
    release = hc.histogram(PLAYS, **ASKED, ledger=ledger)
    for known in (hc.load(release.save(tmp_path / "r.parquet")), release):
        text = read(known.report(tmp_path / "r.html"))
        assert "Analyst. Not recorded. Who made this release?" in text
        assert "Purpose. Not recorded. What is it for?" in text
        record = yaml.safe_load(known.report(tmp_path / "r.yaml").read_text())
        assert record["deployment"]["basic"]["intended_use"] == f"{GAP}: what it is for"


def test_later_charges_do_not_change_a_page(ledger: hc.Ledger, tmp_path: Path) -> None:
    release = hc.histogram(PLAYS, **ASKED, ledger=ledger)
    before = release.report(tmp_path / "r.html", ledger=ledger).read_bytes()
    hc.total(PLAYS, user="listener", epsilon=0.25, count="users", ledger=ledger)
    assert release.report(tmp_path / "r.html", ledger=ledger).read_bytes() == before


def test_the_ledger_is_the_one_that_sealed_it(ledger: hc.Ledger, tmp_path: Path) -> None:
    for release in (hc.histogram(PLAYS, **ASKED), hc.histogram(PLAYS, **ASKED, ledger=ledger)):
        other = hc.Ledger(tmp_path / "other.db", epsilon=1)
        with pytest.raises(hc.HeadcountError, match="Fix: "):
            release.report(tmp_path / "r.html", ledger=other)
    with pytest.raises(NotSealed):
        hc.histogram(PLAYS, **ASKED).report(tmp_path / "r.html", ledger=ledger)


def test_without_a_ledger_a_page_says_what_it_does_not_know(tmp_path: Path) -> None:
    text = read(hc.histogram(PLAYS, **ASKED).report(tmp_path / "r.html"))
    assert "Charged on not recorded: not charged to a ledger" in text
    assert "ledger verify" not in text
    assert "For you to answer." in text


@pytest.mark.parametrize("name", ["r.pdf", "r", "r.txt"])
def test_other_kinds_of_reports(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadParameter, match=r'unknown kind of report\. Fix: report\("report.html"\)'):
        hc.histogram(PLAYS, **ASKED).report(tmp_path / name)


def test_releases_of_earlier_versions(tmp_path: Path) -> None:
    for path in MADE_BY_0_8.glob("*.parquet"):
        release = hc.load(path)
        assert release.about.version == ""
        text = read(release.report(tmp_path / "r.html"))
        assert "headcount, version not recorded" in text
        assert "one value of the column user" in text
        assert faults(yaml.safe_load(release.report(tmp_path / "r.yaml").read_text())) == []


@pytest.mark.parametrize(
    "plan", ["", "{}", '{"parameters": 5}', '{"parameters": {"user": [1], "people": "x", "where": {}}}']
)
def test_whatever_a_plan_holds(plan: str, tmp_path: Path) -> None:
    release = hc.histogram(PLAYS, **ASKED)
    odd = Release(pack(release.table, replace(release.about, plan=plan, steps=(), kinds=())), fresh=True)
    assert "not recorded" in read(odd.report(tmp_path / "r.html"))
    assert faults(yaml.safe_load(odd.report(tmp_path / "r.yaml").read_text())) == []


def test_a_stream_is_not_reported_as_if_people_were_protected(tmp_path: Path) -> None:
    counter = hc.stream.Counter(domain=[f"item {number}" for number in range(50)], epsilon=1)
    counter.add(["item 1"] * 200)
    release = counter.shape()
    text = read(release.report(tmp_path / "r.html"))
    assert release.about.steps[-1] in text
    assert "that a certain contribution is in the data" in text
    assert "one person (" not in text
    assert faults(yaml.safe_load(release.report(tmp_path / "r.yaml").read_text())) == []


# odds


def test_beliefs_follow_from_the_guarantee() -> None:
    """Bayes: the likelihoods of what is seen differ by at most e^epsilon."""
    promise = Promise(1.0, 0.0, "add-remove", "user", "stated")
    for before in (0.01, 0.5, 0.9):
        odds = before / (1 - before) * exp(1)
        assert promise.belief(before) == pytest.approx(odds / (1 + odds))
    assert promise.belief(0.5, times=2) == Promise(2.0, 0.0, "replace", "user", "stated").belief(0.5)
    assert Promise(800.0, 0.0, "", "", "").belief(0.5) == 1


@pytest.mark.parametrize(
    ("share", "words"), [(0.7310586, "73.2%"), (0.5, "50%"), (0.9991, "nearly 100%"), (1, "nearly 100%")]
)
def test_percentages_are_rounded_up(share: float, words: str) -> None:
    assert percent(share) == words


@pytest.mark.parametrize(("epsilon", "strength"), [(0.1, "strong"), (1, "strong"), (1.1, "reasonable"), (11, "weak")])
def test_epsilon_in_words(epsilon: float, strength: str) -> None:
    assert Promise(epsilon, 0.0, "add-remove", "user", "stated").strength.startswith(strength)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace", "replace-same-size", ""])
def test_every_relation_has_its_words(neighbours: str) -> None:
    sentences = Promise(1.0, 1e-6, neighbours, "user", "stated").sentences
    assert bool(sentences[2]) == (neighbours == "add-remove")
    assert (sentences[0] == "stated") == (not neighbours)
    assert all(sentences[:2])


# delta and the number of people


@pytest.mark.parametrize(
    ("count", "delta", "warning"),
    [
        (100_000, "0.000001", ""),
        (100_001, "0.000001", "which is above 0.1. Fix: delta=1e-7 the next time"),
        (10**6, "0.000001", "Publishing all rows of one person would be allowed. Fix: delta=1e-7"),
        (10**6, "0.0000001", ""),
        (10**6, "0", ""),
        (2, "0.0001", "1e-05"),
    ],
)
def test_delta_beside_the_number_of_people(count: int, delta: str, warning: str) -> None:
    release = hc.histogram(PLAYS, **ASKED)
    plan = json.dumps({"parameters": {"people": count}})
    warnings = delta_warnings(facts_of(release, delta=delta, plan=plan))
    assert bool(warnings) == bool(warning)
    assert warning in " ".join(warnings)


@pytest.mark.parametrize("people", [1, 9, 10, 11, 100_000, 100_001, 123_456_789])
def test_the_delta_that_is_advised_passes_and_ten_times_as_much_does_not(people: int) -> None:
    advised = Fraction(largest_delta(people))
    assert people * advised <= Fraction(1, 10) < people * 10 * advised


def test_the_report_says_what_delta_means_for_the_people_that_are_there() -> None:
    release = hc.histogram(PLAYS, **ASKED)
    known = delta_sentences(facts_of(release, plan=json.dumps({"parameters": {"people": 20_000}})))
    assert known[0].startswith("A delta of 1e-06 passes for up to 100,000 people")
    assert known[1] == "With 20,000 people (a public number, as given) it is 0.02."
    assert delta_sentences(facts_of(release))[1].startswith("There are at least ")
    assert delta_sentences(facts_of(release, delta="0")) == []


def test_where_the_number_of_people_comes_from() -> None:
    known = {
        "a public number, as given": hc.heavy_hitters(PLAYS, user="listener", by="song", epsilon=1, people=4000),
        "the released total, with noise": hc.total(PLAYS, user="listener", epsilon=1, count="users"),
        "the sum of the released profile, with noise": hc.profile(PLAYS, user="listener", by="song", epsilon=1),
        "the lower end of the largest released count": hc.histogram(PLAYS, **ASKED),
    }
    for origin, release in known.items():
        found = facts_of(release).people
        assert found is not None
        assert found.origin == origin
    part = hc.total(PLAYS, user="listener", epsilon=1, count="users", where={"song": "song 1"})
    assert str(facts_of(part).people).startswith("at least ")
    assert facts_of(hc.total(PLAYS, user="listener", epsilon=1, bound=1)).people is None


# proofs


def test_a_proof_is_named_by_its_title_and_its_file() -> None:
    root = Path(__file__).parents[2]
    assert {path: (root / path).read_text().splitlines()[0] for path in TITLES} == {
        path: f"# {title}" for path, title in TITLES.items()
    }
    facts = facts_of(hc.total(PLAYS, user="listener", epsilon=1))
    assert proof_of(facts).startswith(
        "“Clipped: items known in advance”, docs/proofs/clipped.md in the source of headcount 0"
    )
    assert proof_of(replace(facts, about=replace(facts.about, proof="elsewhere"))) == "elsewhere"
    assert proof_of(replace(facts, about=replace(facts.about, proof=""))) == "not recorded"


def test_every_mechanism_has_a_proof_with_a_title() -> None:
    found = [every for kind in (Mechanism,) for every in _below(kind) if "proof" in vars(every)]
    assert len(found) > 10
    assert {each.proof for each in found} <= set(TITLES)


def _below(kind: type[Any]) -> list[type[Any]]:
    return [each for child in kind.__subclasses__() for each in (child, *_below(child))]


# the checklist


def test_the_checklist_names_columns_and_leaves_open_what_it_cannot_know() -> None:
    release = hc.histogram(PLAYS, **{**ASKED, "bound": 2}, keys=["song 0", "song 1"])
    lines = {line.question: line for line in checklist(facts_of(release))}
    assert 18 <= len(lines) <= 30
    assert "a certain listener" in lines["Two worlds"].answer
    assert "(song, count, low, high;" in lines["Two worlds"].answer
    assert 'keys=["song 0", "song 1"]' in lines["Lists of items, bins, ranges, conditions"].answer
    still = {question for question, line in lines.items() if line.open}
    assert {"Access to the rows", "Retention", "Tuning", "How was that limit chosen?", "Unit of privacy"} <= still
    assert not {"Privacy parameters", "Proof", "Floating point", "Trust model"} & still
    chosen = {line.question: line for line in checklist(facts_of(hc.histogram(PLAYS, **{**ASKED, "bound": "auto"})))}
    assert not chosen["How was that limit chosen?"].open


# the record


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("kind", RELEASES)
def test_a_registry_would_take_the_record(kind: str, tmp_path: Path) -> None:
    job, arguments = RELEASES[kind]
    release = getattr(hc, job)(people(), user="user", epsilon=1, **arguments)
    record = yaml.safe_load(release.report(tmp_path / "record.yaml").read_text())
    assert faults(record) == []
    loss = record["deployment"]["privacy_loss"]["privacy_parameters"]
    assert (loss["epsilon"], loss.get("delta", 0)) == (release.cost.epsilon, release.cost.delta)


def test_gaps_of_a_record_are_marked(ledger: hc.Ledger, tmp_path: Path) -> None:
    release = hc.histogram(PLAYS, **ASKED, ledger=ledger)
    loaded = hc.load(release.save(tmp_path / "r.parquet"))
    alone, charged = (each.report(tmp_path / "r.yaml").read_text() for each in (loaded, release))
    assert f'publication_date: "1900-01-01"  # {GAP}, NOT A FACT: ' in alone
    assert f'publication_date: "{ledger.spends()[-1].at[:10]}"' in charged
    for text in (alone, charged):
        assert text.count(GAP) >= 12
        marked = sum(GAP in line for line in text.splitlines() if not line.startswith("#"))
        assert text.startswith(f"# A draft: {marked} lines below are marked {GAP}.")
        assert not re.search(r": ([>\[{]|''|$)", text.replace(":\n", "\n"), re.MULTILINE)


def test_names_in_a_record_are_text(tmp_path: Path) -> None:
    release = hc.histogram(hc.table(ROWS, name=f'x: "y" # z - {visible(SCRIPT)}'), **ASKED)
    record = yaml.safe_load(release.report(tmp_path / "r.yaml").read_text())
    assert faults(record) == []
    assert SCRIPT.split("\x1b")[0] in record["deployment"]["basic"]["description"]


def test_the_rules_refuse_what_the_registry_would() -> None:
    release = hc.histogram(PLAYS, **ASKED)
    record = yaml.safe_load(release.exported(".yaml"))
    basic = record["deployment"]["basic"]
    for name, wrong in {
        "data_product_type": "Surprise",
        "publication_date": "1/1/2026",
        "name": 5,
        "more": "x",
    }.items():
        changed = {**record, "deployment": {**record["deployment"], "basic": {**basic, name: wrong}}}
        assert len(faults(changed)) == 1
    assert faults({key: value for key, value in record.items() if key != "url_slug"}) == ["record.url_slug: missing"]


def test_every_field_of_a_release_is_text_or_a_number() -> None:
    """What a page is made of is in the file: nothing is looked up elsewhere."""
    assert set(asdict(hc.histogram(PLAYS, **ASKED).about)) == set(About.__dataclass_fields__)
