"""Items not known in advance, released above a threshold. Proofs: docs/proofs/weighted.md, thresholded.md."""
