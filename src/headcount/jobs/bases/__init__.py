"""What jobs of one kind have in common: about items, counts of items, or a column of numbers."""
