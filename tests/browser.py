"""A real Chromium, by its command line: what a page measures of itself there.

Tests that need one are skipped where none is installed, unless HEADCOUNT_BROWSER=required, as in CI.
"""

import html
import json
import os
import re
import subprocess
from pathlib import Path
from shutil import which
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000")
DARK = "--blink-settings=preferredColorScheme=0"
RESULT = re.compile(r'<pre id="measured">(.*?)</pre>', re.DOTALL)


def chromium() -> str:
    """The browser; skips the test if there is none and none is required."""
    found = next((path for name in NAMES if (path := which(name))), None)
    if found is None and os.environ.get("HEADCOUNT_BROWSER") == "required":
        pytest.fail("no Chromium is installed, and one is required")
    return found or pytest.skip("no Chromium is installed")


def measured(page: Path, script: str, *, width: int, dark: bool = False) -> dict[str, Any]:
    """What a script returns that is put at the end of the page, in a frame: no window is below 500 pixels."""
    end = f"""<script>addEventListener("load", () => {{ const found = (() => {{ {script} }})();
        parent.document.getElementById("measured").textContent = JSON.stringify(found); }})</script></body>"""
    content = html.escape(page.read_text().replace("</body>", end))
    frame = f'<iframe srcdoc="{content}" style="width: {width}px; height: 2000px; border: 0"></iframe>'
    outer = page.with_name(f"outer-{page.name}")
    outer.write_text(f'<!DOCTYPE html><meta charset="utf-8"><body>{frame}<pre id="measured"></pre></body>')
    command = [chromium(), *FLAGS, *([DARK] if dark else []), "--window-size=1500,2100", "--dump-dom", outer.as_uri()]
    home = {**os.environ, "HOME": str(page.parent)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=home)
    found = RESULT.search(done.stdout)
    assert found, done.stderr
    plain: dict[str, Any] = json.loads(html.unescape(found[1]))
    return plain
