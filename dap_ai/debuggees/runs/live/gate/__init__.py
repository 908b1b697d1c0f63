"""The gate at which a live agent is held: what is announced there, what is decided, and what waits. See contract.py.

It is in the endpoint's process. `story.py` (what has happened, as events), `stops.py` (the client's breakpoints as a
table, and steps) and `editing.py` are pure; `gate.py` waits. A query passes by `visits.py`, what a hook announces by
`announcing.py`; `orders.py` is what gate and debugger say. Who is gone is let go.
"""
