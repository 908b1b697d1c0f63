"""Stops a debuggee where it dies (uncaught errors, failing tests, dead children, ranks), as debugpy does not.

The code runs in the debuggee, as text that debugpy evaluates before the program starts, so each file stands alone: the
standard library only, on Python 3.8 and newer. pydevd is given the traceback of what has ended the program.

`rank/` is no package: it is put on PYTHONPATH of a Python that `subprocess` starts. `sitecustomize.py` waits there for
the program's end, and `failure_report.py` reads and sends what has ended it.
"""
