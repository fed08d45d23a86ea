"""The shape of a histogram, and properties of it, from noisy counts without labels."""
