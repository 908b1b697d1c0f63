"""Contracts between dap_ai's own parts: structs and Protocols that are never sent over the wire.

`backend.py` describes a debug adapter to the proxy, and `debugger.py` a debug session to the agent. `inspection.py`
describes expressions as JSON nodes, which the proxy parses and the inspector interprets (docs/decisions/0002).
`tool_arguments.py` describes every tool's arguments. A contract contains no implementation and has only one name.
"""
