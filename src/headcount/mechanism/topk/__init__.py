"""Items not known in advance, selected one after another. Proof: docs/proofs/count-release.md."""
