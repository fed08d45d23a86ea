"""Where the proof of a mechanism is: its title, and its file in the source distribution. A page is read far from there,
and the documentation has no public address to link to."""

from headcount.release.report.facts import Facts

TITLES = {
    "docs/proofs/buckets.md": "Buckets: the shape of a histogram, from noise on every count",
    "docs/proofs/clipped.md": "Clipped: items known in advance",
    "docs/proofs/correlated.md": "Correlated: short public lists",
    "docs/proofs/count-release.md": "Count release: items found one by one",
    "docs/proofs/groups.md": "Statistics of groups",
    "docs/proofs/halving.md": "Halving: a quantile by search",
    "docs/proofs/hierarchy.md": "Hierarchy: a tree of counts",
    "docs/proofs/joint.md": "Joint rounds",
    "docs/proofs/ledger.md": "The ledger's protocol",
    "docs/proofs/plume.md": "Plume: found first, counted afterwards",
    "docs/proofs/recentred.md": "Recentred: a distribution, from means about the last estimate",
    "docs/proofs/rounds.md": "Rounds",
    "docs/proofs/sample-threshold.md": "Sample and threshold: privacy from sampling alone",
    "docs/proofs/selected.md": "Selected: a distribution, item by item, from a public grid of binomials",
    "docs/proofs/shuffle.md": "A shape through a shuffler, or by a secure sum",
    "docs/proofs/staircase.md": "Staircase: the shape of a histogram, from its sorted counts",
    "docs/proofs/stream.md": "Stream: a state that may be seized, and one end",
    "docs/proofs/thresholded.md": "Thresholded: items not known in advance",
    "docs/proofs/views.md": "Views",
    "docs/proofs/weighted.md": "The weighted release",
}
"""Titles of proofs, by file."""


def proof_of(facts: Facts) -> str:
    """The title of the release's proof, and where it is."""
    return located(facts.about.proof, facts.about.version)


def located(path: str, version: str) -> str:
    """The title of a proof, and where it is; an unknown path as it is."""
    if path not in TITLES:
        return path or "not recorded"
    return f"\u201c{TITLES[path]}\u201d, {path} in the source of headcount{f' {version}' if version else ''}"
