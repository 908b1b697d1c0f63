"""Breakpoints of each kind, conditions, exception filters, watches, and the cursor, which decide where a run stops.

Pure: works on indices into the events of a run, without clock or socket.
"""
