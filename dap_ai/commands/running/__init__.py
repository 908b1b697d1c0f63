"""Runs a program or a joined session for a command: starts it, asks about it, ends it.

Used by `ask`, `debug` and `mcp`. A `Target` of the debuggee's kind defines what to start; `run_controls.py` and
`session_loop.py` control it; `approvals.py` asks the user for consent. Whatever the command started ends with it, also
on a signal; a joined session goes on.
"""
