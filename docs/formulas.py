"""Formulas of the proofs, typeset when the site is built: indented blocks become MathML, and in text c_j gets an index
and e^(a + b) an exponent. No script runs.

Proofs are plain text with Unicode symbols, so that they read well in an editor too. Code in backquotes and in fenced
blocks stays as it is.
"""

import re
from html import unescape
from typing import Any

import mathml

TYPESET = ("proofs/", "explanation/", "how-to/", "epsilon.md")
"""Pages with mathematics; what others have in this form are names."""
FORMULA = re.compile(
    r'<div class="language-output highlight"><pre>(?:<span></span>)?<code>(.*?)</code></pre></div>', re.DOTALL
)
"""An indented block: one without a language, which mkdocs.yml calls "output"."""
PIECES = re.compile(
    r'(<div class="language-[^>]*>.*?</pre></div>|<math .*?</math>|<code>[^<]*</code>|<[^>]+>)', re.DOTALL
)
"""What stays as it is: code, formulas, and tags."""
INDEX = re.compile(r"(?<![A-Za-zα-ω_])([A-Za-zα-ωΑ-Ω∫]['′]?)_([A-Za-z0-9α-ω]{1,3}|\{[^{}]{1,12}\})(?![A-Za-z0-9_])")
EXPONENT = re.compile(r"(?<=[\w)\]>'′])\^(\((?:[^()<]|\([^()<]*\))*\)|\{[^{}<]*\}|∞|[-−]?[\w]+(?:\.\d+)?\*?)")


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """The page with formulas, indices and exponents."""
    if not page.file.src_uri.startswith(TYPESET):
        return html
    marked = FORMULA.sub(lambda found: mathml.block(unescape(re.sub("<[^>]+>", "", found[1]))), html)
    return "".join(piece if number % 2 else typeset(piece) for number, piece in enumerate(PIECES.split(marked)))


def typeset(text: str) -> str:
    """Text with indices and exponents."""
    text = INDEX.sub(lambda found: f"{found[1]}<sub>{found[2].strip('{}')}</sub>", text)
    return EXPONENT.sub(lambda found: f"<sup>{_bare(found[1])}</sup>", text)


def _bare(exponent: str) -> str:
    """An exponent without the parentheses or braces around it."""
    return exponent[1:-1] if exponent[0] + exponent[-1] in ("()", "{}") else exponent
