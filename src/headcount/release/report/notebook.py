"""A release as a notebook shows it: short, with what it cost, what its intervals are for, and the first rows."""

from collections.abc import Sequence

import pyarrow as pa

from headcount.errors import visible
from headcount.release.about import About
from headcount.release.report.page import html_table, inline_picture
from headcount.release.text import SHOWN, bound, chart_title, rows
from headcount.wording import sentence
from headcount.wording.markup import card, paragraphs, text


def view(table: pa.Table, about: About, findings: Sequence[str]) -> str:
    """Title, cost, what intervals are for, picture, the first rows."""
    cost = f"epsilon {about.epsilon}, delta {float(about.delta):g}"
    chosen = f"; {bound(about)}" if about.chosen else ""
    more = table.num_rows - SHOWN
    rest = f"<p><small>... and {rows(more)} more: release.table has all.</small></p>" if more > 0 else ""
    return card(
        f"<p><b>{text(chart_title(about))}</b>, from {text(about.dataset)}: {rows(table.num_rows)}<br>\n"
        f"<small>Cost: {text(cost)}{text(chosen)}</small></p>\n{_interval(about)}{paragraphs(findings)}"
        f"{inline_picture(table, about, 'notebook', SHOWN)}\n{html_table(table.slice(0, SHOWN), about)}{rest}\n"
        f"<p><small>{text(visible(about.guarantee))}</small></p>"
    )


def _interval(about: About) -> str:
    """What low and high are for."""
    return f'<p class="headcount-interval"><b>{text(sentence(about.interval))}</b></p>\n' if about.interval else ""
