"""Names and types of the columns of contributions."""

USER = "user"
COUNT = "count"
WIDE = "decimal(38, 0)"
"""Type of sums: on some engines they have more than 64 bits, whatever Ibis says; as a decimal they agree."""
