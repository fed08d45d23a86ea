"""Distributions over a public list."""
