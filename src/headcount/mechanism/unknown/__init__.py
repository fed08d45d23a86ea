"""Items not known in advance, released from a threshold on. Proofs: docs/proofs/weighted.md and
docs/proofs/thresholded.md."""
