"""A release says what low and high are for, wherever somebody looks: in the summary, on the page, in the picture, in
JSON, and after it was saved and loaded."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import headcount as hc
from headcount import papers
from headcount.account.events import from_json
from headcount.account.ledger.record.chain import canonical
from headcount.release.about import KEY, pack

PLAYS = hc.example()
TRUE = "low and high are for the true counts."
HIGHER = "the truth is higher wherever people have more."
Request = Callable[[], hc.Release]
SONGS = ["song 0001", "song 0002"]


def songs(**more: object) -> hc.Release:
    return hc.histogram(PLAYS, user="user", by="song", epsilon=1, **more)  # type: ignore[arg-type]


def all_plays(**more: object) -> hc.Release:
    return hc.total(PLAYS, user="user", epsilon=1, **more)  # type: ignore[arg-type]


REQUESTS: dict[str, tuple[Request, str, str]] = {
    "the default": (songs, "true", TRUE),
    "a given bound": (
        lambda: songs(bound=5),
        "bounded",
        f"low and high are for the counts after each person was held to 5 items; {HIGHER}",
    ),
    "by name": (lambda: songs(mechanism="thresholded"), "bounded", HIGHER),
    "nothing undone": (lambda: songs(debias=None), "bounded", HIGHER),
    "a baseline": (lambda: songs(mechanism=papers.Plume()), "bounded", HIGHER),
    "a sample": (lambda: songs(mechanism="sample-threshold", bound=2), "bounded", "was held to 2 items; "),
    "one after another": (lambda: songs(mechanism="count-release"), "true", TRUE),
    "events, one after another": (
        lambda: songs(mechanism="count-release", count="events", bound=3),
        "bounded",
        f"after each person was held to 3 events for each song; {HIGHER}",
    ),
    "known items": (lambda: songs(keys=SONGS, bound=1), "bounded", f"was held to 1 item; {HIGHER}"),
    "no more items than the bound": (lambda: songs(keys=SONGS, bound=2), "true", TRUE),
    "no more items, but events": (lambda: songs(keys=SONGS, bound=2, count="events"), "bounded", "2 events; "),
    "a ratio": (lambda: songs(keys=SONGS, bound=1, debias="ratio"), "modelled", "unless someone lost more than 4"),
    "all plays": (all_plays, "bounded", " events; the truth is higher"),
    "all people": (lambda: all_plays(count="users"), "true", "low and high are for the true total."),
    "Poisson": (
        lambda: all_plays(bound=10, debias=hc.PoissonCounts(people=20_000)),
        "modelled",
        "low and high are for the true total, if people's counts are Poisson.",
    ),
    "top": (lambda: hc.top(PLAYS, user="user", by="song", k=3, epsilon=1), "true", TRUE),
    "top, without counts": (
        lambda: hc.top(PLAYS, user="user", by="song", k=3, epsilon=1, count="none"),
        "none",
        "",
    ),
    "shape": (
        lambda: hc.shape(PLAYS, user="user", by="song", epsilon=1),
        "bounded",
        f"low and high are for the counts after each person was held to 1 item; {HIGHER}",
    ),
    "profile": (lambda: hc.profile(PLAYS, user="user", by="song", epsilon=1), "true", TRUE),
}


def below_headline(release: hc.Release) -> str:
    """The lines between the headline and the first empty one, as one."""
    return " ".join(repr(release).split("\n\n")[0].splitlines()[1:])


@pytest.mark.parametrize("name", REQUESTS)
def test_wherever_somebody_looks(name: str, tmp_path: Path) -> None:
    request, estimand, words = REQUESTS[name]
    release = request()
    sentence = release.about.interval
    assert (release.about.estimand, words in sentence, bool(sentence)) == (estimand, True, bool(words))
    assert below_headline(release) == sentence
    assert json.loads(release.to_json())["estimand"] == estimand
    loaded = hc.load(release.save(tmp_path / "release.parquet"))
    assert (loaded.about.estimand, below_headline(loaded)) == (estimand, sentence)
    if sentence:
        shown = sentence[1:].replace("'", "&#x27;")
        page = release._repr_html_()
        assert page.index(shown) < page.index("<svg")
        captions = [text.get_text().replace("\n", " ") for text in release.plot().texts]
        assert sentence.replace("low and high", "95% intervals", 1) in captions


def test_a_release_of_an_earlier_version_says_nothing(tmp_path: Path) -> None:
    release = songs(bound=5)
    known = {name: each for name, each in asdict(release.about).items() if name not in ("estimand", "interval")}
    table = release.table.replace_schema_metadata({KEY: canonical(known).encode()})
    path = tmp_path / "old.parquet"
    pa.parquet.write_table(table, path)
    old = hc.load(path)
    assert (old.about.estimand, old.about.interval) == ("", "")
    assert repr(old).splitlines()[1] == ""
    assert "headcount-interval" not in old._repr_html_()
    assert from_json(old.about.events) == from_json(release.about.events)


def test_an_unknown_estimand_is_refused(tmp_path: Path) -> None:
    release = songs(bound=5)
    object.__setattr__(release.about, "estimand", "everything")
    path = tmp_path / "forged.parquet"
    path.write_bytes(pack(release.table, release.about))
    with pytest.raises(hc.HeadcountError, match="estimand"):
        hc.load(path)


def test_the_number_of_different_items_says_what_it_counts() -> None:
    """Everybody has 20 of 5,000 items: of one item each, some are missing. `low` holds for the whole table."""
    random = np.random.default_rng(1)
    items = random.integers(0, 5_000, 40_000) ** 2 // 5_000
    table = pa.table({"user": np.repeat(np.arange(2_000), 20), "item": items})
    shape = hc.shape(table, user="user", by="item", epsilon=1)
    found, true = shape.distinct(), len(np.unique(items))
    assert found.high < true
    assert str(found).endswith(f"after each person was held to 1 item; the whole table has at least {int(found.low):,}")
    assert f"different items {found}" in " ".join(repr(shape).split())
    assert str(shape.entropy()).endswith("after each person was held to 1 item; otherwise it may differ")
    assert str(shape.coverage(500)).endswith("if each person was held to 1 item")
    assert str(shape.support_size(min_share=1e-5)).endswith("by shares after each person was held to 1 item")
    assert json.loads(shape.to_json())["follows"]["distinct"]["note"] == found.note


def test_a_shape_of_a_public_list_within_the_bound_is_that_of_the_table() -> None:
    shape = hc.shape(PLAYS, user="user", by="song", keys=SONGS, bound=2, epsilon=1)
    assert shape.about.estimand == "true"
    assert shape.distinct().note == ""
