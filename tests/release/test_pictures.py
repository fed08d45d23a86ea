"""Pictures show names as they are, in the form that the columns ask for."""

import sys
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.scale import pictures as scaled
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.text import Text

import headcount as hc
from experiments.pictures import Panel, Series, figure
from headcount.audit.choices import Fixed
from headcount.errors import BadParameter, MissingPackage
from headcount.release import Release, pack
from headcount.release.chart import specification
from headcount.release.pictures.lines import with_gaps
from headcount.release.pictures.scene import Options
from headcount.release.plot import picture, render

NAME = "$\\nope{$ \x1b\x9b\u202e\n<b>&"
"""To Matplotlib a formula that is wrong, to XML a character that is not allowed."""
USER, ITEM, NUMBER = f"user {NAME}", f"item {NAME}", f"number {NAME}"
JOBS: dict[str, tuple[str, dict[str, Any]]] = {
    "people": ("histogram", {"by": ITEM}),
    "listed": ("histogram", {"by": ITEM, "keys": [NAME], "bound": 1}),
    "sum": ("histogram", {"by": ITEM, "sum": NUMBER}),
    "top": ("top", {"by": ITEM, "k": 2}),
    "heavy hitters": ("heavy_hitters", {"by": ITEM}),
    "total": ("total", {"where": {ITEM: NAME}}),
    "profile": ("profile", {"by": ITEM}),
    "quantiles": ("quantiles", {"value": NUMBER, "range": (0, 10)}),
    "ranges": ("ranges", {"value": NUMBER, "ranges": [(0, 10)]}),
    "shape": ("shape", {"by": ITEM}),
    "distribution": ("distribution", {"by": ITEM, "keys": [NAME, "other"]}),
}


def people(count: int) -> pa.Table:
    """People with one item each."""
    return pa.table({USER: range(count), ITEM: [NAME] * count, NUMBER: [5.0] * count})


def assert_plain(picture: Figure) -> None:
    """No name is read as a formula."""
    texts = [text for text in picture.findobj(Text) if isinstance(text, Text) and "nope" in text.get_text()]
    assert texts
    assert not any(text.get_parse_math() or text.get_usetex() for text in texts)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize(("job", "count"), [*((job, 3000) for job in JOBS), ("sum", 1), ("profile", 1), ("shape", 1)])
def test_every_job_draws_names_as_they_are(job: str, count: int, tmp_path: Path) -> None:
    name, asked = JOBS[job]
    release = getattr(hc, name)(people(count), user=USER, dataset=NAME, epsilon=1, **asked)
    assert_plain(release.plot(tmp_path / "r.svg"))
    ElementTree.parse(tmp_path / "r.svg")
    page = release.report(tmp_path / "r.html").read_text()
    assert {char for char in page if not char.isprintable()} == {"\n"}
    assert "<b>&<" not in page
    assert release.chart().to_dict()["title"]["text"]  # Altair checks it against the schema of Vega-Lite


def test_pictures_of_experiments_draw_names_as_they_are() -> None:
    series = [Series(f"series {NAME}", [f"x {NAME}", "y"], [1.0, 2.0]), Series("numbers", [0.0, 1.0], [1.0, 2.0])]
    picture = figure([Panel(NAME, NAME, NAME, tuple(series), "y", legend) for legend in ("within", "beside")])
    assert_plain(picture)
    render(picture, "png")


def test_pictures_of_scaling_draw_names_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaled, "WAYS", {"way": Way()})
    picture = scaled.bars([Row()])  # type: ignore[list-item]
    assert_plain(picture)
    render(picture, "png")


class Way:
    """A way with such a name."""

    name, ours = NAME.replace("{", ""), True


class Row:
    """A row of measurements."""

    way, events, bound, rounds = "way", 10, 5, 1

    def ratio(self, what: str) -> float:
        """Over the plain query's."""
        return 2.0


# the form


DAYS = [date(2024, 1, 1) + timedelta(days=day) for day in range(10)]
CITIES = ["Rome", "Oslo", "Lima"]


