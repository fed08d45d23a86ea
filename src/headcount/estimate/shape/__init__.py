"""The shape of a histogram, and its properties, from noisy counts without labels."""
