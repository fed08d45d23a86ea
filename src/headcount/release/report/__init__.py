"""The report of a release: a page for whoever decides, and a record for a public registry of deployments.

facts.py         what a report is made of: the release, its plan, its entry in a ledger, the number of people
promise.py       epsilon, delta and neighbours in sentences with odds
budget.py        what a ledger adds: date, budget, other charges, and the odds for all of them
limits.py        what one person may add           meaning.py  what values and intervals are
verification.py  how to verify it, and what that proves
checklist.py     the questions of NIST SP 800-226, answered or left to the reader
page.py          the page                          style.py    its style
record.py        the record                        yaml.py     its text
notebook.py      what a notebook shows: the page in short
"""
