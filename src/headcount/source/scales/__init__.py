"""What the values of a column are counted or measured by: bins, periods, public scales, amounts, buckets."""
