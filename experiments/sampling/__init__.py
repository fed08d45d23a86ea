"""Bharadwaj & Cormode 2022: a sample and a threshold instead of noise. The paper has no experiments of its own, so
its claims are compared with exact values, and what it proposes is run.

part.py        constants and helpers of all parts
theorem.py     Theorem 1, and the example after Lemma 2
lemmas.py      Lemmas 3, 4 and 6
curves.py      rates and thresholds of equal privacy cost; composition of levels
heavy.py       heavy hitters
quantiles.py   quantiles, by trees and by binary search
mistakes.py    mistakes that break privacy, measured
everything.py  all parts in order
"""
