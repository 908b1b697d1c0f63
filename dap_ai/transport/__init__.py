"""Byte links (stdio, TCP, Unix sockets), admission control for them, and a headless DAP client.

Bytes arrive by callback and writes go straight to the transport, so that a message costs no task switch. Back-pressure
is explicit: a link whose peer does not read calls its `on_full`. Connections of other users of the machine are refused
(`admission.py`). `client.py` serves the command line, joined sessions and tests; it is the only module here that
interprets messages.
"""
