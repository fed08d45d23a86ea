"""The project's own audit: every mechanism of headcount, attacked by the tools of `headcount.audit`.

    python -m audits [--runs 100000] [--only WORD]     or `make audit`

mechanisms/     one file for each mechanism: honest(), wrong() and enumerations(); a new file is found by itself
specimen.py     what these functions give: a claim with two neighbours, and an exact delta beside its price
registry.py     all files of mechanisms/, as one list of specimens and one of enumerations
on_people.py    a mechanism as a function of a few people
on_tables.py    tables of many people, read and bounded as in a release
shortcuts.py    entropy that keeps enumerations short without changing their result
"""
