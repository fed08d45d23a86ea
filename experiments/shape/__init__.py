"""Ghazi, Kamath, Kumar & Manurangsi 2022: the shape of a histogram without its labels. It has no
experiments of its own, so what it proves is measured, beside what our notes have measured, and beside the
staircase, which is ours.

tables.py      synthetic tables from a few distributions
ways.py        noisy measurements, shape estimators, and their errors
growth.py      the error against the number of people
distributions.py   other distributions, another epsilon, more empty cells
hashing.py     buckets instead of a known list
models.py      a stream whose memory may be seized, a shuffler, a secure sum
squares.py     squares of errors
properties.py  distinct items, entropy and coverage, estimated from a shape
errata.py      stated bounds beside exact values
everything.py  all parts in order
"""
