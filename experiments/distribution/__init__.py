"""Paper 004 (Liu, Suresh, Yu, Kumar & Riley 2020): the distribution that people draw from. It has one figure, which is
made again, and otherwise proofs: what it proves is measured, beside what our digest of it has measured.

binomials.py   how far apart two binomials are
figure1.py     Figure 1
theorem5.py    between which constants Theorem 5 holds
people.py      who drew what
ways.py        by which way a distribution is learned, and how far off that is
grid.py        the error for fewer and more draws, people, items
curve.py       the error against the number of people
needed.py      how many people are needed
errata.py      what the paper says and what is so
everything.py  all of it, one after the other
"""
