"""Experiment on Bharadwaj and Cormode 2022: its own parts, and a small version end to end."""

from fractions import Fraction
from math import comb, e, exp
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.experiments.quick import assert_complete, assert_filled, computed_once, quick_part, quickly, table

from audits.mechanisms.sample_threshold import one_coin
from audits.shortcuts import FINITE_LEFT_OUT, with_joint_coins
from experiments.sampling import curves, everything, heavy, lemmas, mistakes, quantiles, theorem
from experiments.sampling.part import DELTA, EPSILON
from headcount.account.calibration import rates
from headcount.account.composition.cost import native
from headcount.account.curves import sampling
from headcount.account.events import SampleThreshold
from headcount.audit.enumerate import worst_delta


def binomial(coins: int, p: float) -> list[float]:
    return [comb(coins, k) * p**k * (1 - p) ** (coins - k) for k in range(coins + 1)]


def rows(module: ModuleType, title: str) -> dict[str, tuple[str, ...]]:
    """The rows of a table of the small version, by their first cell."""
    return {row[0]: row for row in table(quick_part(module.part), title).rows}


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("name", everything.PARTS)
def test_every_part_has_all_cells(name: str) -> None:
    found = quick_part(everything.PARTS[name])
    assert found.tables
    assert found.notes
    assert_filled(found.tables)


@pytest.mark.slow(sibling="test_every_part_has_all_cells")
def test_everything_is_computed_and_plotted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(everything, "PARTS", computed_once(everything.PARTS))
    found = quickly("sampling")
    assert len(found.tables) == 14
    assert len(found.panels) == 7  # the quick version has one delta less
    assert_complete(found, tmp_path)


def test_the_papers_example_is_what_the_errata_say() -> None:
    assert theorem.formula(20) == pytest.approx(exp(-361 / 21))
    *_, formula, added, replaced = rows(theorem, "Theorem 1")["1"]  # the last row with this epsilon
    assert (formula, added) == ("3.42e-08", "1.44e-24")
    assert 1 <= float(replaced) / float(added) <= 1.05
    found = rows(theorem, "An item of 1,000")
    assert found["as in Theorem 1"][4:6] == (".1187", ".0102")
    assert found["m = n/theta"][4:6] == ("1.23e-04", "2.88e-07")
    assert float(found["exact: the best theta"][5]) < 1e-80
    assert abs(int(found["as in Theorem 1"][6]) - 20.3) < 6 * 4.5  # of 2,000


def test_the_papers_rule_holds_with_much_to_spare() -> None:
    for _, delta, *_, formula, added, replaced in quick_part(theorem.part).tables[0].rows[:-1]:
        assert float(formula) <= float(delta)
        assert max(float(added), float(replaced)) < 1e-10 * float(delta)


@pytest.mark.parametrize("people", [20, 120])
def test_chances_are_the_binomial_ones(people: int) -> None:
    p = 0.3
    distribution = binomial(people, p)
    assert lemmas.binomial_pmf(np.arange(people + 1), people, p) == pytest.approx(distribution)
    far = [k for k in range(people + 1) if abs(k - people * p) > 0.1 * people * p]
    assert lemmas.error_probability(people * p, p) == pytest.approx(sum(distribution[k] for k in far))
    assert lemmas.binomial_tail(7, people, p) == pytest.approx(sum(distribution[7:]))
    assert lemmas.binomial_tail(people + 1, people, p) == 0


def test_lemma_4_is_false_for_one_person() -> None:
    _, _, stated, needed, delta = rows(lemmas, "Lemma 4")["1"]
    assert (stated, needed) == (".0316", "0")
    assert float(stated) > 1e5 * float(delta)
    assert all(float(row[3]) <= float(row[4]) for row in rows(lemmas, "Lemma 4").values())


def test_lemma_3_is_false_for_a_large_chance() -> None:
    """And true with the right logarithm."""
    wrong = [beta for beta, row in rows(lemmas, "Lemma 3").items() if float(row[2]) > float(beta)]
    assert wrong == ["0.4", "0.45"]
    assert all(float(row[4]) <= float(beta) for beta, row in rows(lemmas, "Lemma 3").items())


def test_the_distance_of_two_laws_is_right() -> None:
    people, p, invited = 60, 0.25, 24
    right, wrong = binomial(people, p), [*binomial(invited, people * p / invited), *[0.0] * (people - invited)]
    exact = sum(abs(a - b) for a, b in zip(right, wrong, strict=True)) / 2
    assert lemmas.distance(people, p, invited) == pytest.approx(exact)
    assert lemmas.distance(people, p, people) == pytest.approx(0, abs=1e-9)


