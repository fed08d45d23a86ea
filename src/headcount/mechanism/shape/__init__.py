"""A histogram without its labels. Proofs: docs/proofs/staircase.md, docs/proofs/buckets.md."""
