"""The rows of heavy hitters: what at least a part of all people have, and of which of it that is certain."""

from math import ceil

import numpy as np
import pyarrow as pa

from headcount.bound.selection.people import People
from headcount.question import Question
from headcount.source.fetched import whole_numbers


def heavy(table: pa.Table, question: Question, people: People) -> pa.Table:
    """The items whose count is that part of the people or more. Certain are those whose interval lies above it, however
    many people there are: wrong in at most 1 of 20 cases."""
    assert question.heavy is not None
    share = float(question.heavy)
    least, beyond = share * people.count, share * (people.count + people.away)
    shown = table.filter(pa.array(whole_numbers(table["count"]) >= least))
    certain = whole_numbers(shown["low"]) >= ceil(beyond)
    return shown.append_column("certain", pa.array(np.asarray(certain)))
