"""Operations on pairs (person, item, count): the same formulas on NumPy arrays in this process and on an engine."""
