"""A release as one page: no script, nothing loaded from anywhere, all text escaped, as nobody knows who wrote it."""

import json
from collections.abc import Sequence
from html import escape

import pyarrow as pa

from headcount.errors import visible
from headcount.release.about import RANK, About
from headcount.release.plot import picture, render
from headcount.release.text import bound, counts, rows, shown
from headcount.wording import visible_json

MOST = 1000
"""Rows on the page."""

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1f2933; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; } td, th { padding: .15rem .8rem .15rem 0; text-align: left; }
th { border-bottom: 1px solid #9aa5b1; } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.headcount-cost { background: #eef4fa; padding: .6rem 1rem; border-radius: .4rem; }
pre { background: #f5f7fa; padding: .8rem; overflow-x: auto; } svg { max-width: 100%; height: auto; }
"""


def page(table: pa.Table, about: About, findings: Sequence[str]) -> str:
    """The whole page; `findings` are sentences that stand before the rows."""
    title = _text(f"{about.what}, from {about.dataset}")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n{body(table, about, findings)}\n"
        f"{_reproduction(about) if about.plan else ''}</body></html>\n"
    )


def _reproduction(about: About) -> str:
    return (
        f"<h2>Make it again</h2>\n<pre>{escape(_code(about))}</pre>\n"
        f"<h2>The plan</h2>\n<pre>{escape(_plan(about))}</pre>\n"
    )


def body(table: pa.Table, about: About, findings: Sequence[str]) -> str:
    """Cost, sentences, picture and table: what a notebook shows."""
    sentences = "".join(f"<li>{_text(step)}</li>" for step in about.steps)
    cost = f"epsilon {about.epsilon}, delta {float(about.delta):g}"
    chosen = _text(f"; {bound(about)}") if about.chosen else ""
    head = f"<br>Ledger, after the charge: <code>{_text(about.head)}</code>" if about.head else ""
    paragraphs = "".join(f"<p>{_text(line)}</p>\n" for line in findings)
    return (
        f'<p class="headcount-cost">Cost: <b>{_text(cost)}</b>{chosen}{head}</p>\n{_interval(about)}'
        f"{_picture(table, about)}\n<h2>What was done</h2>\n<ol>{sentences}</ol>\n"
        f"<p>Proof: {_text(about.proof)}</p>\n<h2>The numbers</h2>\n{paragraphs}{_table(table, about)}"
    )


def _interval(about: About) -> str:
    """What low and high are for."""
    sentence = _text(about.interval)
    return f'<p class="headcount-interval"><b>{sentence[:1].upper()}{sentence[1:]}</b></p>\n' if sentence else ""


def _text(text: str) -> str:
    """A line as a page may show it."""
    return escape(visible(text))


def _picture(table: pa.Table, about: About) -> str:
    if about.value == RANK:
        return ""
    svg = render(picture(table, about, most=25), "svg").decode()
    return svg[svg.index("<svg") :]


def _table(table: pa.Table, about: About) -> str:
    more = table.num_rows - MOST
    table = table.slice(0, MOST)
    counted = counts(about)
    numbers = [' class="number"' if name in counted else "" for name in table.column_names]
    head = "".join(f"<th{kind}>{_text(name)}</th>" for name, kind in zip(table.column_names, numbers, strict=True))
    cells = [
        [f"<td{kind}>{_text(shown(cell, name, counted))}</td>" for cell in table[name].to_pylist()]
        for name, kind in zip(table.column_names, numbers, strict=True)
    ]
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in zip(*cells, strict=True))
    rest = f"\n<p>... and {rows(more)} more, in the file.</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>{rest}"


def _code(about: About) -> str:
    """The code for an equal release. Its noise would be new: this one is what it is."""
    data = visible(about.dataset)
    return (
        "import headcount as hc\n\n"
        'plan = hc.Plan.from_json(open("plan.json").read())   # the plan below\n'
        f"plan.release(data)                                   # data: {data}; new noise, a new cost"
    )


def _plan(about: About) -> str:
    return visible_json(json.dumps(json.loads(about.plan), indent=2, ensure_ascii=False))
