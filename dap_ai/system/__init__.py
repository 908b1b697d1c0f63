"""This process and this machine: Python child processes, programs, threads, time limits, optional packages, text.

Imports the standard library only, so that every part of dap_ai may use it, also inside a user's process, from Python
3.8 on. No other package starts a Python process by itself: `child_python.command("MODULE:FUNCTION", ...)` prevents the
child from importing modules of the current folder, and tests/unit/test_started_programs.py finds code that bypasses it.
"""
