"""Sessions as files: written while they run, and replayed."""