def visits() -> pa.Table:
    """Two people for each day and city, one of whom is on a plan."""
    rows = [(day, city) for day in DAYS for city in CITIES for _ in range(2)]
    return pa.table(
        {
            "user": range(len(rows)),
            "day": [day for day, _ in rows],
            "city": [city for _, city in rows],
            "plan": ["basic", "pro"] * (len(rows) // 2),
        }
    )


def counted(by: str | list[str], keys: list[Any]) -> Release:
    """Counts without noise."""
    plan = hc.plan("histogram", visits(), user="user", by=by, keys=keys, epsilon=1, bound=1)
    return plan.release(entropy=Fixed(0))


def texts(figure: Figure) -> list[str]:
    return [each.get_text() for each in figure.findobj(Text) if isinstance(each, Text)]


def test_titles_are_those_of_a_chart_for_others() -> None:
    release = counted("city", CITIES)
    assert release.plot().get_suptitle() == "People per city\nepsilon 1, delta 0"
    assert release.plot(most=2).get_suptitle() == "People per city\nthe 2 largest of 3; epsilon 1, delta 0"
    assert release.plot(title="Visitors").get_suptitle() == "Visitors"


def test_intervals_are_named_for_what_they_hold() -> None:
    assert counted("city", CITIES).plot().axes[0].get_xlabel() == "people, with 95% intervals for values after bounding"
    total = hc.total(visits(), user="user", count="users", epsilon=1).plot()
    assert any(text.startswith("95% interval for the true values: ") for text in texts(total))


def test_bars_in_another_order() -> None:
    rows = pa.table({"user": range(6), "item": list("bbbaac")})
    release = hc.plan("histogram", rows, user="user", by="item", keys=list("cba"), epsilon=1, bound=1).release(
        entropy=Fixed(0)
    )
    for order, names in ((None, "bac"), ("value", "bac"), ("item", "abc")):
        labels = [each.get_text() for each in release.plot(order=order).axes[0].get_yticklabels()]  # type: ignore[arg-type]
        assert labels == list(names)


def test_every_item_of_a_second_column_has_a_panel_if_there_is_room() -> None:
    """Twelve by default; more, or fewer, by number. What is left out is said, whatever the title is."""
    table = pa.table(
        {
            "user": [f"{user}" for user in range(300) for _ in range(2)],
            "country": [f"country {user % 15:02}" for user in range(300) for _ in range(2)],
            "day": [date(2024, 1, 1 + (user + visit) % 9) for user in range(300) for visit in range(2)],
        }
    )
    keys = [(f"country {place:02}", date(2024, 1, 1 + day)) for place in range(15) for day in range(9)]
    release = hc.histogram(table, user="user", by=["country", "day"], keys=keys, epsilon=100)
    drawn = {most: release.plot(most=most, title="Mine") for most in (None, 15, 2)}
    assert {most: sum(axes.axison for axes in figure.axes) for most, figure in drawn.items()} == {
        None: 12,
        15: 15,
        2: 2,
    }
    assert drawn[15].get_suptitle() == "Mine"
    assert drawn[2].get_suptitle() == "Mine\nthe 2 largest of 15 values of country"
    assert "with 95% intervals" in drawn[2].get_supxlabel()


@pytest.mark.parametrize("wrong", [{"order": "size"}, {"most": 0}, {"most": True}])
def test_options_that_are_none(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadParameter, match="Fix: "):
        counted("city", CITIES).plot(**wrong)


def test_on_axes_of_somebody_else() -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert counted("city", CITIES).plot(ax=right) is figure
    assert (len(left.patches), len(right.patches)) == (0, 3)
    with pytest.raises(BadParameter, match=r"ax: this picture has 2 panels\. Fix: plot\(\) without ax"):
        hc.profile(visits(), user="user", by="city", epsilon=1).plot(ax=left)


def test_a_date_and_a_column_are_small_multiples_on_one_scale() -> None:
    figure = counted(["day", "city"], [(day, city) for day in DAYS for city in CITIES]).plot()
    panels = [axes for axes in figure.axes if axes.lines]
    assert sorted(axes.get_title(loc="left") for axes in panels) == sorted(CITIES)
    assert len({axes.get_ylim() for axes in panels}) == 1
    assert all(len(axes.lines[0].get_xdata()) == len(DAYS) for axes in panels)  # type: ignore[arg-type]


def test_two_small_columns_are_a_heat_map() -> None:
    release = counted(["city", "plan"], [(city, plan) for city in CITIES for plan in ("basic", "pro")])
    figure = release.plot()
    (mesh,) = figure.findobj(QuadMesh)
    assert isinstance(mesh, QuadMesh)
    assert np.asarray(mesh.get_array()).shape == (3, 2)
    assert sum("±" in text for text in texts(figure)) == 6
    assert not release.plot(order="value").findobj(QuadMesh)


def test_a_total_is_a_number() -> None:
    plan = hc.plan("total", visits(), user="user", count="users", epsilon=1)
    figure = plan.release(entropy=Fixed(0)).plot()
    assert "60 people" in texts(figure)
    assert not figure.axes[0].patches


def test_values_over_decades_have_a_logarithmic_scale() -> None:
    rows = pa.table({"user": range(5005), "item": ["a"] * 5000 + ["b"] * 5})
    plan = hc.plan("histogram", rows, user="user", by="item", keys=["a", "b"], epsilon=1, bound=1)
    wide = plan.release(entropy=Fixed(0)).plot().axes[0]
    assert (wide.get_xscale(), len(wide.patches)) == ("log", 0)
    assert counted("city", CITIES).plot().axes[0].get_xscale() == "linear"


def test_a_line_is_broken_where_dates_are_missing() -> None:
    points = [(float(day), 1.0, 0.0, 2.0) for day in (1, 2, 3, 7, 8)]
    assert [point[0] for point in with_gaps(points)] == [1, 2, 3, 3, 7, 8]
    assert with_gaps(points[:1]) == points[:1]


@pytest.mark.parametrize("by", ["day", "city"])
def test_several_value_columns_have_a_panel_each(by: str) -> None:
    items = DAYS if by == "day" else CITIES
    release = counted(by, items)
    ends = {name: release.table[name] for name in ("count", "low", "high")}
    columns = {
        f"{metric}{end}": ends[name]
        for metric in ("people", "mean")
        for end, name in zip(("", "_low", "_high"), ends, strict=True)
    }
    several = pa.table({by: release.table[by], **columns})
    about = replace(release.about, value="people")
    figure = picture(several, about, Options())
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["people", "mean"]
    assert len(specification(several, about, None, 25)["vconcat"]) == 2


# Vega-Lite


@pytest.mark.parametrize(
    ("by", "keys", "marks"),
    [
        ("city", CITIES, ["bar", "rule"]),
        ("day", DAYS, ["area", "line"]),
        (["day", "city"], [(day, city) for day in DAYS for city in CITIES], ["area", "line"]),
    ],
)
def test_charts_are_valid_and_hold_the_rows(by: str | list[str], keys: list[Any], marks: list[str]) -> None:
    release = counted(by, keys)
    plain = release.chart().to_dict()
    assert [layer["mark"]["type"] for layer in plain["layer"]] == marks
    assert [row["count"] for rows in plain["datasets"].values() for row in rows] == release["count"].to_pylist()
    assert plain["title"]["text"].startswith("People per ")
    assert release.chart(title="Visitors").to_dict()["title"]["text"] == "Visitors"


def test_a_chart_of_two_columns_has_panels() -> None:
    release = counted(["city", "plan"], [(city, plan) for city in CITIES for plan in ("basic", "pro")])
    assert release.chart().to_dict()["facet"]["row"]["field"] == "plan"


def test_names_in_a_chart_are_names() -> None:
    name = "a.b[0]"
    rows = pa.table({"user": range(3), name: ["x"] * 3})
    release = hc.histogram(rows, user="user", by=name, keys=["x"], epsilon=1, bound=1)
    encoding = release.chart().to_dict()["layer"][0]["encoding"]
    assert encoding["y"]["field"] == "a\\.b\\[0\\]"


def test_without_altair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingPackage, match=r"needs altair\. Fix: pip install 'headcount\[chart\]'"):
        counted("city", CITIES).chart()


def test_items_without_counts_have_no_chart() -> None:
    with pytest.raises(BadParameter, match="items without counts"):
        hc.top(visits(), user="user", by="city", k=2, epsilon=1, count="none").chart()


def test_a_loaded_picture_is_the_same(tmp_path: Path) -> None:
    release = counted(["city", "plan"], [(city, plan) for city in CITIES for plan in ("basic", "pro")])
    again = Release(pack(release.table, release.about), fresh=False)
    assert render(release.plot(), "svg") == render(again.plot(), "svg")
