"""Pictures show names as they are: a dollar begins no formula, an escape breaks no file."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from benchmarks.scale import pictures as scaled
from matplotlib.figure import Figure
from matplotlib.text import Text

import headcount as hc
from experiments.pictures import Panel, Series, figure
from headcount.release.plot import render

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
