"""Figures that pages show: measured by one command, kept in `docs/evidence/`, rendered from there.

    python -m benchmarks.evidence list                what there is, and what is older than the code that it measures
    python -m benchmarks.evidence run [NAME ...]      measure what is missing or stale: everything, or these
    python -m benchmarks.evidence run --quick         what README.md and the front page show
    python -m benchmarks.evidence render              write figures into README.md and the front page

experiment.py command, source files and duration; registry.py and night.py list all of them
run.py        runs them, one after another
record.py     one file of docs/evidence
sources.py    the digest of source files
markdown.py   tables, read from what a command prints
pages.py      markers in pages, and what replaces them

Invariants: a file names the commit, the machine and the digest of the source files that were measured. A figure is
stale if that digest is another today, and is then shown as such.
"""
