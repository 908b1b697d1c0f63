"""Contracts between dap_ai's own parts: structs and Protocols that are never sent over the wire.

`backend.py` describes a debug adapter to the proxy, `debugger.py` a debug session to the agent, `inspection.py` the
expressions that the proxy parses and the inspector interprets as JSON nodes (docs/decisions/0002), and
`tool_arguments.py` every tool's arguments. A contract has no implementation, and only one name.
"""
