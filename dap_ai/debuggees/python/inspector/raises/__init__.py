"""Captures values in the user's frames when an exception is raised, before any cleanup.

It uses `sys.monitoring`, on Python 3.12 and newer, with a free tool id, from the program's start.

1. It takes at most 3 % of the processor's time (`cpu_budget.py`): once the budget runs low, a place that raises again
   and again is only counted; beyond the budget the event is off for 0.1 s, or until the function returns.
2. Captures are copies of data, never references; the last 16 are kept.
3. A new exception often has an earlier one's address, so a place loses its captures once it raises uncaptured.
"""
