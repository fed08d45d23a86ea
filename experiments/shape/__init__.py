"""Paper 002 (Ghazi, Kamath, Kumar & Manurangsi 2022): the shape of a histogram without its labels. It has no
experiments of its own, so what it proves is measured, beside what our digest of it has measured, and beside the
staircase, which is ours.

tables.py      who has what: counts drawn from a few distributions
ways.py        what is measured, what is made of it, and how far off that is
growth.py      the error against the number of people
kinds.py       other distributions, another epsilon, more empty cells
hashing.py     buckets instead of a known list
models.py      a stream whose memory may be seized, a shuffler, a secure sum
squares.py     squares of errors
follows.py     what follows from a shape: different items, entropy, what more people would have
errata.py      what the paper says and what is so
everything.py  all of it, one after the other
"""
