"""DAP as bytes and messages, and dap_ai's own request `ask` with its events and errors.

Usually dap_ai decodes only a message's envelope; `arguments` and `body` keep the received bytes (`envelope.py`).
Structs describe only the parts of the protocol that dap_ai reads; unknown fields are ignored. `ask_messages.py` is the
source of docs/protocol.md and of the extension's `protocol.ts`. Text that leaves the machine has the type `Safe`
(`safe.py`).
"""
