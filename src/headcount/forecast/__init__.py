"""The error before anything is spent; and the other way round, the epsilon that an error needs."""

from headcount.forecast.needed import epsilon_for

__all__ = ["epsilon_for"]
