"""The built site: no link is broken, no page is heavy, colours can be read; in a real Chromium nothing complains."""

from pathlib import Path

import pytest

from tests.docs import site


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    site.build(folder)
    return folder


def test_the_site_builds_without_a_warning(built: Path) -> None:
    assert (built / "index.html").exists()


def test_no_link_is_broken(built: Path) -> None:
    assert site.broken_links(built) == []


def test_no_page_is_heavy(built: Path) -> None:
    heavy = {str(page): size for page in site.pages(built) if (size := site.weight(built, page)) > site.HEAVIEST}
    assert heavy == {}


def test_colours_can_be_read() -> None:
    found = site.contrasts()
    assert len(found) > 15
    assert {name: value for name, value in found.items() if value < site.MIN_CONTRAST} == {}


def test_contrast_is_that_of_wcag() -> None:
    assert site.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert site.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<a id="here" href="#here">a</a> <a href="#there">b</a> <a href="gone/">c</a>')
    assert sorted(site.broken_links(tmp_path)) == ["index.html: #there", "index.html: gone/"]


@pytest.mark.parametrize("path", site.SHOWN)
def test_pages_fit_a_phone_and_a_laptop(built: Path, path: str, tmp_path: Path) -> None:
    with site.served(built) as address:
        for width in site.WIDTHS:
            assert site.visit(address, path, width, tmp_path) == ([], 0)


def test_a_page_that_complains_or_is_too_wide_is_seen(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<script>nothing.there</script><div style="width: 600px">wide</div>')
    with site.served(tmp_path) as address:
        said, excess = site.visit(address, "index.html", 390, tmp_path)
    assert "nothing is not defined" in said[0]
    assert excess > 200
