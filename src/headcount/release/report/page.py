"""A release as one page, for whoever decides about it: no script, nothing loaded from anywhere, all text escaped, as
nobody knows who wrote it."""

import json
import re
from collections.abc import Iterable, Sequence
from html import escape

import pyarrow as pa

from headcount.release.about import About
from headcount.release.cells import shown_column
from headcount.release.columns import measures
from headcount.release.pictures.scene import Options
from headcount.release.plot import picture, render
from headcount.release.report import verification
from headcount.release.report.budget import (
    COLUMNS,
    MOST_LISTED,
    budget,
    charged_on,
    charges,
    missing_ledger,
    together,
)
from headcount.release.report.checklist import Line, checklist, stated
from headcount.release.report.delta import delta_warnings
from headcount.release.report.facts import Facts
from headcount.release.report.meaning import meaning
from headcount.release.report.promise import promise_of
from headcount.release.report.proofs import proof_of
from headcount.release.report.style import COLOURS, STYLE
from headcount.release.report.view import view_section
from headcount.release.text import chart_title, rows
from headcount.release.views import view_of
from headcount.source.queries.step import promise_sentence
from headcount.wording import counted_noun, visible_json
from headcount.wording.markup import facts as facts_list
from headcount.wording.markup import paragraphs, table, text

FIRST = 20
"""Rows that are seen at once."""
INTERVAL = re.compile(r" (\([^<>()]* to [^<>()]*\))</td>")
"""The interval in a cell, which stays on one line."""
DATE = re.compile(r"<td>(\d{4}-\d\d(?:-\d\d)?)</td>")
"""A date in a cell, which stays on one line."""
MOST = 1000
"""Rows on the page."""
PICTURE_INCHES = 4.5
"""Inches of a picture in a notebook."""
WIDE, NARROW = 7.6, 3.9
"""Inches of the picture on a page and on a phone: both have it, each in letters that can be read there."""
UNKNOWN = "not recorded"
CAPTION = "Each value is drawn with its 95% interval; the table below has the numbers."
SIGNED = ("Approved by", "Date", "Conditions")
"""Lines to be written by hand at the end of a printed page."""
WHAT = (
    "These numbers were made with differential privacy. Random noise was added where the data are, before anything was "
    "shown: the numbers describe many people, and hardly depend on any one of them. Whatever is computed from them, by "
    "anybody, with whatever other data, stays within the promise below."
)
NOT_PROMISED = (
    "That nothing can be learned about people: what is true of a group is learned with or without any one of them.",
    "Groups of people: a family of four has four times the epsilon. So does a person with four ids.",
    "What the analyst chose by looking at the data, if anything: a bound, a list of items, a condition, or which "
    "release to publish. This page cannot know that.",
    "Protection from whoever holds the rows, or can watch the machine that reads them.",
    "Numbers more precise than their intervals.",
)


def page(facts: Facts) -> str:
    """The whole page."""
    title = text(f"{chart_title(facts.about)}, from {facts.about.dataset}")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style></head>\n<body><main>\n{_header(facts)}\n{_figure(facts)}\n"
        f"{_numbers(facts)}\n{_privacy(facts)}\n{_together(facts)}{_origin(facts)}\n{_verification(facts)}\n{_folded(facts)}\n{_signature()}\n"
        "</main></body></html>\n"
    )


def _header(facts: Facts) -> str:
    about = facts.about
    cost = f"epsilon {about.epsilon}, delta {float(about.delta):g}"
    parts = [f"from {about.dataset}", rows(facts.table.num_rows), *([facts.entry.date] if facts.entry else [])]
    return (
        f'<header><p class="kicker">A release with differential privacy</p>\n<h1>{text(chart_title(about))}</h1>\n'
        f'<p class="soft">{text(" · ".join(parts))} · <b>{text(cost)}</b></p></header>\n'
        f"{_warning(promise_sentence(about.promise))}{_warning(missing_ledger(facts))}"
        f'<section class="card"><b>What this is.</b> {text(WHAT)}</section>\n{_open_points(facts)}'
    )


