"""Answers to questions about a recorded run, with and without a model.

`run_at_stop.py` loads, analyses and masks the run. `run_tools.py` has the tools for the model, `onset_answer.py`
describes the step where the run went wrong, and `run_report.py` handles the model's final report. `quote_parser.py`
finds the quotes in an answer, and `quote_check.py` checks them against the run's files. `model_tokens` of a debuggee
kind limits the first prompt.
"""

from __future__ import annotations

ASKS = "Where did the run go wrong, and why?"
"""Question about a run if the user asks none."""
