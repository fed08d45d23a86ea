"""What reference pages say beyond the docstrings: groups of parameters, when to touch each, examples, links."""

GROUPS: dict[str, tuple[str, ...]] = {
    "What to release": (
        *("data", "user", "by", "metrics", "value", "q", "ranges", "k", "count", "sum", "target", "loss"),
        *("keys", "bins", "per", "dates", "where", "range", "edges"),
    ),
    "Privacy": ("epsilon", "delta", "rho", "neighbours", "sizes", "ledger"),
    "Accuracy": ("target_error", "bound", "share", "weights", "debias", "people", "cells", "spacing"),
    "Mechanism": ("mechanism", "variant", "kbar"),
}
"""Parameters by what they are about, in the order in which pages show them."""

WHEN: dict[str, str] = {
    "data": "always",
    "user": "always",
    "by": "always",
    "metrics": "always",
    "value": "always",
    "ranges": "always",
    "epsilon": "always, unless you give a target",
    "q": "to release other quantiles than the tenths",
    "k": "to release more or fewer items",
    "count": "to count rows instead of people",
    "sum": "to add up amounts instead of counting",
    "target": "if rows should weigh the same, or everybody draws from one source",
    "loss": "if a few large counts matter more than many small ones",
    "keys": "whenever the list of items is public: the release is complete",
    "bins": "for numbers and dates",
    "per": "for dates and times",
    "dates": "whenever the first and last date are public",
    "where": "to release some rows only",
    "range": "required for quantiles, unless you give edges",
    "edges": "if values are much denser in some places",
    "delta": "lower it for more than some hundred thousand people",
    "rho": "if your budget is in zCDP",
    "neighbours": "if it is public who is in the table",
    "sizes": "if it is public how many rows each person has",
    "ledger": "whenever you release more than once about the same people",
    "target_error": "if you know the error you can live with",
    "bound": "if you know a number without looking at the data",
    "weights": "if one metric matters more than the others",
    "debias": "to compare with releases without it",
    "people": "if the number of people is public",
    "cells": "rarely",
    "spacing": "rarely",
    "mechanism": "rarely; to compare mechanisms",
    "variant": "to reproduce a paper",
    "kbar": "rarely",
}
OWN_WHEN: dict[tuple[str, str], str] = {
    ("heavy_hitters", "share"): "always",
    ("shape", "bound"): "if people have several items",
    ("aggregate", "range"): "required for medians and quantiles",
    ("distribution", "keys"): "always, or `bins`",
    ("top", "count"): "if you need no counts",
    ("total", "count"): "to count people instead of rows",
    ("total", "sum"): "to add up an amount",
    ("total", "delta"): "for sums only",
    ("total", "debias"): "if people's counts are Poisson",
}
"""Where a job differs."""

SONGS = """
import headcount as hc

plays = hc.table(hc.example(), name="plays")
release = hc.{}(plays, user="user", by="song", {}epsilon=1)
"""
VISITS = """
import headcount as hc
import pyarrow as pa

rows = pa.table({"user": range(10_000), "minutes": [number * number % 97 for number in range(10_000)]})
visits = hc.table(rows, name="visits")
"""
FIRST = "print(release.summary_of(5))"

EXAMPLES: dict[str, str] = {
    "histogram": SONGS.format("histogram", "") + FIRST,
    "aggregate": """
import headcount as hc
import pyarrow as pa

rows = pa.table(
    {
        "user": [number % 3_000 for number in range(6_000)],
        "region": [["north", "south", "east"][number % 3] for number in range(6_000)],
        "price": [5.0 + number * 7 % 50 for number in range(6_000)],
    }
)
orders = hc.table(rows, name="orders")
release = hc.aggregate(orders, user="user", by="region", metrics=["people", "mean(price)"], epsilon=1)
print(release)
""",
    "top": SONGS.format("top", "k=5, ") + "print(release)",
    "heavy_hitters": SONGS.format("heavy_hitters", "share=0.03, ") + FIRST,
    "quantiles": VISITS
    + 'release = hc.quantiles(visits, user="user", value="minutes", q=[0.1, 0.5, 0.9], range=(0, 120), epsilon=1)\n'
    "print(release)",
    "ranges": VISITS + "parts = [(0, 10), (10, 60), (60, 120)]\n"
    'release = hc.ranges(visits, user="user", value="minutes", ranges=parts, epsilon=1)\nprint(release)',
    "shape": SONGS.format("shape", "") + "print(release.distinct())\nprint(release.entropy())",
    "distribution": """
import headcount as hc

songs = [f"song {number:04d}" for number in range(1, 6)]
plays = hc.table(hc.example(), name="plays")
release = hc.distribution(plays, user="user", by="song", keys=songs, epsilon=1)
print(release)
""",
    "profile": SONGS.format("profile", "") + FIRST,
    "total": """
import headcount as hc

plays = hc.table(hc.example(), name="plays")
release = hc.total(plays, user="user", where={"song": "song 0001"}, epsilon=1, bound=5)
print(release)
""",
}

READ_ON: dict[str, tuple[str, ...]] = {
    "histogram": (
        "How to [choose the bound and the mechanism](../how-to/choose.md), [count by date](../how-to/dates.md)",
        "Proofs: [joint rounds](../proofs/joint.md), [two measurements](../proofs/weighted.md), [unknown items]"
        "(../proofs/thresholded.md), [short lists](../proofs/correlated.md), [known items](../proofs/clipped.md), "
        "[rounds](../proofs/rounds.md), [choosing a bound](../proofs/choice.md)",
    ),
    "aggregate": (
        "How to release [sums, means and medians per group](../how-to/aggregate.md)",
        "Proof: [statistics of groups](../proofs/groups.md)",
    ),
    "top": (
        "How to [find the most common items](../how-to/found.md)",
        "Proof: [items selected one by one](../proofs/count-release.md)",
    ),
    "heavy_hitters": (
        "How to [release counts of a sample, and heavy hitters](../how-to/sampling.md)",
        "Proof: [sample and threshold](../proofs/sample-threshold.md)",
    ),
    "quantiles": (
        "How to release [quantiles and ranges](../how-to/quantiles.md)",
        "Proofs: [a tree of counts](../proofs/hierarchy.md), [halving](../proofs/halving.md)",
    ),
    "ranges": (
        "How to release [quantiles and ranges](../how-to/quantiles.md)",
        "Proof: [a tree of counts](../proofs/hierarchy.md)",
    ),
    "shape": (
        "How to release [a shape, without labels](../how-to/shape.md)",
        "Proofs: [sorted counts](../proofs/staircase.md), [hashed buckets](../proofs/buckets.md)",
    ),
    "distribution": (
        "How to release [shares of a public list](../how-to/distribution.md)",
        "Proofs: [recentred](../proofs/recentred.md), [selected](../proofs/selected.md)",
    ),
    "profile": (
        "How to [let headcount choose the bound](../how-to/bound.md)",
        "Proof: [choosing a bound](../proofs/choice.md)",
    ),
    "total": (
        "How to [release one total](../how-to/total.md)",
        "Proof: [known items](../proofs/clipped.md)",
    ),
}
"""Where a page leads."""
