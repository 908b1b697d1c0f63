"""Utilities for this process and machine: Python child processes, programs, threads, time limits, extras, text.

Imports the standard library only and runs on Python 3.8, so that every part of dap_ai can use it, even in a user's
process. Every Python child process is started by `child_python.command("MODULE:FUNCTION", ...)`, which prevents the
child from importing modules of the current folder. tests/unit/test_started_programs.py finds code that bypasses it.
"""
