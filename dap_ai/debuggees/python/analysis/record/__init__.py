"""Reruns a failure in copies of the process: chooses checks, applies edits, judges outcomes, and records events.

A check is code to rerun: the failing statement, statements that led to it, a caller's statement, the program from its
start, or the failing test as pytest or unittest runs it, set up anew (`check_plan.py`, `enclosing.py`). A control run,
without edits, must fail as the program did (`same_failure.py`). After a failed test, its neighbour tests run in one
copy (`neighbour_tests.py`). Recordings are kept until the program resumes. `data_changes.py` detects edits that change
data, also among edits that a model tries.
"""
