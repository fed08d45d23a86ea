"""Figures on the site: a marker becomes the table that a command wrote into docs/evidence, and says how old it is."""

import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))  # mkdocs starts elsewhere

from benchmarks.evidence import pages


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page with its figures."""
    return pages.on_site(markdown)
