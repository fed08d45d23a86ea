"""Liu, Suresh, Zhu, Kairouz & Gruteser 2023: contribution bounds, for known and for unknown items.

people.py      the data: synthetic ones from a seed, and real tables instead of the paper's
paper.py       the paper's printed numbers, and its algorithms where ours differ
selection.py   private selection of a bound by the product's classes, sampled many times
clipping.py    clipped counts for every bound of a list
losses.py      loss of a release for every bound of a list
comparison.py  all selections of the bound of known items, compared
debiasing.py   one item, clipped and debiased

table1.py, figure3.py                        items that are not known in advance
figure2.py, figure6.py, known.py             items that are
figure4.py, table2.py                        removing the bias of clipping
"""
