"""DAP as bytes and messages, and the request `ask` in it, with its events and its errors.

Only envelopes are decoded as a rule; `arguments` and `body` stay the bytes that came (`envelope.py`). Structs describe
what dap_ai reads, not the whole protocol; unknown fields are ignored. `ask_messages.py` is the source of
docs/protocol.md and
of the extension's `protocol.ts`. Text that leaves the machine has the type `Safe` (`safe.py`).
"""
