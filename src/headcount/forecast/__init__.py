"""The error before anything is spent; and the other way round, the epsilon that an error needs."""
