"""Promises between dap_ai's own parts: structs and Protocols, none of which goes on the wire.

`backend.py` is what a debug adapter's recipe gives, `kinds.py` what a kind of debuggee registers for, `debugger.py`
what the agent reads through, `inspection.py` the expressions that the proxy parses and the inspector interprets as JSON
nodes (docs/decisions/0002), `tool_arguments.py` every tool's arguments. A contract has no implementation, and no
second name.
"""
