"""Composition: what several events cost together, and whether that is no more than what was paid."""
