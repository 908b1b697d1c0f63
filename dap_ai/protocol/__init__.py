"""Messages of the Debug Adapter Protocol (DAP), and the contracts between dap_ai's own parts. It does no I/O.

`wire` holds messages on the wire; `contracts`, built on `wire`, what the parts of dap_ai expect of each other. Every
package but `system` may import this one. It imports msgspec, and of dap_ai only `system`.
"""
