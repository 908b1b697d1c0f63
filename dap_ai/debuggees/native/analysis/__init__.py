"""Analysis of a native stop: where a value came from, whether a line has run, what would refute a cause.

Source is parsed, never executed; conditions are evaluated over what `reading` has read. `origin_trace.py` goes back by
writes, callers' arguments and returns; `stop_evaluation.py` and `native_loops.py` look for what contradicts a cause.
No cause is
stated here and no sentence written: that is `diagnoses`.
"""
