"""Ranks the lines that may hold the mistake: rules and the slice first, then what runs and tests have shown.

`weights.py` alone says what each piece of evidence weighs. Lines that the run did not come to before the exception are
no suspects (`what_ran.py`); lines whose suspicion a run has confirmed come first (`confirm_dynamically.py`). Where the
failing
line reads a value that was set in the debugger, no line is blamed and no fix tried (`set_by_hand.py`).
"""
