"""The gate stops a live agent at events: receives announcements, decides which events stop, and holds calls.

gate_contract.py defines the protocol. The gate is part of the endpoint's process. `gate_events.py` (events so far),
`stop_table.py` (the client's breakpoints and steps) and `gate_edits.py` do no I/O; `gate.py` waits. Queries pass
through `gated_query.py`, a hook's announcements through `announcements.py`. `orders.py` defines the messages between
gate and debugger. If the debugger disconnects, all agents continue.
"""
