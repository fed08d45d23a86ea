"""Calibration: the least noise, the lowest threshold or the best rate for a given epsilon and delta."""
