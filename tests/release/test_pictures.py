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
from headcount.errors import BadParameter, MissingPackage, visible
from headcount.release import Release, pack
from headcount.release.chart import specification
from headcount.release.pictures.layout import Layout
from headcount.release.pictures.lines import with_gaps
from headcount.release.pictures.scene import Options, Scene, round_numbers
from headcount.release.pictures.scene import Panel as ScenePanel
from headcount.release.plot import picture, render
from headcount.release.text import chart_title

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
    release = getattr(hc, name)(hc.table(people(count), name=visible(NAME)), user=USER, epsilon=1, **asked)
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
    assert head(release.plot()) == ("People per city", "epsilon 1, delta 0")
    assert head(release.plot(most=2)) == ("People per city", "the 2 largest of 3; epsilon 1, delta 0")
    assert head(release.plot(title="Visitors")) == ("Visitors", "")


def head(figure: Figure) -> tuple[str, str]:
    """The title, and what stands below it."""
    return figure.get_suptitle(), figure.texts[1].get_text()


def test_the_cost_is_smaller_and_paler_than_the_title() -> None:
    title, cost = counted("city", CITIES).plot().texts[:2]
    assert float(cost.get_fontsize()) < float(title.get_fontsize())
    assert cost.get_color() != title.get_color()


def test_intervals_are_named_for_what_they_hold() -> None:
    figure = counted("city", CITIES).plot()
    assert figure.axes[0].get_xlabel() == "people"
    assert any(text.startswith("95% intervals are for the counts after ") for text in texts(figure))
    total = hc.total(visits(), user="user", count="users", epsilon=1).plot()
    assert any(text.startswith("95% intervals are for the true ") for text in texts(total))
    assert not any("low and high" in text for text in (*texts(figure), *texts(total)))


def test_a_title_names_a_column_once() -> None:
    about = replace(counted("city", CITIES).about, view="aggregate")
    titles = {
        "people, sum(a), mean(a) per city": "People, sum and mean of a per city",
        "mean(a) per person per city": "Mean(a) per person per city",
        "quantile(a, 0.9), sum(b) per city": "Quantile(a, 0.9), sum of b per city",
    }
    for what, title in titles.items():
        assert chart_title(replace(about, what=what)) == title


# the size


def size(figure: Figure) -> tuple[float, float]:
    width, height = figure.get_size_inches()
    return float(width), float(height)


def test_a_slide_is_16_to_9(tmp_path: Path) -> None:
    release = counted("city", CITIES)
    for drawn in (
        release.plot(tmp_path / "c.png", size="slide"),
        hc.total(visits(), user="user", epsilon=1).plot(size="slide"),
    ):
        assert size(drawn)[0] / size(drawn)[1] == pytest.approx(16 / 9)
    header = (tmp_path / "c.png").read_bytes()[16:24]
    assert (int.from_bytes(header[:4]), int.from_bytes(header[4:])) == (1920, 1080)
    assert size(release.plot())[0] == size(release.plot(size="page"))[0] == 8


def test_a_slide_has_room_for_fifteen_bars() -> None:
    rows = pa.table({"user": range(60), "item": [f"{number % 30}" for number in range(60)]})
    plan = hc.plan("histogram", rows, user="user", by="item", keys=[f"{n}" for n in range(30)], epsilon=1, bound=1)
    release = plan.release(entropy=Fixed(0))
    assert [len(release.plot(size=each).axes[0].patches) for each in ("page", "slide")] == [25, 15]
    assert "the 15 largest of 30; epsilon 1, delta 0" in texts(release.plot(size="slide"))


def layout(panels: int, width: float | None = None) -> tuple[int, int]:
    """The rows and columns of panels that are as narrow as lines may be."""
    scene = Scene((ScenePanel(lambda axes: None, 1.5),) * panels, min_width=1.9)
    found = Layout(scene, Options(width=width))
    return found.rows, found.columns


def test_few_places_of_a_picture_stay_empty() -> None:
    shapes = {count: layout(count) for count in range(1, 13)}
    assert [shapes[count] for count in (1, 2, 3, 4, 5)] == [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5)]
    assert [shapes[count] for count in (6, 8, 9, 10, 12)] == [(2, 3), (2, 4), (3, 3), (2, 5), (3, 4)]
    assert all(rows * columns - count <= 1 for count, (rows, columns) in shapes.items())
    assert [layout(count, 4.5) for count in (3, 4)] == [(3, 1), (2, 2)]


def test_several_panels_are_wide_and_label_outer_axes_alone() -> None:
    figure = counted(["day", "city"], [(day, city) for day in DAYS for city in CITIES]).plot()
    figure.draw_without_rendering()
    assert size(figure) == (10, 5.625)
    labelled = [
        any(label.get_text() for label in axes.get_yticklabels() if label.get_visible()) for axes in figure.axes
    ]
    assert labelled == [True, False, False]
    months = [axes.xaxis.get_offset_text() for axes in figure.axes]
    assert [each.get_text() for each in months if each.get_visible()] == ["January 2024"]


@pytest.mark.parametrize("kind", ["bars", "lines"])
def test_one_wide_interval_does_not_flatten_a_panel(kind: str) -> None:
    release = counted("day", DAYS) if kind == "lines" else counted("city", CITIES)
    high = [22.0] * len(release.table)
    usual, wide = (release.table.set_column(3, "high", pa.array(each)) for each in (high, [1e6, *high[1:]]))
    ends = []
    for table in (usual, wide):
        axes = picture(table, release.about, Options()).axes[0]
        arrows = [line for line in axes.lines if line.get_marker() in ("^", ">")]
        ends.append(((axes.get_xlim() if kind == "bars" else axes.get_ylim())[1], len(arrows)))
    assert ends[0][1] == 0
    assert ends[1][1] == 1
    assert ends[1][0] < 2 * ends[0][0]


def test_columns_of_values_have_labels() -> None:
    release = counted("city", CITIES)
    assert release.plot(labels={"count": "Visitors"}).axes[0].get_xlabel() == "Visitors"
    with pytest.raises(BadParameter, match=r"labels: 'visits' is no column of values; these are count\. Fix: "):
        release.plot(labels={"visits": "Visitors"})


@pytest.mark.parametrize(("largest", "ticks"), [(9000, ["0", "5,000"]), (30000, ["0", "10k", "20k", "30k"])])
def test_numbers_of_an_axis_are_round_and_in_one_unit(largest: int, ticks: list[str]) -> None:
    axes = Figure().subplots()
    axes.set_xlim(0, largest)
    round_numbers(axes.xaxis, 3)
    locations = axes.xaxis.get_major_locator().tick_values(0, largest)
    formatter = axes.xaxis.get_major_formatter()
    assert [formatter(value, 0) for value in locations if value <= largest] == ticks


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
    keys = [(f"country {index:02}", date(2024, 1, 1 + day)) for index in range(15) for day in range(9)]
    plan = hc.plan("histogram", table, user="user", by=["country", "day"], keys=keys, epsilon=100)
    release = plan.release(entropy=Fixed(0))
    drawn = {most: release.plot(most=most, title="Mine") for most in (None, 15, 2)}
    assert {most: sum(axes.axison for axes in figure.axes) for most, figure in drawn.items()} == {
        None: 12,
        15: 15,
        2: 2,
    }
    assert head(drawn[15]) == ("Mine", "")
    assert head(drawn[2]) == ("Mine", "the 2 largest of 15 values of country")
    assert "95% intervals are for the true counts." in texts(drawn[2])


@pytest.mark.parametrize("wrong", [{"order": "size"}, {"most": 0}, {"most": True}, {"size": "16:9"}])
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
