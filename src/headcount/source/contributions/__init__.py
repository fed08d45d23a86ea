"""From rows to contributions (user, item, count): on an engine, or as integers in this process."""
