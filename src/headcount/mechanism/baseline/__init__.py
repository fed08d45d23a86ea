"""Mechanisms of other systems, to compare with. Proof: docs/proofs/plume.md."""
