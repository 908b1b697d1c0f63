"""Stops a debuggee where it dies: uncaught errors, failing tests, dead children and ranks, at which debugpy does not.

The code runs in the debuggee, as text that debugpy evaluates before the program starts.
"""
