"""Counts and their intervals, from noisy values."""
