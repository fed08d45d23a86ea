"""Boundings, one file each: how much of what a person has is kept, and how. Proofs: docs/proofs/bounding.md."""
