"""Plans: what a release will cost, how far off its values will be, and what will happen, before anything is read.

plan.py         Plan: cost, forecast, JSON, charge, release()
build.py        plans from arguments as typed
explanation.py  the sentences of a plan, and of its release
summary.py      a plan as text and as HTML
unseen.py       the amount that sums may lack
"""

from headcount.planner.build import build, release, request
from headcount.planner.plan import FORMAT, Plan

__all__ = ["FORMAT", "Plan", "build", "release", "request"]
