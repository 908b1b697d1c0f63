"""Ranks the lines that may hold the mistake: first by rules and the slice, then by evidence from runs and tests.

`weights.py` alone defines the weight of each piece of evidence. Lines that the run did not reach before the exception
are not suspects (`what_ran.py`); lines whose suspicion a run confirmed rank first (`confirm_dynamically.py`). If the
failing line reads a value that was set in the debugger, no line is blamed and no fix is tried (`set_by_hand.py`).
"""
