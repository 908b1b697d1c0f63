"""Byte links (stdio, TCP, Unix sockets), who is let in on them, and a headless DAP client over one.

Bytes arrive by callback and writes go straight to the transport, so that a message costs no task switch. Back-pressure
is explicit: a link whose peer does not read calls its `on_full`. Other users of the machine are turned away
(`admission.py`). `client.py` serves the command line, joined sessions and tests. No message is interpreted here but by
that client.
"""
