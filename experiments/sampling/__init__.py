"""Paper 001 (Bharadwaj & Cormode 2021): a sample and a threshold instead of noise. It has no experiments of its own, so
what it claims is set beside exact values, and what it proposes is run.

part.py        what each part gives: tables, sentences, panels
theorem.py     Theorem 1, and the example after Lemma 2
lemmas.py      Lemmas 3, 4 and 6
curves.py      which rates and thresholds cost the same; several levels together
heavy.py       heavy hitters
quantiles.py   quantiles, by trees and by halving
mistakes.py    what destroys privacy, measured
everything.py  all of it, one after the other
"""
