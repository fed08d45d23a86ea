"""Privacy curves: the exact price of each mechanism, delta at every epsilon, in interval arithmetic."""
