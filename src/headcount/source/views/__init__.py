"""Views: joins and derived tables of which each row provably depends on one person's rows (docs/proofs/views.md).

declared.py      which tables are private, by which column or link, and which are public
leaves.py        the stored tables of a view, by their full names
ids.py           carriers: columns that hold a person's id, or a key that belongs to one person
values.py        which values are functions of one row, of one person's rows, or of public tables
reductions.py    which aggregates and window functions give the same whatever the order of rows
relations.py     a rule for each operation: what its result carries, given what its parents carry
uniqueness.py    which columns tell rows apart: whether each person has at most one row
refusals.py      what is said of an expression that has no proof
titles.py        how tables and operations are named in messages
rewriting.py     the expression that is run: byte-exact, without ties, without errors by rows
fallible.py      which values can fail by a row
constants.py     which constants cannot fail
growth.py        how long texts can become
writing.py       the SQL of the rewritten expression: a template for each class of operation
dialects/        what differs by engine
literals.py      names, types and typed values in that SQL
sql.py           the SQL as run, looked at once more: what can fail
references.py    what names in the SQL as run refer to
certificate.py   a view that was proved, and what is said about it
view.py          hc.view: an expression and its declarations
tables.py        hc.tables: files as tables, with their declarations

Rules are looked up by exact class. What is in no list is refused. Nothing here reads a row.
"""
