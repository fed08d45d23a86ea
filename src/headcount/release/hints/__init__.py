"""Hints where budget is easily lost in silence, each a sentence with what to do. They follow from the request, the
schema and released values alone; the bytes of a release do not hold them.

request.py  hints before anything is read            rows.py      what released rows suggest
misread.py  rows that were not read as they are meant
hints.py    all hints about a release
"""
