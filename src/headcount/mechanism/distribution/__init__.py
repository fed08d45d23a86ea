"""The distribution that people draw from. Proofs: docs/proofs/recentred.md, docs/proofs/selected.md."""
