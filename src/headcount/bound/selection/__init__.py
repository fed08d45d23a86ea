"""Private selection of the bound: how much one person may contribute. Proofs: docs/proofs/choice.md."""
