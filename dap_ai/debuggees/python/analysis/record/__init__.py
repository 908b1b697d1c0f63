"""What failed, run again in copies: which check, with which edit, what came of it, and the run as events.

A check is the failing statement, what led to it, a caller's statement, or what encloses them all: the program afresh,
or the failing test as pytest or unittest runs it, set up anew (`check_plan.py`, `enclosing.py`). A control run must
fail
the same way (`same_failure.py`). Where a test has failed, those beside it run in one copy (`neighbour_tests.py`). What
was
recorded is kept for the stop. `data_changes.py` says whether an edit changes data, for what a model tries, too.
"""
