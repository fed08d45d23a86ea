"""Post-processing of released values, which costs no privacy: pure functions that never see data.

constants.py      miss rate and quantiles of 95% intervals
counts/           counts with intervals:
  two_scales.py     combine a low-noise and a low-bias measurement of each item
  iterative.py      posterior of a count, given the level at which its item was found
  sampled.py        counts before Bernoulli sampling with a threshold
  debias.py         undo the bias of bounding
  poisson.py        undo clipping of Poisson counts
ordered/          counts over a line of leaves:
  tree.py           consistent counts on several levels, by least squares; sampled_tree.py from samples
  quantile.py       quantiles and range counts
shape/            the shape of a histogram:
  prevalence.py     number of items by number of people
  staircase.py      from its noisy rows and columns; isotonic.py projects, first_column.py counts distinct items
  buckets.py        from noisy counts of items or buckets: kernel.py has the noise and its inverse, tally.py the
                    histogram of cells, npmle.py the maximum-likelihood shape, unhash.py undoes collisions
  uncertainty.py    variances and confidence bands
  properties.py     distinct items, entropy, coverage, support size
  table.py          the released rows
  convolution.py    fast convolution
distribution/     distributions over a public list:
  simplex.py        projection to the simplex; shares.py adds intervals
  binomial.py       goodness-of-fit scores of binomials; scheffe.py the same by a tournament
"""
