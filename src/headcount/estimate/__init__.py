"""What is made of released values, for free: pure functions that know nothing of data or privacy.

two_scales.py   one count of two measurements, a quiet one and an unbiased one
poisson.py      what clipping took away, if people's counts are Poisson
"""
