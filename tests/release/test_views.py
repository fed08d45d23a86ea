"""Kinds of results: each is known by its name, and a job may bring one of its own."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pytest
from matplotlib.axes import Axes

import headcount as hc
from headcount.job import Job
from headcount.jobs import JOBS
from headcount.jobs.histogram import Histogram
from headcount.planner import build
from headcount.release import About, Release, Shape, views
from headcount.release.chart import specification
from headcount.release.pictures import vega
from headcount.release.pictures.scene import Options, Panel, Scene, say
from headcount.release.views import Layout, View, register
from headcount.release.views.items import ITEMS
from headcount.release.views.shape import SHAPE

STORED = {"", "aggregate", "profile", "total", "quantiles", "ranges", "shape", "distribution", "sampled"}
"""Names in files that exist."""


def test_files_keep_the_names_of_their_views() -> None:
    assert set(views._VIEWS) == STORED


@pytest.mark.parametrize("name", JOBS)
def test_the_view_of_every_job_is_known(name: str) -> None:
    getattr(hc, name)  # imports its file
    view = Job.kind(name).view
    assert views._VIEWS[view.name] is view


def test_two_views_cannot_have_one_name() -> None:
    assert register(ITEMS) is ITEMS
    with pytest.raises(ValueError, match="'total': there is such a view"):
        register(View("total", Layout()))


def test_the_class_of_a_release_is_that_of_its_view() -> None:
    assert (Release.kind(SHAPE), Release.kind(ITEMS)) == (Shape, Release)


class PodiumView(View):
    """The first three, with their places."""

    def title(self, about: About) -> str:
        return f"podium: {about.what}"

    def shown(self, table: pa.Table, about: About) -> tuple[pa.Table, Sequence[str]]:
        return table.add_column(0, "place", [range(1, len(table) + 1)]), ["place", "count", "low", "high"]

    def notes(self, table: pa.Table, about: About) -> list[str]:
        return [f"gold: {table[about.by[0]][0]}"]

    def picture(self, table: pa.Table, about: About, options: Options) -> Scene:
        return Scene((Panel(partial(_draw, " ".join(map(str, table[about.by[0]]))), 2),))

    def chart(self, table: pa.Table, about: About, most: int) -> vega.Marks:
        return vega.number, table.slice(0, 3)


def _draw(words: str, axes: Axes) -> None:
    say(axes, words)


@pytest.fixture
def podium() -> Iterator[Release]:
    """The release of a job with a view and a class of releases of its own, which are forgotten afterwards."""
    kind = register(PodiumView("podium", Layout(), preface="From the left. "))

    class PodiumRelease(Release, view=kind):
        @property
        def winner(self) -> str:
            return str(self["song"][0])

    @dataclass(frozen=True, kw_only=True)
    class Podium(Histogram):
        name: ClassVar[str] = "podium"
        view = kind

    keys = [f"song {number:04}" for number in (1, 2, 3)]
    arguments = {"user": "user", "by": "song", "keys": keys, "bound": 3, "epsilon": 5}
    release = build(Podium, hc.example(), arguments).release()
    assert isinstance(release, PodiumRelease)
    yield release
    views._VIEWS.pop(kind.name, None)
    del Job._KINDS[Podium.name], Release._KINDS[kind]


def test_a_view_of_its_own_is_saved_and_loaded(podium: Release, tmp_path: Path) -> None:
    loaded = hc.load(podium.save(tmp_path / "podium.parquet"))
    assert type(loaded) is type(podium)
    assert vars(type(loaded))["winner"].fget(loaded) == "song 0001"
    assert loaded.about == podium.about
    assert json.loads(loaded.to_json())["view"] == "podium"
    assert hc.Plan.from_json(podium.about.plan).to_json() == podium.about.plan


def test_a_view_of_its_own_is_printed_and_drawn(podium: Release, tmp_path: Path) -> None:
    lines = podium.summary().splitlines()
    assert any(line.split()[:2] == ["place", "song"] for line in lines)
    assert lines[-1] == "gold: song 0001"
    figure = podium.plot(tmp_path / "podium.png")
    assert figure.axes[0].texts[0].get_text() == "song 0001 song 0002 song 0003"
    assert specification(podium.table, podium.about, None, 1)["mark"]["type"] == "text"
    assert specification(podium.table, podium.about, None, 1)["title"]["text"].startswith("Podium: people per song")


def test_a_view_of_its_own_is_reported(podium: Release, tmp_path: Path) -> None:
    page = podium.report(tmp_path / "podium.html").read_text()
    assert ">place</th>" in page
    assert "From the left. The intervals are for the true values" in page
    assert "Podium: people per song" in podium._repr_html_()
    assert "podium" in podium.report(tmp_path / "podium.yaml").read_text().lower()


def test_a_view_that_is_not_known_is_refused(podium: Release, tmp_path: Path) -> None:
    path = podium.save(tmp_path / "podium.parquet")
    del views._VIEWS["podium"]
    with pytest.raises(hc.errors.NotATable, match=r"not a release \(view\)"):
        hc.load(path)
