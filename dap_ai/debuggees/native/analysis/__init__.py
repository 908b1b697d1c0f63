"""Analysis of a native stop: where a value came from, whether a line has run, what would refute a cause.

Source is parsed, never executed; conditions are evaluated with values from `reading`. `origin_trace.py` goes back
through writes, callers' arguments and returns; `stop_evaluation.py` and `native_loops.py` look for evidence against a
cause. Stating causes and writing sentences is left to `diagnoses`.
"""
