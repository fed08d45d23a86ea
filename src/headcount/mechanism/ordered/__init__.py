"""Quantiles and ranges of a number. Proofs: docs/proofs/hierarchy.md, docs/proofs/halving.md."""
