"""Counts of a sample, without noise. Proof: docs/proofs/sample-threshold.md."""
