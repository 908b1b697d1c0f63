"""Hears of exceptions when they are raised, and captures what the user's frames hold, before any cleanup.

By `sys.monitoring`, on Python 3.12 and newer, with a free tool id, from the start of the program on.

1. It takes 3 % of the processor's time at most (`cpu_budget.py`): a place that raises again and again is only counted
once
   that runs low; above it the event is off for 0.1 s, or until the function returns.
2. Captures are copies of data, never references; the last 16 are kept.
3. An exception often has the address of an earlier one, so a place loses its captures once it raises unheard.
"""
