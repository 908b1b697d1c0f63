"""Tries fixes in copies: candidate edits, their scheduler, and what a pass proves."""
