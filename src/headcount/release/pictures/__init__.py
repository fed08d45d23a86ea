"""How a release is drawn, one file for each kind of picture. All are functions of released values alone.

scene.py   what a picture is made of: panels, and options        layout.py  where panels, title and caption stand
items.py   whichever of the next three suits the columns          bars.py    a bar, or a point, for each item
lines.py   dates as lines with bands                              heat.py    two columns as a heat map
curve.py   quantiles, counts by rank, and one number              vega.py    all of them as Vega-Lite marks

Each file is imported once it draws something: Matplotlib takes longer than a small release.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headcount.release.pictures import bars, curve, items, vega
    from headcount.release.pictures.scene import Options, Scene
    from headcount.release.pictures.vega import Marks

__all__ = ["Marks", "Options", "Scene", "bars", "curve", "items", "vega"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    return import_module(f"headcount.release.pictures.{name}")
