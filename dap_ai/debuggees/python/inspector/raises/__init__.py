"""Captures values in the user's frames when an exception is raised, before any cleanup.

It uses `sys.monitoring`, on Python 3.12 and newer, with a free tool id, from the program's start.

1. Capturing takes at most 3 % of the processor's time (`cpu_budget.py`). If the budget runs low, a place that raises
   again and again is only counted. If the budget is used up, the event is off for 0.1 s, or until the function returns.
2. Captures are copies of data, never references; only the last 16 captures are kept.
3. A new exception often has the address of an earlier exception, so a place loses its captures once it raises
   uncaptured.
"""
