"""What is made of released values, for free: pure functions that know nothing of data or privacy.

constants.py    miss rate and quantiles of 95% intervals
two_scales.py   one count of two measurements, a quiet one and an unbiased one
found.py        what a count probably is, if its item was found at a level
sampled.py      what a count was before it was sampled
tree.py         counts on several levels, made to agree; sampled_tree.py of samples
quantile.py     quantiles and ranges of such counts
poisson.py      what clipping took away, if people's counts are Poisson
prevalence.py   how many items have how many people: a shape
staircase.py    a shape from noisy rows and columns of its staircase; isotonic.py: the nearest numbers that do not rise
buckets.py      a shape from noisy counts of items or buckets: kernel.py is their noise and what undoes it, seen.py a
                tally of them, npmle.py the most likely shape, unhash.py who shares a bucket
uncertain.py    how far off a shape is
properties.py   what follows from a shape
simplex.py      the nearest distribution
binomial.py     how well binomials fit what was counted of an item; scheffe.py the same by a tournament
"""
