"""Liu, Suresh, Yu, Kumar & Riley 2020: the distribution that people draw from. The paper has one figure, which is
reproduced, and otherwise proofs: what it proves is measured, beside what our notes have measured.

binomials.py   the l1 distance of two binomials
figure1.py     Figure 1
theorem5.py    the constants of Theorem 5
people.py      synthetic people
ways.py        ways to estimate a distribution, and their errors
grid.py        the error for fewer and more draws, people, items
curve.py       the error against the number of people
user_complexity.py   people needed for a given error
errata.py      printed statements beside exact values
everything.py  all parts in order
"""
