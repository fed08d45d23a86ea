"""Quantiles and ranges, from noisy trees of counts."""