def _open_points(facts: Facts) -> str:
    """What a person who knows the data has to answer, before anything else."""
    points = [line for line in checklist(facts) if line.open]
    count = counted_noun(len(points), "point")
    listed = "".join(f"<li><b>{text(line.question)}.</b> {text(line.answer)}</li>" for line in points)
    return (
        f'<section class="points"><h2>Before you approve: {count} that this page cannot answer</h2>\n'
        f"<ol>{listed.replace('?.</b>', '?</b>')}</ol></section>"
    )


def _warning(words: str) -> str:
    return f'<p class="warning"><b>Warning.</b> {text(words)}</p>\n' if words else ""


def _figure(facts: Facts) -> str:
    """The picture, with what it shows as text."""
    sizes = {"wide": WIDE, "narrow": NARROW}
    svg = "\n".join(inline_picture(facts.table, facts.about, name, FIRST, width) for name, width in sizes.items())
    return f"<figure>{svg}\n<figcaption>{text(CAPTION)}</figcaption></figure>" if svg.strip() else ""


def inline_picture(table: pa.Table, about: About, name: str, most: int, width: float = PICTURE_INCHES) -> str:
    """The picture as an element of a page, in the page's colours, with a description; empty if there is none."""
    if not measures(table, about):
        return ""
    options = Options(title="", most=most, width=width, caption=False)
    svg = render(picture(table, about, options), "svg").decode()
    svg = re.sub("|".join(COLOURS), lambda match: f"var({COLOURS[match[0]]}, {match[0]})", svg[svg.index("<svg") :])
    label = f"Picture: {chart_title(about)}. All values are in the table below."
    svg = re.sub(r'(\bid="|"#|url\(#)', rf"\1{name}-", svg)
    svg = svg.replace("<svg ", f'<svg class="{name}" role="img" aria-labelledby="{name}-picture" ', 1)
    return svg.replace(">", f'><title id="{name}-picture">{text(label)}</title>', 1)


def _numbers(facts: Facts) -> str:
    about, shown_first = facts.about, facts.table.slice(0, FIRST)
    more, rest = facts.table.slice(FIRST, MOST - FIRST), facts.table.num_rows - MOST
    folded = _details(f"{rows(more.num_rows)} more", _table(more, about)) if len(more) else ""
    missing = f"<p>... and {rows(rest)} more, in the file.</p>" if rest > 0 else ""
    return (
        f"<section><h2>The numbers</h2>\n{paragraphs(facts.findings)}{paragraphs(meaning(facts))}\n"
        f"{_table(shown_first, about, caption=chart_title(about))}\n{folded}{missing}</section>"
    )


def _table(part: pa.Table, about: About, caption: str = "") -> str:
    return f'<div class="scroll" tabindex="0">{html_table(part, about, caption)}</div>'


def html_table(part: pa.Table, about: About, caption: str = "") -> str:
    """Rows of a release as a table."""
    shown, numbers = view_of(about).shown(part, about)
    names = shown.column_names
    columns = [shown_column(shown[name].to_pylist(), name, numbers) for name in names]
    return _unbroken(table(names, zip(*columns, strict=True), [name in numbers for name in names], caption))


def _unbroken(cells: str) -> str:
    """A table in which intervals and dates stay on one line."""
    return DATE.sub(r'<td class="date">\1</td>', INTERVAL.sub(r' <span class="ends">\1</span></td>', cells))


def _privacy(facts: Facts) -> str:
    """The promise, its warnings, and what it does not cover."""
    promise = " ".join(filter(None, promise_of(facts).sentences))
    warnings = "".join(map(_warning, delta_warnings(facts)))
    return (
        f'<section><h2>Privacy in one paragraph</h2>\n<p class="card">{text(promise)}</p>\n{warnings}'
        f"<h2>What is not promised</h2>\n{_list(NOT_PROMISED)}</section>"
    )


def _list(lines: Iterable[str], kind: str = "ul") -> str:
    return f"<{kind}>{''.join(f'<li>{text(line)}</li>' for line in lines)}</{kind}>"


def _origin(facts: Facts) -> str:
    """Dataset, date, version, budget."""
    about = facts.about
    known = {
        "Question": about.what,
        "Dataset": about.dataset,
        "One person is": f"one value of {facts.user}" if facts.user else UNKNOWN,
        "Number of people": f"{facts.people} ({facts.people.origin})" if facts.people else "not public",
        "Charged on": charged_on(facts),
        "Made with": f"headcount {about.version}" if about.version else f"headcount, version {UNKNOWN}",
        "Analyst": stated(facts.analyst, UNKNOWN),
        "Purpose": stated(facts.purpose, UNKNOWN),
        "Budget": budget(facts),
    }
    return f"<section><h2>Where it comes from</h2>\n{facts_list(known.items())}</section>"


