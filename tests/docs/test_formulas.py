"""Formulas of the proofs become MathML, or get indices and exponents; names in code do not."""

import re
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.docs.snippets import ROOT

HOOK: dict[str, Any] = {}
with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(ROOT / "docs"))
    exec((ROOT / "docs" / "formulas.py").read_text(), HOOK)
block = HOOK["mathml"].block
TAG = re.compile("<[^>]+>")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Σ c_j² ≤ N", "Σ c<sub>j</sub>² ≤ N"),
        ("1/y_j, 2c_x.", "1/y<sub>j</sub>, 2c<sub>x</sub>."),
        ("P_{N-1}(t)", "P<sub>N-1</sub>(t)"),
        ("2^-20, e^(a (b - c)), e^ε.", "2<sup>-20</sup>, e<sup>a (b - c)</sup>, e<sup>ε</sup>."),
        (
            "∫_{m-1}^∞ f, ∫_k^{k+1} f, q'^k",
            "∫<sub>m-1</sub><sup>∞</sup> f, ∫<sub>k</sub><sup>k+1</sup> f, q'<sup>k</sup>",
        ),
        ("in_process, test_mechanisms", "in_process, test_mechanisms"),
    ],
)
def test_text_is_typeset(written: str, shown: str) -> None:
    assert HOOK["typeset"](written) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("x_j² ≤ 2", "<msubsup><mi>x</mi><mrow><mi>j</mi></mrow><mrow><mn>2</mn></mrow></msubsup><mo>≤</mo><mn>2</mn>"),
        ("Σ_{i<n} i", "<munder><mo>∑</mo><mrow><mi>i</mi><mo>&lt;</mo><mi>n</mi></mrow></munder><mi>i</mi>"),
        ("{a b}/(c)", "<mfrac><mrow><mi>a</mi><mi>b</mi></mrow><mrow><mi>c</mi></mrow></mfrac>"),
        ("e^(1/s)", "<msup><mi>e</mi><mrow><mn>1</mn><mo>/</mo><mi>s</mi></mrow></msup>"),
        ("√(a-b)", "<msqrt><mi>a</mi><mo>−</mo><mi>b</mi></msqrt>"),
        ("a  b", '<mi>a</mi><mspace width="2em"></mspace><mi>b</mi>'),
        ('a "if" b', "<mi>a</mi><mtext>\u00a0if\u00a0</mtext><mi>b</mi>"),
    ],
)
def test_formulas_are_mathml(written: str, shown: str) -> None:
    assert block(written) == f'<div class="formula"><math displaystyle="true"><mrow>{shown}</mrow></math></div>'


def test_words_stand_close_to_fences() -> None:
    assert "<mtext>seen</mtext>" in block('P("seen")')


def test_lines_are_aligned() -> None:
    assert block("a & = b\nc & = d").count("<mtd>") == 4


def test_fences_grow_with_what_is_high() -> None:
    assert 'stretchy="true"' in block("(a/b)")
    assert 'stretchy="true"' not in block("(a + b)")


@pytest.mark.parametrize("wrong", ["(a", "a_", "√", "a / "])
def test_a_formula_that_ends_too_early_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="ends too early"):
        block(wrong)


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "proofs").glob("*.md")), ids=lambda page: page.stem)
def test_every_formula_of_a_proof_is_typeset(page: Path) -> None:
    """Every letter and number is there, XML can read it, and words are words: no long run of them is italic."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for formula in re.findall(r"(?<=\n\n)(?:    .*\n)+", text):
        shown = block(formula)
        ElementTree.fromstring(shown)
        plain = TAG.sub("", shown).translate(str.maketrans("", "", "\u00a0 "))
        assert len(re.findall(r"\w", unescape(plain))) >= 0.9 * len(re.findall(r"[^\W_ΣΠ]", formula))
        assert "</mi><mi>" not in re.sub("<mi>[^<]</mi>|<mi>(?:ln|max|min|sup|up|down|NB)</mi>", "", shown)


def test_code_and_tags_stay() -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="proofs/weighted.md"))
    kept = '<a href="x_j">y</a> <code>c_j^2</code>'
    assert HOOK["on_page_content"](f"{kept} c_j", page=page) == f"{kept} c<sub>j</sub>"
