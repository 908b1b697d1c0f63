"""The proxy between a DAP client and a debug adapter: forwards every message and answers `ask` requests itself.

    bytes -> FrameReader.feed -> Pump.receive_all -> Session.receive -> [ToBackend(body)] -> link.write

All of it runs in the callback that received the bytes: no task switch, no queue. All messages that result from one read
are sent in one write. `session`, `asks`, `past` and `state` decide, without input or output; `io` carries out their
decisions.

Memory use is bounded: above 4 MB of unsent bytes dap_ai stops reading the other side, a message above 256 MB ends its
stream, and a backend that reads nothing for 10 s is ended. The client is still read once more, because its next message
may be `disconnect`.

The proxy imports neither the agent nor any backend: `io/ports.py` declares what it needs from them.
"""
