"""Byte links over stdio, TCP and Unix sockets, access control for listening sockets, and a headless DAP client.

Bytes arrive by callback, and writes go straight to the transport, so that a message costs no task switch. A link whose
peer does not read reports this to its owner by `on_full`. `admission.py` refuses connections of other users of the
machine. `client.py` serves the command line, joined sessions and tests; no other module here interprets messages.
"""
