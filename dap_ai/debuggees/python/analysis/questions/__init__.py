"""Parses natural-language questions about a Python program, and answers them from a recorded run.

`question_patterns.py` and `question_parser.py` parse the question (pure); the run up to the stop is recorded
(`analysis/record`); then `value_origin.py` traces back a value, `line_questions.py` explains why a line ran or did not,
and `value_questions.py`, `slow_lines.py`, `stop_changes.py` and `python_waiting.py` answer other questions. `owners.py`
finds the frame in which to trace an object. An answer states what the recorded run did, and reports where recording was
not possible.
"""
