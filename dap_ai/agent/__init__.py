"""Answers questions about a stopped program: reads it through `Debugger`, never touches it."""
