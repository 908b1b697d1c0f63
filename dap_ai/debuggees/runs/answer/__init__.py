"""Answers to questions about a recorded run, with and without a model.

`run_at_stop.py` loads the run, analysed and masked; `run_tools.py` has the model's tools; `onset_answer.py` describes
the onset; `run_report.py` handles the model's final report. `quote_parser.py` finds the quotes in an answer, and
`quote_check.py` checks them against the run's files. `model_tokens` of a kind limits the first prompt.
"""

from __future__ import annotations

ASKS = "Where did the run go wrong, and why?"
"""Question asked about a run if the user gives none."""
