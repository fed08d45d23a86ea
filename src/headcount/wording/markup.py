"""HTML for pages and notebooks. All text is other people's: it is made visible, then escaped, here and nowhere else."""

from collections.abc import Iterable, Sequence
from html import escape

from headcount.errors import visible

CARD = """
.headcount { font: 14px/1.45 system-ui, sans-serif; color: #1f2933; background: #fff; border: 1px solid #cbd2d9;
  border-radius: .5rem; padding: .8rem 1rem; max-width: 48rem; overflow-x: auto; overflow-wrap: anywhere; }
.headcount p { margin: .3rem 0; } .headcount small { color: #52606d; } .headcount svg { max-width: 100%; height: auto; }
.headcount table { border-collapse: collapse; margin: .5rem 0; color: inherit; background: none; font-size: inherit; }
.headcount dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .5rem 0; }
.headcount dt { color: #52606d; font-weight: normal; } .headcount dd { margin: 0; }
.headcount td, .headcount th { padding: .15rem .9rem .15rem 0; text-align: left; background: none; }
.headcount th { border-bottom: 1px solid #7b8794; }
.headcount summary { cursor: pointer; } .headcount meter { width: 100%; height: 1rem; }
.headcount .number { text-align: right; font-variant-numeric: tabular-nums; }
"""
"""Style of what a notebook shows: a light card, whatever the notebook's own colours are."""


def text(content: object) -> str:
    """One line of text as HTML.

    >>> text("<b>\\x1b")
    '&lt;b&gt;·'
    """
    return escape(visible(str(content)))


def paragraphs(lines: Iterable[str]) -> str:
    """A paragraph for each line that is not empty."""
    return "".join(f"<p>{text(line)}</p>\n" for line in lines if line)


def table(names: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[bool], caption: str = "") -> str:
    """A table with a header for each column; `numbers` says which columns are aligned to the right."""
    kinds = [' class="number"' if number else "" for number in numbers]
    head = "".join(f'<th scope="col"{kind}>{text(name)}</th>' for name, kind in zip(names, kinds, strict=True))
    body = "\n".join(f"<tr>{_cells(row, kinds)}</tr>" for row in rows)
    title = f"<caption>{text(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"


def _cells(row: Sequence[str], kinds: Sequence[str]) -> str:
    return "".join(f"<td{kind}>{text(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and values."""
    return f"<dl>{''.join(f'<dt>{text(name)}</dt><dd>{text(value)}</dd>' for name, value in pairs)}</dl>"


def folded_steps(steps: Sequence[str]) -> str:
    """Numbered sentences that can be unfolded."""
    listed = "".join(f"<li>{text(step)}</li>" for step in steps)
    return f"<details><summary>{len(steps)} steps</summary><ol>{listed}</ol></details>"


def card(content: str) -> str:
    """What a notebook shows."""
    return f'<style>{CARD}</style>\n<div class="headcount">\n{content}\n</div>'
