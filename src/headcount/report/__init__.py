"""The release told to people: a few lines of text, or one page."""
