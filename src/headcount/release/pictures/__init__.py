"""How a release is drawn, one file for each kind of picture. All are functions of released values alone.

scene.py   what a picture is made of: panels, and options        layout.py  where panels, title and caption stand
items.py   whichever of the next three suits the columns          bars.py    a bar, or a point, for each item
lines.py   dates as lines with bands                              heat.py    two columns as a heat map
curve.py   quantiles, counts by rank, and one number              vega.py    all of them as Vega-Lite marks
"""
