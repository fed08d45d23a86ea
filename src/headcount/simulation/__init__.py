"""Simulations on data that are not secret: releases beside the truth. NOT PRIVATE: nothing of the flow imports this.

simulate.py    simulate(): the same request in several ways, each released several times
ways.py        the ways, from lists of values and from mappings
truth.py       exact values, by the plain query of a job
scores.py      a release against the truth, and what several releases come to
simulation.py  Simulation: the table, its text and its notebook view
picture.py     its picture
"""
