"""Stages that several families share, so that no family imports another.

clipped.py         noise on every total of a public list
weighted.py        noise on scaled counts, and what follows from them and a second measurement
second.py          the second measurement of what is shown: a profile, the totals, what their bound clips
rounds.py          items shown in rounds; joint.py, rounds that count what is shown already
sampling.py        the event of a sample, from its options or from a budget
above_threshold.py the base of strategies that release items above a threshold
"""
