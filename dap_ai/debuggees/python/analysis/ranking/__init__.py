"""Ranks the lines that may hold the mistake: rules and the slice first, then what runs and tests have shown."""
