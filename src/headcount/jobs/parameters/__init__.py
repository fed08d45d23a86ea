"""Parameters as people type them: a parser for each type, and its text form."""
