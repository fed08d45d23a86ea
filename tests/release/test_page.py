"""The report page in a real Chromium: it fits, can be read in both colour schemes, and loads nothing."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from tests.browser import measured

import headcount as hc

WIDTH = """
    return {width: innerWidth, content: document.documentElement.scrollWidth,
        dark: matchMedia("(prefers-color-scheme: dark)").matches};
"""
ACCESSIBLE = """
    const all = (selector) => [...document.querySelectorAll(selector)];
    return {
        language: document.documentElement.lang, title: document.title,
        landmarks: all("main").length, h1: all("h1").length,
        unnamed: all("svg, img").filter((each) => !(each.getAttribute("alt") || each.querySelector("title"))).length,
        headless: all("table").filter((each) => !each.querySelector("thead th[scope=col]")).length,
        ids: all("[id]").map((each) => each.id).filter((id, place, ids) => ids.indexOf(id) !== place),
        loaded: performance.getEntriesByType("resource").length, scripts: all("script").length - 1};
"""
CONTRAST = """
    const parsed = (colour) => colour.match(/[0-9.]+/g).map(Number);
    const channel = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    const light = (colour) => { const [r, g, b] = parsed(colour).map(channel);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const behind = (each) => { for (; each; each = each.parentElement) {
        const colour = getComputedStyle(each).backgroundColor;
        if (parsed(colour)[3] !== 0) return colour; } return "rgb(255, 255, 255)"; };
    const ratio = (one, other) => { const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05); };
    document.querySelectorAll("details").forEach((each) => each.open = true);
    const texts = [...document.querySelectorAll("body *")].filter((each) =>
        !each.closest("style, script, title, metadata") &&
        [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()));
    const found = texts.map((each) => { const style = getComputedStyle(each);
        const ink = each.closest("svg") ? style.fill : style.color;
        return {text: each.textContent.trim().slice(0, 30), ratio: ratio(ink, behind(each))}; });
    return {texts: found.length, poor: found.filter((each) => !(each.ratio >= 4.5))};
"""
OVERLAPS = """
    const [picture, ...more] = [...document.querySelectorAll("figure svg")].filter(
        (each) => each.getBoundingClientRect().width);
    const texts = [...picture.querySelectorAll("text")], boxes = texts.map((each) => each.getBoundingClientRect());
    const frame = picture.getBoundingClientRect();
    const apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 3 ||
        b.bottom <= a.top + 3;
    const table = document.querySelector(".scroll");
    return {
        texts: boxes.length,
        overlaps: boxes.filter((a, i) => boxes.some((b, j) => i < j && !apart(a, b))).length,
        outside: boxes.filter((each) => each.left < frame.left - 1 || each.right > frame.right + 1).length,
        smallest: Math.min(...texts.map((each) =>
            parseFloat(getComputedStyle(each).fontSize) * frame.width / each.ownerSVGElement.viewBox.baseVal.width)),
        pictures: 1 + more.length, share: frame.width / picture.closest("figure").getBoundingClientRect().width,
        hidden: table.scrollWidth - table.clientWidth};
"""
LONG = "a name without any place where it could be broken".replace(" ", "_") * 3


def release_of(kind: str) -> hc.Release:
    plays = pa.table({"user": range(900), "song": [LONG if user % 3 else "other" for user in range(900)]})
    releases: dict[str, Callable[[], hc.Release]] = {
        "people": lambda: hc.histogram(plays, user="user", by="song", epsilon=1),
        "total": lambda: hc.total(plays, user="user", epsilon=1, count="users"),
        "shape": lambda: hc.shape(plays, user="user", by="song", epsilon=1),
        "items": lambda: hc.top(plays, user="user", by="song", k=2, epsilon=1, count="none"),
    }
    return releases[kind]()


@pytest.fixture(params=["people", "total", "shape", "items"])
def page(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return release_of(request.param).report(tmp_path / "r.html")


@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits_a_phone_and_a_laptop(page: Path, width: int) -> None:
    found = measured(page, WIDTH, width=width)
    assert found["width"] == width
    assert found["content"] <= width


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_can_be_read_in_both_colour_schemes(page: Path, dark: bool) -> None:
    assert measured(page, WIDTH, width=1280, dark=dark)["dark"] == dark
    found = measured(page, CONTRAST, width=1280, dark=dark)
    assert found["texts"] > 50
    assert found["poor"] == []


@pytest.mark.parametrize("width", [390, 1280])
def test_several_statistics_can_be_read(tmp_path: Path, width: int) -> None:
    countries = ["France", "Germany", "Italy", "Poland", "Spain"]
    orders = pa.table(
        {
            "customer": range(6000),
            "country": [countries[user % 5] for user in range(6000)],
            "price": [180.0 + user % 50 for user in range(6000)],
        }
    )
    metrics = ["people", "sum(price)", "mean(price)"]
    release = hc.aggregate(orders, user="customer", by="country", metrics=metrics, epsilon=1)
    found = measured(release.report(tmp_path / "r.html"), OVERLAPS, width=width)
    assert found["texts"] > 10
    assert (found["overlaps"], found["outside"]) == (0, 0)
    assert found["smallest"] >= 10
    assert (found["pictures"], found["share"]) == (1, 1)
    if width == 1280:
        assert found["hidden"] <= 0


SCROLLS = """
    const table = document.querySelector(".scroll"), dates = [...document.querySelectorAll("td.date")];
    return {hidden: table.scrollWidth - table.clientWidth, shade: getComputedStyle(table).backgroundImage,
        dates: dates.length, lines: dates.map((each) => { const range = document.createRange();
            range.selectNodeContents(each); return range.getClientRects().length; })};
"""


def test_a_table_shows_that_it_scrolls_and_dates_stay_whole(tmp_path: Path) -> None:
    rows = pa.table({"user": range(4000), "day": ["2024-03-05", "2024-03-06"] * 2000, "price": [1.5] * 4000})
    metrics = ["people", "sum(price)", "mean(price)"]
    ledger = hc.Ledger(tmp_path / "l.db", epsilon=3, delta=1e-5)
    plan = hc.plan("aggregate", hc.table(rows, name="orders"), user="user", by="day", metrics=metrics, epsilon=1)
    release = plan.release(ledger=ledger)
    found = measured(release.report(tmp_path / "r.html"), SCROLLS, width=390)
    assert found["hidden"] > 0
    assert found["shade"].count("linear-gradient") == 2
    assert found["dates"] == 3
    assert set(found["lines"]) == {1}


def test_paper_has_a_line_to_sign(tmp_path: Path) -> None:
    page = release_of("total").report(tmp_path / "r.html")
    assert page.read_text().index('<section class="sign">') > page.read_text().index("Checklist of NIST")
    display = 'return {shown: getComputedStyle(document.querySelector(".sign")).display}'
    assert measured(page, display, width=1280) == {"shown": "none"}
    page.write_text(page.read_text().replace("@media print", "@media all"))
    assert measured(page, display, width=1280) == {"shown": "block"}


def test_it_can_be_read_aloud_and_loads_nothing(page: Path) -> None:
    found = measured(page, ACCESSIBLE, width=1280)
    assert found.pop("title")
    assert found == {
        **{"language": "en", "landmarks": 1, "h1": 1, "unnamed": 0, "headless": 0, "ids": [], "loaded": 0, "scripts": 0}
    }


def test_a_poor_contrast_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "poor.html"
    page.write_text('<html><body style="background: #fff"><p style="color: #999">grey</p><p>black</p></body></html>')
    assert [each["text"] for each in measured(page, CONTRAST, width=1280)["poor"]] == ["grey"]
