"""Runs a program, or joins an editor's session, for a command: starts it, asks about it, ends it.

Used by `ask`, `debug` and `mcp`. A `Target` of the debuggee's kind defines what to start; `run_controls.py` and
`session_loop.py` control it; `approvals.py` asks the user for consent. Whatever the command started ends with the
command, also on a signal; a joined session continues.
"""
