"""Answers about a recorded run, with and without a model: the run of a stop, its text, its tools, its onset.

`run_at_stop.py` has the run, analysed and masked; `run_tools.py` what a model may call, `onset_answer.py` the onset,
`run_report.py`
how a model ends. What an answer cites is found by `quote_parser.py` and read again from the run (`quote_check.py`). A
kind's
`model_tokens` says what a first question may cost.
"""

from __future__ import annotations

ASKS = "Where did the run go wrong, and why?"
"""What is asked where nobody has put a question."""
