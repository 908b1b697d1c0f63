"""Analyses a native stop: where a value came from, whether a line has run, and what would refute a suspected cause.

Source is parsed, never executed. Conditions are evaluated with values from `reading`. `origin_trace.py` goes back
through writes, callers' arguments and return values. `stop_evaluation.py` and `native_loops.py` look for evidence
against a cause. The modules in `diagnoses` state the causes and write the sentences.
"""
