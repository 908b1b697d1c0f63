"""The failure rerun in copies: the check to run, the edit to apply, the outcome, and the run as events.

A check is the failing statement, what led to it, a caller's statement, or what encloses them all: the program from its
start, or the failing test as pytest or unittest runs it, set up anew (`check_plan.py`, `enclosing.py`). A control run
must fail the same way (`same_failure.py`). After a failed test, its neighbour tests run in one copy
(`neighbour_tests.py`). Recordings are kept for the stop. `data_changes.py` detects edits that change data, also for
edits that a model tries.
"""