def _together(facts: Facts) -> str:
    """All charges of the ledger up to this one, and what beliefs can become by all of them."""
    entry = facts.entry
    if entry is None:
        return ""
    earlier = len(entry.up_to) - MOST_LISTED
    more = f"<p>... and {counted_noun(earlier, 'earlier charge')}, in {text(entry.ledger)}.</p>" if earlier > 0 else ""
    listed = _unbroken(table(COLUMNS, charges(entry), [name in ("epsilon", "delta") for name in COLUMNS]))
    return (
        f"<section><h2>All releases of this ledger together</h2>\n{paragraphs(together(facts))}"
        f'<div class="scroll" tabindex="0">{listed}</div>{more}</section>\n'
    )


def _verification(facts: Facts) -> str:
    """How anyone can check that this is the release that was paid for."""
    head = (
        f"<dt>Ledger's head after the charge</dt><dd><code>{text(facts.about.head)}</code></dd>"
        if facts.about.head
        else ""
    )
    return (
        f"<section><h2>How to verify</h2>\n{paragraphs(verification.introduction(facts))}"
        f"<dl><dt>SHA-256 of the .parquet file</dt><dd><code>{text(facts.digest)}</code></dd>{head}</dl>\n"
        f"<pre>{escape(verification.commands(facts))}</pre>\n{paragraphs(verification.meaning(facts))}</section>"
    )


def _folded(facts: Facts) -> str:
    """What only some readers want; on paper, the checklist and the steps."""
    lines, proved = checklist(facts), view_section(facts)
    left = sum(line.open for line in lines)
    steps = f"{_list(facts.about.steps, 'ol')}<p>Proof: {text(proof_of(facts))}</p>"
    title = f"Checklist of NIST SP 800-226: {len(lines)} questions; {left} of them are the points at the top"
    parts = [
        _details(title, _checklist(lines), ' class="printed"'),
        _details("What was done, step by step", steps, ' class="printed"'),
        _details("The view: what was checked, and the SQL as it was run", proved) if proved else "",
        _details("Privacy events", f"<pre>{escape(_pretty(facts.about.events))}</pre>"),
        _plan_details(facts),
    ]
    return "\n".join(parts)


def _signature() -> str:
    """Lines to sign, on paper."""
    return f'<section class="sign"><h2>Decision</h2>\n{"".join(f"<p>{text(each)}</p>" for each in SIGNED)}</section>'


def _details(title: str, content: str, kind: str = "") -> str:
    return f"<details{kind}><summary>{text(title)}</summary>\n{content}</details>"


def _checklist(lines: Sequence[Line]) -> str:
    """Questions and answers; what is left open, and what is a warning, stands out."""
    return f"<dl>{''.join(f'<dt>{text(line.question)}</dt><dd>{_answer(line)}</dd>' for line in lines)}</dl>"


def _answer(line: Line) -> str:
    marks = ["Warning. "] * line.warning
    todo = ' <span class="open">For you to answer.</span>' if line.open else ""
    return f"{''.join(f'<b>{mark}</b>' for mark in marks)}{text(line.answer)}{todo}"


def _plan_details(facts: Facts) -> str:
    """The plan; or, if people kept their data, the round that they answered."""
    if facts.is_central:
        return _details("The plan, and how to run it again", _plan(facts.about))
    rounds = f"<pre>{escape(_pretty(facts.about.plan))}</pre>"
    return _details("The round that people answered", rounds) if facts.about.plan else ""


def _plan(about: About) -> str:
    """The plan, and the code for an equal release: its noise would be new."""
    code = (
        "import headcount as hc\n\n"
        'plan = hc.Plan.from_json(open("plan.json").read())   # the plan below\n'
        "plan.release(data)                                   # new noise, a new cost"
    )
    return f"<pre>{escape(code)}</pre>\n<pre>{escape(_pretty(about.plan))}</pre>"


def _pretty(plain: str) -> str:
    return visible_json(json.dumps(json.loads(plain or "null"), indent=2, ensure_ascii=False))
