"""Where a run stops: breakpoints of each kind, their conditions, exception filters, what can be watched, the cursor.

Pure: an index into the events of a run, never a clock or a socket.
"""
