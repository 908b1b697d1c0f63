"""Stops a debuggee at failures that debugpy misses: uncaught errors, failing tests, dead child processes and ranks.

The code runs in the debuggee, as text that debugpy evaluates before the program starts, so each file stands alone: it
uses only the standard library and supports Python 3.8 and newer. It passes pydevd the traceback of the error that ended
the program.

`rank/` is not a package but a folder on the PYTHONPATH of a Python that `subprocess` starts. Its `sitecustomize.py`
waits for the program's end, and `failure_report.py` reads and sends the failure.
"""
