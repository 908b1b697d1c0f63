"""Locked copies of the debuggee, in which an expression runs, a fix is tried, a call is traced."""
