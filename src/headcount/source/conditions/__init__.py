"""Conditions on rows (`where`): as Python takes them, and as people type them."""
