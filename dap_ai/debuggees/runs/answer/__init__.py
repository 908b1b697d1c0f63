"""Answers about a recorded run, with and without a model: what is asked, what is cited, what is told."""

from __future__ import annotations

ASKS = "Where did the run go wrong, and why?"
"""What is asked where nobody has put a question."""