def test_several_levels_are_as_the_digest_has_them() -> None:
    """Never less, as rounded there; of many levels a little more, as the grid is finer."""
    for theta, digest in curves.DIGEST.items():
        for index, levels in enumerate(curves.LEVELS):
            for way, rate in curves.rates_by_composition(theta, levels).items():
                if digest[way][index] != "-":
                    assert -0.01 <= rate / float(digest[way][index]) - 1 <= 0.02, (theta, levels, way)


def test_the_paper_has_no_rule_above_one() -> None:
    assert curves.paper_rule("2", "1e-6") is None
    told = curves.paper_rule("1", "1e-6")
    assert told is not None
    assert curves.visible_count(told) > 8 * curves.visible_count(rates.best(1, "1e-6"))


def test_more_is_found_by_the_exact_rule_and_by_noise() -> None:
    found = heavy.results("0.01", [10_000], 10, seed=1)
    exact, paper, noise = (found[name][0] for name in (heavy.EXACT, heavy.PAPER, heavy.NOISE))
    assert paper.recall + 0.3 < exact.recall <= 1
    assert noise.recall > 0.9
    for each in (exact, paper, noise):
        assert each.certain_correct <= each.certain <= each.found
        assert each.certain_recall <= each.recall
        assert each.certain - each.certain_correct <= 5


def test_tables_of_heavy_hitters_have_all_people() -> None:
    totals = heavy.zipf(10_000, 3, seed=1).reshape(3, -1)
    assert totals.sum(axis=1).tolist() == [10_000] * 3
    assert not (totals[0] == totals[1]).all()


def test_nothing_may_be_found() -> None:
    """Nobody has enough for the paper's sample."""
    mechanism = heavy.mechanisms()[heavy.PAPER]
    found = heavy.evaluate(mechanism, "0.01", 100, np.array([20, 20, 20, 20, 20]))
    assert (found.heavy, found.found, found.cell()) == (5, 0, ".00 / - / .00")


def test_every_way_to_quantiles_is_within_the_budget() -> None:
    for name, way in quantiles.ways((Fraction(1, 2),)).items():
        price = native(way.mechanism.event)
        assert price.epsilon <= EPSILON, name
        assert price.delta <= DELTA, name


def test_quantiles_are_better_by_the_exact_rule_and_by_noise() -> None:
    ranked = np.sort(np.random.default_rng(1).beta(2, 5, 20_000))
    ways = quantiles.ways((Fraction(1, 2),))
    off = {name: ways[name].errors(ranked, 30).mean() for name in (quantiles.TREE, quantiles.PAPER, "tree with noise")}
    assert off["tree with noise"] < off[quantiles.TREE] < off[quantiles.PAPER]


def test_mistakes_are_as_bad_as_the_errata_say() -> None:
    found = rows(mistakes, "Mistakes")
    for name in ("one sample for two levels", "the sum of hidden counts released"):
        assert float(found[name][4]) == pytest.approx(float(found[name][2].split(",")[0]), abs=2e-4)
        assert float(found[name][3]) <= 1.01e-6
    assert found["a sample of a fixed size, 4 of 8"][4] == ".5000"


def test_one_coin_is_three_times_worse() -> None:
    row = rows(mistakes, "One coin")["2"]
    assert (row[1], row[4], row[6]) == ("5.92e-08", "1.86e-07", "3.1")
    assert float(row[1]) <= float(row[3]) <= float(row[4])
    exact = float(sampling.delta(SampleThreshold(mistakes.P, mistakes.THETA, 1, "add-remove", EPSILON)))
    assert rows(mistakes, "One coin")["1"][1] == f"{exact:.2e}"


def test_one_coin_is_what_the_audit_finds() -> None:
    """The product's own enumeration of the mistake, at one N: the same delta."""
    people = 22
    others = (("a",),) * (people - 1) + (("b",),) * (people - 1)
    event = SampleThreshold(mistakes.P, mistakes.THETA, 2, "add-remove", EPSILON)
    found = worst_delta(with_joint_coins(one_coin(event)), [((*others, ("a", "b")), others)], 1, FINITE_LEFT_OUT)
    assert mistakes.delta(2, people, shared_coin=True) == pytest.approx(float(found.low), rel=1e-6)
    hidden, more = mistakes.shown_distributions(people)
    assert hidden.sum() == pytest.approx(1)
    assert more.sum() == pytest.approx(1)
    assert np.maximum((1 - 0.2) * hidden + 0.2 * more - e * hidden, 0).sum() < 1e-6
