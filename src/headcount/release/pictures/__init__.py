"""How a release is drawn, one file for each kind of picture. All are functions of released values alone.

scene.py   what a picture is made of: panels, and options        bars.py    a bar, or a point, for each item
layout.py  where panels, title and caption stand
lines.py   dates as lines with bands                              heat.py    two columns as a heat map
number.py  one number                                             curve.py   quantiles, and counts by rank
"""
