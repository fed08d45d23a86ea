"""What is made of released values, for free: pure functions that know nothing of data or privacy.

two_scales.py   one count of two measurements, a quiet one and an unbiased one
found.py        what a count probably is, if its item was found at a level
sampled.py      what a count was before it was sampled
tree.py         counts on several levels, made to agree; sampled_tree.py of samples
quantile.py     quantiles and ranges of such counts
poisson.py      what clipping took away, if people's counts are Poisson
"""
