"""Values of items, by whichever picture suits their columns."""

import pyarrow as pa

from headcount.release.about import About
from headcount.release.columns import is_dated
from headcount.release.pictures.bars import bars
from headcount.release.pictures.heat import heat, is_small
from headcount.release.pictures.lines import by_item, days_of, lines
from headcount.release.pictures.scene import Options, Scene

MIN_DATES = 3
"""Fewer dates are bars."""


def items(table: pa.Table, about: About, options: Options) -> Scene:
    """Values of items: by their dates if they have some, as a heat map if two columns are small, else as bars."""
    dated = [column for column in about.by if is_dated(table[column]) and days_of(table[column])]
    if options.order is None and len(dated) == 1 and len(table[dated[0]].unique()) >= MIN_DATES:
        others = [column for column in about.by if column not in dated]
        if not others:
            return lines(table, about, options, dated[0])
        if len(others) == 1:
            return by_item(table, about, options, dated[0], others[0])
    return (
        heat(table, about, options) if options.order is None and is_small(table, about) else bars(table, about, options)
    )
