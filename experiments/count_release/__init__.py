"""Rogers 2024: items found one after another, beside those that are found first and counted afterwards.

tables.py     the data: real tables in the place of the paper's
baseline.py   Plume as the paper runs it: with true percentiles, which is not private
methods.py    all compared methods, run on one table
claims.py     what the paper says of its data, looked up in our numbers
figures.py    Figures 1 to 5: number of results and their errors against rho
"""
