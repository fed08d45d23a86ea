"""Items not known in advance, released from a threshold on. Proofs: docs/proofs/weighted.md and thresholded.md."""
