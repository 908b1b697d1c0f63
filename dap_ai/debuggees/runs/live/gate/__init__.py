"""The gate stops a live agent at events: it receives announcements, decides what stops, and holds calls.

gate_contract.py defines the protocol. The gate is part of the endpoint's process. `gate_events.py` (events so far),
`stop_table.py` (the client's breakpoints and steps) and `gate_edits.py` are pure; `gate.py` waits. Queries pass through
`gated_query.py`, announcements of a hook through `announcements.py`. `orders.py` defines the messages between gate and
debugger. If the debugger disconnects, all agents continue.
"""
