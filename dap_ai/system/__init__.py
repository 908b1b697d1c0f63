"""This process and this machine: Python child processes, programs, threads, time limits, optional packages, texts.

It imports the standard library alone, so that any part of dap_ai may use it, inside a user's process too, from Python
3.8 on. No other room starts a Python of ours by itself: `child_python.command("MODULE:FUNCTION", ...)` keeps the
child from importing the current folder, and tests/unit/test_started_programs.py finds who does otherwise.
"""
