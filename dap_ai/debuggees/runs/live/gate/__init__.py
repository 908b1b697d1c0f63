"""The gate that pauses a live agent: announcements, decisions, and calls that wait. See gate_contract.py.

It is in the endpoint's process. `gate_events.py` (what has happened, as events), `stop_table.py` (the client's
breakpoints as a
table, and steps) and `gate_edits.py` are pure; `gate.py` waits. A query passes by `gated_query.py`, what a hook
announces by
`announcements.py`; `orders.py` is what gate and debugger say. Who is gone is let go.
"""
