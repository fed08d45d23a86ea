"""Formulas of the proofs get indices and exponents; names in code do not."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.docs.snippets import ROOT

HOOK: dict[str, Any] = {}
exec((ROOT / "docs" / "formulas.py").read_text(), HOOK)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Σ c_j² ≤ N", "Σ c<sub>j</sub>² ≤ N"),
        ("1/y_j, 2c_x.", "1/y<sub>j</sub>, 2c<sub>x</sub>."),
        ("P_{N-1}(t)", "P<sub>N-1</sub>(t)"),
        ("2^-20, e^(a (b - c)), e^ε.", "2<sup>-20</sup>, e<sup>a (b - c)</sup>, e<sup>ε</sup>."),
        ("in_process, test_mechanisms", "in_process, test_mechanisms"),
    ],
)
def test_text_is_typeset(written: str, shown: str) -> None:
    assert HOOK["typeset"](written) == shown


def test_code_and_tags_stay() -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="proofs/weighted.md"))
    kept = '<a href="x_j">y</a> <code>c_j^2</code>'
    assert HOOK["on_page_content"](f"{kept} c_j", page=page) == f"{kept} c<sub>j</sub>"
