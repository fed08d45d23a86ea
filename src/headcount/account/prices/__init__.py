"""The price of each kind of event: a file for each, which registers it with `price.py` and is found by itself.

`native` is required; `noises` if there is Gaussian noise in it; `concentrated` if its zCDP price is better than the one
that follows from these.
"""
