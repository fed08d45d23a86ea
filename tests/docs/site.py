"""The documentation site as it is built: links, weight, colours; and how it looks in a real Chromium.

`python -m tests.docs.site FOLDER` builds it there, prints what is wrong, and puts pictures of SHOWN beside it, on a
phone and on a laptop. Look at them.
"""

import functools
import gzip
import http.server
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.browser import FLAGS, chromium
from tests.docs.snippets import ROOT

HEAVIEST = 300_000
"""Bytes of a page with everything it loads, text compressed as servers send it; without the pictures of HEAVY."""
HEAVY = "reproduce/"
"""Pages with pictures of whole experiments."""
SHOWN = ("", "how-to/aggregate/", "reference/histogram/", "proofs/weighted/", "explanation/mechanisms/")
WIDTHS = (390, 1280)
MIN_CONTRAST = 4.5
"""WCAG AA, for text."""
LINK = re.compile(r'\s(?:href|src)="?([^"\s>]+)"?')
LOADED = re.compile(r'<(?:link[^>]*rel="?stylesheet"?[^>]*href|script[^>]*src|img[^>]*src)="?([^"\s>]+)')
ANCHOR = re.compile(r'\sid="?([^"\s>]+)"?')
FRAME = """<body style="margin: 0"><iframe id="page" style="border: 0; height: 1700px"></iframe><pre id="seen"></pre>
<script>
const [width, path] = location.hash.slice(1).split(","); page.style.width = width + "px"; page.src = path;
page.onload = () => { const inside = page.contentDocument.documentElement;
seen.textContent = JSON.stringify([inside.scrollWidth, inside.clientWidth]); }</script></body>"""


def build(folder: Path) -> None:
    """The site, in this folder; a warning of mkdocs is an error."""
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})


def pages(folder: Path) -> list[Path]:
    """All pages but the one for what is not found."""
    return sorted(page for page in folder.rglob("*.html") if page.name == "index.html")


@functools.cache
def _target(page: Path, link: str) -> tuple[Path, str]:
    """The file and the anchor that a link leads to."""
    parts = urlsplit(unescape(link))
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    return (path / "index.html" if path.is_dir() else path), unquote(parts.fragment)


@functools.cache
def _anchors(page: Path) -> frozenset[str]:
    return frozenset(map(unescape, ANCHOR.findall(page.read_text()))) if page.suffix == ".html" else frozenset()


def broken_links(folder: Path) -> list[str]:
    """Links within the site that lead nowhere."""
    found = []
    for page in pages(folder.resolve()):
        for link in set(LINK.findall(page.read_text())):
            if urlsplit(link).scheme or link.startswith("//"):
                continue
            file, anchor = _target(page, link)
            if not file.exists() or (anchor and not anchor.startswith("__") and anchor not in _anchors(file)):
                found.append(f"{page.relative_to(folder.resolve())}: {link}")
    return found


def weight(folder: Path, page: Path) -> int:
    """Bytes of a page with everything it loads."""
    loaded = {_target(page, link)[0] for link in LOADED.findall(page.read_text()) if not urlsplit(link).scheme}
    pictures = HEAVY not in page.relative_to(folder).as_posix()
    return sum(map(_sent, [page, *(each for each in loaded if pictures or each.suffix in (".css", ".js"))]))


@functools.cache
def _sent(file: Path) -> int:
    """Bytes of a file as a server sends it."""
    content = file.read_bytes()
    return len(content) if file.suffix == ".png" else len(gzip.compress(content))


def palettes() -> dict[str, dict[str, str]]:
    """The colours of each scheme, by name."""
    blocks = re.findall(r'scheme="(\w+)"\] \{(.*?)\}', (ROOT / "docs/assets/site.css").read_text(), re.DOTALL)
    return {scheme: dict(re.findall(r"--md-([\w-]+): (#\w{6})", block)) for scheme, block in blocks}


def contrasts() -> dict[str, float]:
    """The contrast of every text colour with what it stands on."""
    found = {}
    for scheme, colours in palettes().items():
        for name, colour in colours.items():
            if ground := _ground(name):
                found[f"{scheme}: {name}"] = contrast(colour, colours[ground])
    return found


def _ground(name: str) -> str:
    """The background of a text colour; none if it is no text colour."""
    if name.startswith("code") and "bg" not in name:
        return "code-bg-color"
    if name == "primary-bg-color":
        return "primary-fg-color"
    text = name.startswith(("default-fg", "typeset")) or name == "accent-fg-color"
    return "default-bg-color" if text else ""


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21 (WCAG 2.1)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of the site while the block runs; `frame.html#390,/path/` shows a page as wide as that."""
    (folder / "frame.html").write_text(FRAME)
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


def visit(address: str, path: str, width: int, home: Path, *more: str) -> tuple[list[str], int]:
    """What the console says of a page at this width, and by how many pixels it is too wide."""
    url = f"{address}/frame.html#{width},/{path}"
    command = [chromium(), *FLAGS, *more, "--enable-logging=stderr", f"--window-size={max(width, 500)},1700"]
    done = subprocess.run(
        [*command, "--dump-dom", url],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "HOME": str(home)},
    )
    seen = re.search(r'<pre id="seen">\[(.*?)\]</pre>', done.stdout)
    assert seen, done.stderr
    inside, across = json.loads(f"[{seen[1]}]")
    return [line for line in done.stderr.splitlines() if "CONSOLE" in line], inside - across


def main(folder: Path) -> None:
    """Print what is wrong, and take pictures."""
    build(folder)
    print("broken links:", broken_links(folder) or "none")
    heaviest = max(pages(folder), key=lambda page: weight(folder, page))
    print(f"heaviest page: {heaviest.parent.relative_to(folder)}, {weight(folder, heaviest):,} bytes")
    print("contrast below AA:", [name for name, value in contrasts().items() if value < MIN_CONTRAST] or "none")
    with served(folder) as address:
        for path in SHOWN:
            for width in WIDTHS:
                picture = folder.parent / f"{path.strip('/').replace('/', '-') or 'home'}-{width}.png"
                said, excess = visit(address, path, width, folder.parent, f"--screenshot={picture}")
                print(f"{picture}: {said or 'no console message'}, {excess} pixels too wide")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() / "site")
