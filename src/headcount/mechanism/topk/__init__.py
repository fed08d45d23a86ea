"""Items not known in advance, selected one by one. Proof: docs/proofs/count-release.md."""
