"""The versions that pyproject.toml allows, tried: `make matrix`, or `python -m tests.matrix`.

cells.py     which Pythons and which versions
install.py   an environment for a cell, by uv
smoke.py     what is tried in it: a script that knows nothing of this repository
__main__.py  the table

No part of `make test`: it downloads gigabytes.
"""
