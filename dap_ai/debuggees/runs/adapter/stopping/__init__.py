"""Decides where a run stops: breakpoints of each kind, conditions, exception filters, watches, and the cursor.

Does no I/O: works on indices into the events of a run, without clock or socket.
"""
