"""Formulas in plain text as MathML, which browsers typeset themselves: no script runs, nothing is loaded.

A formula is written as one would in a mail: x_j, e^(a + b), {a b} / {c}, √(v - t), Σ_{i ≤ j}, max_{x}, ⌊n⌋, "words".
Braces group and are not shown, two spaces are a wide gap, " & " aligns lines, a / b is a fraction.
"""

import re
from html import escape

TOKEN = re.compile(
    r'(?P<text>"[^"]*")|(?P<gap>\s{2,})|(?P<space>\s)|(?P<number>\d+(?:\.\d+)?)|(?P<word>[A-Za-z]{2,})'
    r"|(?P<letter>[A-Za-zα-ωΑ-ΡΤ-Ω])|(?P<raised>[⁰¹²³⁴-⁹⁺⁻]+)|(?P<lowered>[₀-₉₊]+)|(?P<sign>.)"
)
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+−")
LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊", "0123456789+")
SIGNS = {"-": "−", "Σ": "∑", "Π": "∏", "~": "∼", "'": "′"}
CLOSING = {"(": ")", "[": "]", "{": "}", "⌊": "⌋", "⌈": "⌉", "⟨": "⟩", "|": "|", "‖": "‖"}
HIGH = ("<mfrac>", "<msqrt>", "<munder>")
"""What fences grow with."""
PARENTHESES = re.compile(r'<mrow><mo [^>]*form="prefix"[^>]*>\(</mo>(.*)<mo [^>]*form="postfix"[^>]*>\)</mo></mrow>')
SPACE = "\u00a0"
FUNCTIONS = ("ln", "max", "min", "sup")
"""Names with a thin space before them."""
WITH_LIMITS = ("Σ", "Π", "max", "min", "sup")
"""What stands above its index, instead of before it."""
Token = tuple[str, str]


def block(formula: str) -> str:
    """A displayed formula of one or several lines."""
    lines = [line.split(" & ") for line in formula.strip().splitlines()]
    rows = ["".join(f"<mtd>{_row(cell)}</mtd>" for cell in line) for line in lines]
    table = f'<mtable displaystyle="true">{"".join(f"<mtr>{row}</mtr>" for row in rows)}</mtable>'
    aligned = " aligned" if any(len(line) > 1 for line in lines) else ""
    inside = table if len(lines) > 1 or aligned else f"<mrow>{_row(lines[0][0])}</mrow>"
    return f'<div class="formula{aligned}"><math displaystyle="true">{inside}</math></div>'


def _row(formula: str) -> str:
    """One line, or one cell of it."""
    return Parser(formula.strip()).row()


class Parser:
    """A formula, read from the left."""

    def __init__(self, formula: str) -> None:
        found = ((str(match.lastgroup), match[0]) for match in TOKEN.finditer(formula))
        self.tokens: list[Token] = [token for token in found if token[0] != "space"]
        self.formula, self.place = formula, 0

    @property
    def next(self) -> str:
        """The text of the next token; empty at the end."""
        return self.tokens[self.place][1] if self.place < len(self.tokens) else ""

    def take(self) -> Token:
        """The next token, which must be there."""
        if self.place == len(self.tokens):
            raise ValueError(f"{self.formula!r} ends too early")
        self.place += 1
        return self.tokens[self.place - 1]

    def row(self, end: str = "", flat: bool = False) -> str:
        """What follows, up to a closing sign; in a flat row a fraction has a slash."""
        parts: list[str] = []
        while self.next != end:
            if self.next == "/" and parts and not flat:
                self.take()
                parts.append(f"<mfrac>{_bare(parts.pop())}{_bare(self.scripted(flat))}</mfrac>")
            else:
                parts.append(self.scripted(flat))
        if end:
            self.take()
        return "".join(parts)

    def scripted(self, flat: bool) -> str:
        """An atom with its index and its exponent."""
        limits = self.next in WITH_LIMITS
        content, below, above = self.atom(flat), "", ""
        while self.next in ("_", "^", "'", "′") or self._is("raised") or self._is("lowered"):
            sign, kind = self.next, self.tokens[self.place][0]
            self.take()
            if sign == "_" or kind == "lowered":
                below += self.script() if sign == "_" else f"<mn>{sign.translate(LOWERED)}</mn>"
            elif sign in ("'", "′"):
                above += "<mo>′</mo>"
            else:
                above += self.script() if sign == "^" else f"<mn>{sign.translate(RAISED)}</mn>"
        return _attached(content, below, above, "under" if limits else "sub")

    def _is(self, kind: str) -> bool:
        return self.place < len(self.tokens) and self.tokens[self.place][0] == kind

    def script(self) -> str:
        """An index or an exponent: one atom, or what is in parentheses or braces."""
        if self.next in ("(", "{"):
            return self.row(CLOSING[self.take()[1]], flat=True)
        minus = f"<mo>{SIGNS[self.take()[1]]}</mo>" if self.next == "-" else ""
        return minus + self.atom(flat=True)

    def atom(self, flat: bool) -> str:
        """A letter, a number, a word, a sign, a root, or what is between two fences."""
        kind, token = self.take()
        if token == "√":
            inside = self.row(CLOSING[self.take()[1]], flat) if self.next in ("(", "{") else self.scripted(flat)
            return f"<msqrt>{inside}</msqrt>"
        if token in CLOSING:
            return _fenced(token, self.row(CLOSING[token], flat))
        return _plain(kind, token)


def _plain(kind: str, token: str) -> str:
    """A token by itself."""
    if kind == "gap":
        return '<mspace width="2em"></mspace>'
    if kind == "text":
        return f"<mtext>{_spaced(escape(token[1:-1]))}</mtext>"
    if token in FUNCTIONS:
        return f'<mo form="prefix" lspace="0.17em" rspace="0">{token}</mo>'
    tag = {"number": "mn", "word": "mi", "letter": "mi"}.get(kind, "mo")
    return f"<{tag}>{escape(SIGNS.get(token, token))}</{tag}>"


def _spaced(words: str) -> str:
    """Words with a space at each end, but for punctuation."""
    return f"{'' if words[0] in ',.;:)' else SPACE}{words}{'' if words[-1] == '(' else SPACE}"


def _fenced(opening: str, inside: str) -> str:
    """A group; braces are not shown."""
    if opening == "{":
        return f"<mrow>{inside}</mrow>"
    inside = re.sub(f"^<mtext>{SPACE}", "<mtext>", re.sub(f"{SPACE}</mtext>$", "</mtext>", inside))
    high = str(any(tag in inside for tag in HIGH)).lower()
    return f"<mrow>{_fence('prefix', opening, high)}{inside}{_fence('postfix', CLOSING[opening], high)}</mrow>"


def _fence(form: str, sign: str, high: str) -> str:
    return f'<mo fence="true" form="{form}" stretchy="{high}">{sign}</mo>'


def _bare(part: str) -> str:
    """A part of a fraction, without the parentheses around all of it."""
    found = PARENTHESES.fullmatch(part)
    return f"<mrow>{found[1]}</mrow>" if found else part


def _attached(content: str, below: str, above: str, kind: str) -> str:
    """An atom with what stands below and above it."""
    over = "over" if kind == "under" else "sup"
    parts = [f"<mrow>{part}</mrow>" for part in (below, above) if part]
    name = (kind if below else "") + (over if above else "")
    return f"<m{name}>{content}{''.join(parts)}</m{name}>" if name else content
