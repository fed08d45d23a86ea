"""Paper 000 (Liu, Suresh, Zhu, Kairouz, Gruteser 2023): contribution bounds, for known and for unknown items.

people.py      the data: synthetic ones from a seed, and real tables in the place of the paper's
printed.py     what the paper prints: its numbers, and its algorithms where ours differ
choosing.py    ways of choosing a bound, as the product has them, drawn many times
cut.py         what every bound of a list leaves of each item
losses.py      how far off a release is, with every bound of a list
bounded.py     every way of choosing the bound of known items, compared
undoing.py     one item, clipped and undone

table1.py, figure3.py                        items that are not known in advance
figure2.py, figure6.py, known.py             items that are
figure4.py, table2.py                        undoing what clipping took away
"""
