"""Items known in advance: every one of them is released. Proof: docs/proofs/clipped.md."""
