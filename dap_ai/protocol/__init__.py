"""Messages of the Debug Adapter Protocol (DAP), and the contracts between dap_ai's own parts. No code here does I/O.

`wire` holds the messages sent over the wire. `contracts`, built on `wire`, holds the types that dap_ai's parts exchange
with each other. Every package but `system` may import this one. Its only imports are msgspec and `system`.
"""
