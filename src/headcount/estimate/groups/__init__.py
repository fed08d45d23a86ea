"""Several statistics of each group."""
