"""Runs what failed again, in copies: which check, with which edit, what came of it, and the run as events."""
